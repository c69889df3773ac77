//! Events of format v2 in the words of Go's reader.

use exectrace_format::role::{Metric, Range, State};
use exectrace_format::{StringId, TaskId, UserTaskId, WorkerId};
use exectrace_reader::{Event, EventType, Kind, Tables};

use crate::listing::Listing;

/// Writes the line of an event.
pub(crate) fn write(listing: &mut Listing, event: &Event, tables: &Tables<'_>) {
    listing.begin(event, kind_name(&event.kind));
    listing.number("g", task_number(event.task));
    listing.number("p", event.worker.0);
    listing.number("m", event.thread.0 as i64);
    match event.kind {
        Kind::TaskTransition { .. } | Kind::WorkerTransition { .. } => {
            transition(listing, event, tables);
        }
        Kind::RangeBegin { .. } | Kind::RangeActive { .. } | Kind::RangeEnd { .. } => {
            range_details(listing, event, tables);
        }
        Kind::Metric { metric, value } => {
            listing.word("name", metric_name(metric));
            listing.number("value", value);
        }
        Kind::Label { label } => {
            listing.number("of_g", task_number(event.task));
            listing.text("label", label, tables);
        }
        Kind::UserTaskBegin {
            user_task,
            parent,
            name,
        } => user_task_line(listing, user_task, parent, name, tables),
        Kind::UserTaskEnd { user_task, begin } => {
            let (parent, name) = begin
                .map(|begin| (begin.parent, begin.name))
                .unwrap_or_default();
            user_task_line(listing, user_task, parent, name, tables);
        }
        Kind::UserRegionBegin { user_task, name } | Kind::UserRegionEnd { user_task, name } => {
            listing.number("id", user_task.0);
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
        Kind::Experiment { args } => experiment(listing, event.event_type, &args),
        _ => {}
    }
    listing.stack("stack", event.stack, tables);
}

fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Sync => "Sync",
        Kind::TaskTransition { .. } | Kind::WorkerTransition { .. } => "StateTransition",
        Kind::RangeBegin { .. } => "RangeBegin",
        Kind::RangeActive { .. } => "RangeActive",
        Kind::RangeEnd { .. } => "RangeEnd",
        Kind::Metric { .. } => "Metric",
        Kind::Label { .. } => "Label",
        Kind::Sample => "StackSample",
        Kind::UserTaskBegin { .. } => "TaskBegin",
        Kind::UserTaskEnd { .. } => "TaskEnd",
        Kind::UserRegionBegin { .. } => "RegionBegin",
        Kind::UserRegionEnd { .. } => "RegionEnd",
        Kind::UserLog { .. } => "Log",
        Kind::Experiment { .. } => "Experimental",
        _ => "no kind of format v2",
    }
}

/// A task's id as Go tells it: -1 for none.
fn task_number(task: TaskId) -> i64 {
    if task.0 == 0 { -1 } else { task.0 as i64 }
}

fn transition(listing: &mut Listing, event: &Event, tables: &Tables<'_>) {
    match event.kind {
        Kind::TaskTransition {
            task,
            from,
            to,
            reason,
            stack,
        } => {
            listing.number("of_g", task.0 as i64);
            listing.word("from", state_name(from));
            listing.word("to", state_name(to));
            if !tables.string(reason).is_empty() {
                listing.text("reason", reason, tables);
            }
            listing.stack("its", stack, tables);
        }
        Kind::WorkerTransition { worker, from, to } => {
            listing.number("of_p", worker.0);
            listing.word("from", state_name(from));
            listing.word("to", state_name(to));
        }
        _ => {}
    }
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Undetermined => "Undetermined",
        State::NotExist => "NotExist",
        State::Runnable => "Runnable",
        State::Running => "Running",
        State::Waiting => "Waiting",
        State::Syscall => "Syscall",
        State::Idle => "Idle",
    }
}

fn range_details(listing: &mut Listing, event: &Event, tables: &Tables<'_>) {
    let (range, reason, task, worker) = match event.kind {
        Kind::RangeActive {
            range,
            task,
            worker,
        } => (range, StringId(0), task, worker),
        Kind::RangeBegin { range, reason } | Kind::RangeEnd { range, reason, .. } => {
            (range, reason, event.task, event.worker)
        }
        _ => return,
    };
    match range {
        Range::Gc => listing.bytes("name", b"GC concurrent mark phase"),
        Range::Sweep => listing.bytes("name", b"GC incremental sweep"),
        Range::MarkAssist => listing.bytes("name", b"GC mark assist"),
        Range::StopTheWorld => {
            let name = [b"stop-the-world (", tables.string(reason), b")"].concat();
            listing.bytes("name", &name);
        }
    }
    range_scope(listing, range, task, worker);
    if let Kind::RangeEnd {
        range: Range::Sweep,
        swept_bytes,
        reclaimed_bytes,
        ..
    } = event.kind
    {
        listing.number("bytes_swept", swept_bytes);
        listing.number("bytes_reclaimed", reclaimed_bytes);
    }
}

fn range_scope(listing: &mut Listing, range: Range, task: TaskId, worker: WorkerId) {
    match range {
        Range::Gc => {}
        Range::Sweep => listing.number("of_p", worker.0),
        Range::MarkAssist | Range::StopTheWorld => listing.number("of_g", task_number(task)),
    }
}

fn metric_name(metric: Metric) -> &'static str {
    match metric {
        Metric::Workers => "/sched/gomaxprocs:threads",
        Metric::HeapLive => "/memory/classes/heap/objects:bytes",
        Metric::HeapGoal => "/gc/heap/goal:bytes",
    }
}

fn user_task_line(
    listing: &mut Listing,
    user_task: UserTaskId,
    parent: UserTaskId,
    name: StringId,
    tables: &Tables<'_>,
) {
    listing.number("id", user_task.0);
    // Go's number for no parent is the largest one.
    let parent = if parent.0 == 0 { -1 } else { parent.0 as i64 };
    listing.number("parent", parent);
    listing.text("name", name, tables);
}

fn experiment(listing: &mut Listing, event_type: EventType, args: &[u64]) {
    let EventType::V2(event_type) = event_type else {
        return;
    };
    let spec = event_type.spec();
    listing.word("name", spec.name);
    for (index, value) in args.iter().take(spec.args.len()).enumerate() {
        listing.number(&format!("arg{index}"), value);
    }
}
