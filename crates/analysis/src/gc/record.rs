//! Cycles and stops as filters see them.

use exectrace_reader::{Tables, TaskId, Timestamp};

use super::GcCycle;
use super::gc_stop::Stopped;
use crate::{Field, Id, Record, RecordKind, Value};

/// What a filter can ask of a cycle.
pub(super) struct CycleRecord<'a> {
    pub(super) cycle: &'a GcCycle,
    /// When the trace begins.
    pub(super) begin: Timestamp,
}

impl Record for CycleRecord<'_> {
    const KIND: RecordKind = RecordKind::Collection;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let cycle = self.cycle;
        Some(match field {
            Field::Kind => Value::Text(b"cycle"),
            Field::Duration => Value::Ns(cycle.ns()),
            Field::Begin => Value::Ns(cycle.begin.since_ns(self.begin)),
            Field::End => Value::Ns(cycle.end.since_ns(self.begin)),
            Field::IsOpenLeft => Value::Flag(cycle.is_open_left),
            Field::IsOpenRight => Value::Flag(cycle.is_open_right),
            _ => return None,
        })
    }
}

/// What a filter can ask of a stop.
pub(super) struct StopRecord<'a> {
    pub(super) stop: &'a Stopped,
    /// When the trace begins.
    pub(super) begin: Timestamp,
    pub(super) tables: &'a Tables<'a>,
}

impl Record for StopRecord<'_> {
    const KIND: RecordKind = RecordKind::Collection;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let (stop, tables) = (self.stop, self.tables);
        Some(match field {
            Field::Kind => Value::Text(b"stop"),
            Field::Reason => Value::Text(tables.string(stop.reason)),
            Field::Task if stop.task != TaskId(0) => Value::Id(Id::Task(stop.task)),
            Field::Function => Value::Text(tables.string(stop.function(tables))),
            Field::Duration => Value::Ns(stop.ns()),
            Field::Begin => Value::Ns(stop.begin.since_ns(self.begin)),
            Field::End => Value::Ns(stop.end.since_ns(self.begin)),
            Field::IsOpenLeft => Value::Flag(stop.is_open_left),
            Field::IsOpenRight => Value::Flag(stop.is_open_right),
            _ => return None,
        })
    }
}
