//! A field of a record beside a value.

use std::cmp::Ordering;

use super::constant::Constant;
use super::{Field, FieldType, Record, Value};

/// What is asked of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) field: Field,
    pub(super) operator: Operator,
    /// Of the field's type.
    pub(super) constant: Constant,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
}

impl Comparison {
    pub(super) fn holds_for(&self, record: &impl Record) -> bool {
        let is_not_equal = self.operator == Operator::NotEqual;
        let Some(value) = record.value(self.field) else {
            return is_not_equal;
        };
        let constant = self.constant.as_value();
        match self.operator {
            Operator::Contains => contains(value, constant),
            Operator::Equal | Operator::NotEqual => (value == constant) != is_not_equal,
            Operator::Less => order(value, constant).is_some_and(Ordering::is_lt),
            Operator::LessOrEqual => order(value, constant).is_some_and(Ordering::is_le),
            Operator::Greater => order(value, constant).is_some_and(Ordering::is_gt),
            Operator::GreaterOrEqual => order(value, constant).is_some_and(Ordering::is_ge),
        }
    }
}

impl Operator {
    /// Whether values of a type are compared like that.
    pub(super) const fn is_of(self, value_type: FieldType) -> bool {
        match self {
            Self::Equal | Self::NotEqual => true,
            Self::Contains => matches!(value_type, FieldType::Text),
            _ => value_type.has_order(),
        }
    }
}

fn contains(value: Value<'_>, part: Value<'_>) -> bool {
    match (value, part) {
        (Value::Text(_), Value::Text(b"")) => true,
        (Value::Text(text), Value::Text(part)) => {
            text.windows(part.len()).any(|window| window == part)
        }
        _ => false,
    }
}

/// Which of two values is more, where that is a question.
fn order(value: Value<'_>, other: Value<'_>) -> Option<Ordering> {
    match (value, other) {
        (Value::Ns(value), Value::Ns(other)) => Some(value.cmp(&other)),
        (Value::Id(value), Value::Id(other)) => Some(value.cmp(&other)),
        (Value::Number(value), Value::Number(other)) => Some(value.cmp(&other)),
        (Value::Share(value), Value::Share(other)) => value.partial_cmp(&other),
        (Value::Severity(value), Value::Severity(other)) => Some(value.cmp(&other)),
        _ => None,
    }
}
