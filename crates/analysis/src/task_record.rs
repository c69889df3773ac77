//! Tasks as filters see them.

use exectrace_reader::Timestamp;

use crate::{Field, Id, Record, RecordKind, TaskTime, Value};

/// What a filter can ask of a task.
pub(crate) struct TaskRecord<'a> {
    pub(crate) task: &'a TaskTime,
    /// When the trace begins.
    pub(crate) begin: Timestamp,
}

impl Record for TaskRecord<'_> {
    const KIND: RecordKind = RecordKind::Task;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let (task, times) = (self.task, &self.task.times);
        Some(match field {
            Field::Task => Value::Id(Id::Task(task.id)),
            Field::TaskFunction => Value::Text(task.function.as_bytes()),
            Field::Duration => Value::Ns(times.life_ns()),
            Field::Begin => Value::Ns(task.begin.since_ns(self.begin)),
            Field::End => Value::Ns(task.end.since_ns(self.begin)),
            Field::Running => Value::Ns(times.running_ns),
            Field::Runnable => Value::Ns(times.runnable_ns),
            Field::Blocked => Value::Ns(times.blocked_ns()),
            Field::Syscall => Value::Ns(times.syscall_ns),
            Field::Unknown => Value::Ns(times.unknown_ns),
            Field::IsCreated => Value::Flag(task.is_created),
            Field::HasEnded => Value::Flag(task.has_ended),
            _ => return None,
        })
    }
}
