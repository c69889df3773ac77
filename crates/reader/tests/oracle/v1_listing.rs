//! Events of format v1 in the words of Go's reader.

use std::collections::HashMap;

use exectrace_format::go_v1::EventType as E;
use exectrace_format::{StackId, TaskId};
use exectrace_reader::{Event, EventType, Kind, Tables};

use crate::listing::Listing;

/// Which of Go's readers tells the events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teller {
    /// Go 1.19's: it says where an event stands in the file, and gives those of the collector to nobody.
    Go1_19,
    /// The part of Go 1.27's that reads format v1.
    Go1_27,
}

/// Writes events as one of Go's readers does.
pub(crate) struct V1Listing {
    teller: Teller,
    /// By task: where it will start.
    start_stacks: HashMap<TaskId, StackId>,
}

impl V1Listing {
    pub(crate) fn of(teller: Teller) -> Self {
        Self {
            teller,
            start_stacks: HashMap::new(),
        }
    }

    /// Writes the line of an event.
    pub(crate) fn write(&mut self, listing: &mut Listing, event: &Event, tables: &Tables<'_>) {
        let EventType::V1(event_type) = event.event_type else {
            return;
        };
        listing.begin(event, event.event_type.name());
        if self.teller == Teller::Go1_19 {
            listing.number("at", event.offset);
        }
        listing.number("g", self.owner(event, event_type).0);
        listing.number("p", event.worker.0);
        let (mut start, mut stack) = (StackId(0), event.stack);
        match event_type {
            E::ProcStart => listing.number("m", event.thread.0),
            E::GoCreate => start = own_stack(event),
            // Its first start has the stack that its creation told.
            E::GoStart | E::GoStartLabel => {
                stack = self
                    .start_stacks
                    .remove(&subject(event))
                    .unwrap_or_default();
            }
            _ => {}
        }
        if event_type == E::GoCreate {
            self.start_stacks.insert(subject(event), start);
        }
        arguments(listing, event, event_type, tables);
        listing.stack("start", start, tables);
        listing.stack("stack", stack, tables);
    }

    /// The goroutine that Go's reader gives the event to.
    fn owner(&self, event: &Event, event_type: E) -> TaskId {
        match event_type {
            E::GCStart | E::GCDone | E::GCSTWStart | E::GCSTWDone
                if self.teller == Teller::Go1_19 =>
            {
                TaskId(0)
            }
            E::GoStart | E::GoStartLabel | E::GoSysExit | E::GoWaiting | E::GoInSyscall => {
                subject(event)
            }
            _ => event.task,
        }
    }
}

/// Whether both lines tell the same event. Go's may lack the worker, where it has moved the event to one that does not exist.
pub(crate) fn is_same(ours: &[u8], theirs: &[u8]) -> bool {
    if ours == theirs {
        return true;
    }
    // Time, type, place and task come before it, and no text that could look like it.
    let worker = |line: &[u8]| line.windows(3).position(|bytes| bytes == b" p=");
    let (Some(at), Some(their_at)) = (worker(ours), worker(theirs)) else {
        return false;
    };
    let Some(rest) = theirs[their_at..].strip_prefix(b" p=?") else {
        return false;
    };
    let number = ours[at + 3..].iter().position(|&byte| byte == b' ');
    let our_rest = number.map_or(&[][..], |length| &ours[at + 3 + length..]);
    ours[..at] == theirs[..their_at] && our_rest == rest
}

/// The task whose state changes.
fn subject(event: &Event) -> TaskId {
    match event.kind {
        Kind::TaskTransition { task, .. } => task,
        _ => TaskId(0),
    }
}

fn own_stack(event: &Event) -> StackId {
    match event.kind {
        Kind::TaskTransition { stack, .. } => stack,
        _ => StackId(0),
    }
}

fn arguments(listing: &mut Listing, event: &Event, event_type: E, tables: &Tables<'_>) {
    match event.kind {
        Kind::TaskTransition { task, reason, .. } => {
            listing.number("task", task.0);
            if event_type == E::GoStartLabel {
                listing.text("label", reason, tables);
            }
        }
        Kind::Metric { value, .. } => listing.number("value", value),
        Kind::RangeBegin { reason, .. } if event_type == E::GCSTWStart => {
            listing.text("reason", reason, tables);
        }
        Kind::RangeEnd { reason, .. } if event_type == E::GCSTWDone => {
            listing.text("reason", reason, tables);
        }
        Kind::RangeEnd {
            swept_bytes,
            reclaimed_bytes,
            ..
        } if event_type == E::GCSweepDone => {
            listing.number("swept", swept_bytes);
            listing.number("reclaimed", reclaimed_bytes);
        }
        Kind::UserTaskBegin {
            user_task,
            parent,
            name,
        } => {
            listing.number("id", user_task.0);
            listing.number("parent", parent.0);
            listing.text("name", name, tables);
        }
        Kind::UserTaskEnd { user_task, begin } => {
            listing.number("id", user_task.0);
            if let Some(begin) = begin {
                listing.number("parent", begin.parent.0);
                listing.text("name", begin.name, tables);
            }
        }
        Kind::UserRegionBegin { user_task, name } | Kind::UserRegionEnd { user_task, name } => {
            let ends = matches!(event.kind, Kind::UserRegionEnd { .. });
            listing.number("id", user_task.0);
            listing.number("mode", u8::from(ends));
            listing.text("name", name, tables);
        }
        Kind::UserLog {
            user_task,
            key,
            message,
        } => {
            listing.number("id", user_task.0);
            listing.text("key", key, tables);
            listing.text("message", message, tables);
        }
        _ => {}
    }
}
