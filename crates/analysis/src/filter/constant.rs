//! Values as filters write them.

use super::{FieldType, Value};
use crate::{Id, Severity};
use exectrace_reader::{TaskId, UserTaskId, WorkerId};

/// A value in a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Text(Vec<u8>),
    Ns(i64),
    /// A number without a unit.
    Number(u64),
    /// A number of hundredths, as a part of 1.
    Share(f64),
    Id(Id),
    /// A text that says how bad a finding is.
    Severity(Severity),
    Flag(bool),
}

impl Constant {
    /// The same as a value of a field; `None` if the field has no such values. A plain number can be an id, and 0 needs no unit.
    pub(super) fn of_type(self, field: FieldType) -> Option<Self> {
        match (field, self) {
            (FieldType::Text, it @ Self::Text(_))
            | (FieldType::Duration, it @ Self::Ns(_))
            | (FieldType::Task, it @ Self::Id(Id::Task(_)))
            | (FieldType::UserTask, it @ Self::Id(Id::UserTask(_)))
            | (FieldType::Worker, it @ Self::Id(Id::Worker(_)))
            | (FieldType::Number, it @ Self::Number(_))
            | (FieldType::Share, it @ Self::Share(_))
            | (FieldType::Flag, it @ Self::Flag(_)) => Some(it),
            (FieldType::Duration, Self::Number(0)) => Some(Self::Ns(0)),
            (FieldType::Share, Self::Number(0)) => Some(Self::Share(0.0)),
            (FieldType::Task, Self::Number(number)) => Some(Self::Id(Id::Task(TaskId(number)))),
            (FieldType::UserTask, Self::Number(number)) => {
                Some(Self::Id(Id::UserTask(UserTaskId(number))))
            }
            (FieldType::Worker, Self::Number(number)) => {
                let worker = i64::try_from(number).ok()?;
                Some(Self::Id(Id::Worker(WorkerId(worker))))
            }
            (FieldType::Severity, Self::Text(text)) => {
                let mut all = Severity::ALL.into_iter();
                let severity = all.find(|it| it.name().as_bytes() == text);
                severity.map(Self::Severity)
            }
            _ => None,
        }
    }

    /// The same, to be compared with what a record has.
    pub(super) fn as_value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(text),
            Self::Ns(ns) => Value::Ns(*ns),
            Self::Number(number) => Value::Number(*number),
            Self::Share(share) => Value::Share(*share),
            Self::Id(id) => Value::Id(*id),
            Self::Severity(severity) => Value::Severity(*severity),
            Self::Flag(flag) => Value::Flag(*flag),
        }
    }
}
