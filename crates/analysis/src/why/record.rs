//! Parts of the path as filters see them.

use super::PathPart;
use crate::{Field, Record, RecordKind, Value, state_word};

impl Record for PathPart {
    const KIND: RecordKind = RecordKind::PathPart;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        Some(match field {
            Field::IsOwn => Value::Flag(self.is_own),
            Field::Function => Value::Text(self.function.as_bytes()),
            Field::State => Value::Text(state_word(self.state).as_bytes()),
            Field::Reason => Value::Text(self.reason.as_bytes()),
            Field::Duration => Value::Ns(self.ns),
            Field::Count => Value::Number(self.count),
            _ => return None,
        })
    }
}
