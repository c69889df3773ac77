//! Values as filters write them.

use super::{FieldType, Value};
use crate::Id;
use exectrace_reader::TaskId;

/// A value in a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    Text(Vec<u8>),
    Ns(i64),
    /// A number without a unit.
    Number(u64),
    Id(Id),
    Flag(bool),
}

impl Constant {
    /// The same as a value of a field; `None` if the field has no such values. A plain number is an id's, and 0 needs no unit.
    pub(super) fn of_type(self, field: FieldType) -> Option<Self> {
        match (field, self) {
            (FieldType::Text, it @ Self::Text(_))
            | (FieldType::Duration, it @ Self::Ns(_))
            | (FieldType::Task, it @ Self::Id(Id::Task(_)))
            | (FieldType::Flag, it @ Self::Flag(_)) => Some(it),
            (FieldType::Duration, Self::Number(0)) => Some(Self::Ns(0)),
            (FieldType::Task, Self::Number(number)) => Some(Self::Id(Id::Task(TaskId(number)))),
            _ => None,
        }
    }

    /// The same, to be compared with what a record has.
    pub(super) fn as_value(&self) -> Option<Value<'_>> {
        match self {
            Self::Text(text) => Some(Value::Text(text)),
            Self::Ns(ns) => Some(Value::Ns(*ns)),
            Self::Id(id) => Some(Value::Id(*id)),
            Self::Flag(flag) => Some(Value::Flag(*flag)),
            Self::Number(_) => None,
        }
    }
}
