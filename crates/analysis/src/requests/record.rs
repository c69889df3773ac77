//! Requests as filters see them.

use exectrace_reader::Timestamp;

use super::{Request, RequestId};
use crate::{Field, Id, Record, RecordKind, Value};

/// What a filter can ask of a request.
pub(super) struct RequestRecord<'a> {
    pub(super) request: &'a Request,
    /// When the trace begins.
    pub(super) begin: Timestamp,
}

impl Record for RequestRecord<'_> {
    const KIND: RecordKind = RecordKind::Request;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let request = self.request;
        let begin_ns = request.begin.since_ns(self.begin);
        match (field, request.id) {
            (Field::Task, RequestId::Task(task)) => Some(Value::Id(Id::Task(task))),
            (Field::UserTask, RequestId::UserTask(id)) => Some(Value::Id(Id::UserTask(id))),
            (Field::Name, _) | (Field::UserTaskName, RequestId::UserTask(_)) => {
                Some(Value::Text(request.name.as_bytes()))
            }
            (Field::Duration, _) => Some(Value::Ns(request.ns)),
            (Field::Begin, _) => Some(Value::Ns(begin_ns)),
            (Field::End, _) => Some(Value::Ns(begin_ns.saturating_add(request.ns))),
            _ => None,
        }
    }
}
