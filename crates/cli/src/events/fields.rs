//! What is in an event, by name: one list for all forms.

use std::io;

use exectrace_format::role::Range;
use exectrace_format::{StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
use exectrace_reader::Kind;

use super::Printed;
use super::filter::type_name;

/// Takes the fields of an event, in their order.
pub(super) trait Fields<'p> {
    /// A number that is never negative.
    fn number(&mut self, name: &'static str, value: u64) -> io::Result<()>;

    /// A worker.
    fn worker(&mut self, name: &'static str, value: WorkerId) -> io::Result<()>;

    /// One of a few words.
    fn word(&mut self, name: &'static str, value: &'static str) -> io::Result<()>;

    /// Any bytes.
    fn text(&mut self, name: &'static str, value: &'p [u8]) -> io::Result<()>;
}

/// Tells all fields after time and type. What an event does not have is left out.
pub(super) fn tell<'p>(
    printed: &'p Printed<'_, '_>,
    fields: &mut impl Fields<'p>,
) -> io::Result<()> {
    let event = &printed.event;
    if let Some(trace) = printed.trace {
        fields.number("trace", trace as u64)?;
    }
    if event.worker != WorkerId::NONE {
        fields.worker("worker", event.worker)?;
    }
    if event.thread != ThreadId::NONE {
        fields.number("thread", event.thread.0)?;
    }
    if event.task != TaskId(0) {
        fields.number("task", event.task.0)?;
    }
    fields.word("kind", event.kind.name())?;
    match event.kind {
        Kind::TaskTransition { .. } | Kind::WorkerTransition { .. } => transition(printed, fields),
        Kind::RangeBegin { .. } | Kind::RangeActive { .. } | Kind::RangeEnd { .. } => {
            range(printed, fields)
        }
        Kind::Metric { metric, value } => {
            fields.word("metric", metric.name())?;
            fields.number("value", value)
        }
        Kind::Label { label } => fields.text("label", printed.string(label)),
        Kind::Experiment { args } => {
            for (name, arg) in ["arg0", "arg1", "arg2"].into_iter().zip(args) {
                fields.number(name, arg)?;
            }
            Ok(())
        }
        _ => user_annotation(printed, fields),
    }
}

fn transition<'p>(printed: &'p Printed<'_, '_>, fields: &mut impl Fields<'p>) -> io::Result<()> {
    let (from, to, reason) = match printed.event.kind {
        Kind::TaskTransition {
            task,
            from,
            to,
            reason,
            ..
        } => {
            fields.number("subject_task", task.0)?;
            (from, to, reason)
        }
        Kind::WorkerTransition { worker, from, to } => {
            fields.worker("subject_worker", worker)?;
            (from, to, StringId(0))
        }
        _ => return Ok(()),
    };
    fields.word("from", from.name())?;
    fields.word("to", to.name())?;
    if reason != StringId(0) {
        fields.text("reason", printed.string(reason))?;
    }
    Ok(())
}

fn range<'p>(printed: &'p Printed<'_, '_>, fields: &mut impl Fields<'p>) -> io::Result<()> {
    match printed.event.kind {
        Kind::RangeBegin { range, reason } => {
            fields.word("range", range.name())?;
            told_reason(printed, fields, range, reason)
        }
        Kind::RangeActive {
            range,
            task,
            worker,
        } => {
            fields.word("range", range.name())?;
            if task != TaskId(0) {
                fields.number("subject_task", task.0)?;
            }
            if worker != WorkerId::NONE {
                fields.worker("subject_worker", worker)?;
            }
            Ok(())
        }
        Kind::RangeEnd {
            range,
            reason,
            swept_bytes,
            reclaimed_bytes,
        } => {
            fields.word("range", range.name())?;
            told_reason(printed, fields, range, reason)?;
            if range == Range::Sweep {
                fields.number("swept_bytes", swept_bytes)?;
                fields.number("reclaimed_bytes", reclaimed_bytes)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn told_reason<'p>(
    printed: &'p Printed<'_, '_>,
    fields: &mut impl Fields<'p>,
    range: Range,
    reason: StringId,
) -> io::Result<()> {
    if range == Range::StopTheWorld {
        fields.text("reason", printed.string(reason))?;
    }
    Ok(())
}

fn user_annotation<'p>(
    printed: &'p Printed<'_, '_>,
    fields: &mut impl Fields<'p>,
) -> io::Result<()> {
    match printed.event.kind {
        Kind::UserTaskBegin {
            user_task,
            parent,
            name,
        } => {
            fields.number("user_task", user_task.0)?;
            parent_and_name(printed, fields, parent, name)
        }
        Kind::UserTaskEnd { user_task, begin } => {
            fields.number("user_task", user_task.0)?;
            match begin {
                Some(begin) => parent_and_name(printed, fields, begin.parent, begin.name),
                None => Ok(()),
            }
        }
        Kind::UserRegionBegin { user_task, name } | Kind::UserRegionEnd { user_task, name } => {
            fields.number("user_task", user_task.0)?;
            fields.text("name", printed.string(name))
        }
        Kind::UserLog {
            user_task,
            key,
            message,
        } => {
            fields.number("user_task", user_task.0)?;
            fields.text("key", printed.string(key))?;
            fields.text("message", printed.string(message))
        }
        _ => Ok(()),
    }
}

fn parent_and_name<'p>(
    printed: &'p Printed<'_, '_>,
    fields: &mut impl Fields<'p>,
    parent: UserTaskId,
    name: StringId,
) -> io::Result<()> {
    if parent != UserTaskId(0) {
        fields.number("parent", parent.0)?;
    }
    fields.text("name", printed.string(name))
}

impl Printed<'_, '_> {
    pub(super) fn string(&self, id: StringId) -> &[u8] {
        self.reader.tables().string(id)
    }

    /// Nanoseconds since the first event of the trace.
    pub(super) fn since_ns(&self) -> i64 {
        self.event.time.since_ns(self.first)
    }

    pub(super) fn type_name(&self) -> &'static str {
        type_name(self.event.event_type, self.reader.version())
    }

    /// The event's stacks by name: that of who wrote it, and the subject's own where that is another.
    pub(super) fn stacks(&self) -> impl Iterator<Item = (&'static str, StackId)> {
        let stack = self.event.stack;
        let own = match self.event.kind {
            Kind::TaskTransition { stack: own, .. } if own != stack => own,
            _ => StackId(0),
        };
        [("stack", stack), ("subject_stack", own)]
            .into_iter()
            .filter(|(_, stack)| *stack != StackId(0))
    }
}
