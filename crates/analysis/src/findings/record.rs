//! Findings as filters see them.

use crate::{Field, Finding, Record, RecordKind, Value};

impl Record for Finding {
    const KIND: RecordKind = RecordKind::Finding;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        Some(match field {
            Field::Class => Value::Text(self.class.name().as_bytes()),
            Field::Severity => Value::Severity(self.severity),
            Field::Lost => Value::Ns(self.lost_ns),
            Field::Share => Value::Share(self.share),
            Field::Count => Value::Number(self.count),
            Field::Function => Value::Text(self.place.as_ref()?.function.as_bytes()),
            _ => return None,
        })
    }
}
