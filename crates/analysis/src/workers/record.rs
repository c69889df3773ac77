//! Workers as filters see them.

use crate::{Field, Id, Record, RecordKind, Value, WorkerUse};

impl Record for WorkerUse {
    const KIND: RecordKind = RecordKind::Worker;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        Some(match field {
            Field::Worker => Value::Id(Id::Worker(self.worker)),
            Field::Name => Value::Text(self.name.as_ref()?.as_bytes()),
            Field::Busy => Value::Ns(self.busy_ns),
            Field::OnThread => Value::Ns(self.on_thread_ns),
            Field::Parks => Value::Number(self.parks),
            Field::Starts => Value::Number(self.starts),
            Field::Steals => Value::Number(self.steals),
            _ => return None,
        })
    }
}
