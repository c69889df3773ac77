//! The one model: an event of any version.

use exectrace_format::role::{Metric, Range, State};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId, go_v1, go_v2};

use crate::Timestamp;

/// One event: when, on what, and what happened.
///
/// Ids of strings and stacks are those of the reader's [`Tables`](crate::Tables), the same for the whole trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: Timestamp,
    /// Where in the file its record begins.
    pub offset: u64,
    /// The task that the thread ran just before the event; 0 for none.
    pub task: TaskId,
    /// The worker that the thread had just before the event.
    pub worker: WorkerId,
    /// The thread. Format v1 does not say it.
    pub thread: ThreadId,
    /// The stack of who wrote the event; 0 for none.
    pub stack: StackId,
    /// What the record is called in its format.
    pub event_type: EventType,
    /// What happened.
    pub kind: Kind,
}

/// The type of a record, by format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// Of format v1.
    V1(go_v1::EventType),
    /// Of format v2.
    V2(go_v2::EventType),
    /// There is no record: the reader has inferred that this must have happened before the next event, which it contradicts
    /// otherwise. The offset is that of the next event.
    Inferred,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A generation begins, or the trace ends: all live tasks, workers and threads are about to be told, or were.
    Sync,
    /// A task passes from one state to another; from [`State::Undetermined`] when the trace begins in the middle of its life.
    TaskTransition {
        /// The task.
        task: TaskId,
        /// Its state until now.
        from: State,
        /// Its state from now on.
        to: State,
        /// Why it stops; 0 where nothing is said. Recordings of exectrace, whose programs have no package `sync`, say `receive`,
        /// `send`, `notify` and `yield` where traces of Go say `chan receive`, `chan send`, `sync.(*Cond).Wait` and `runtime.Gosched`.
        reason: StringId,
        /// The task's own stack: where it stops, or the function that a new one will run.
        stack: StackId,
    },
    /// A worker passes from one state to another.
    WorkerTransition {
        /// The worker.
        worker: WorkerId,
        /// Its state until now.
        from: State,
        /// Its state from now on.
        to: State,
    },
    /// The running task enters a system call, of which only a transition says that it blocked (v1).
    SyscallBegin,
    /// The last wake of the running task was for nothing (only old files).
    FutileWakeup,
    /// A range begins.
    RangeBegin {
        /// What kind of range.
        range: Range,
        /// Why the world is stopped; 0 for other ranges.
        reason: StringId,
    },
    /// A range that began before is open.
    RangeActive {
        /// What kind of range.
        range: Range,
        /// The task in whose name, if it is a task's.
        task: TaskId,
        /// The worker, if it is a worker's.
        worker: WorkerId,
    },
    /// A range ends.
    RangeEnd {
        /// What kind of range.
        range: Range,
        /// Why the world was stopped; 0 for other ranges.
        reason: StringId,
        /// What was swept.
        swept_bytes: u64,
        /// What of it was got back.
        reclaimed_bytes: u64,
    },
    /// A measured value.
    Metric {
        /// Of what.
        metric: Metric,
        /// The value.
        value: u64,
    },
    /// The running task gets a label.
    Label {
        /// The label.
        label: StringId,
    },
    /// One observation of the CPU profile; the event's own task, worker, thread and stack are its.
    Sample,
    /// A user task begins.
    UserTaskBegin {
        /// The user task.
        user_task: UserTaskId,
        /// Its parent; 0 for none.
        parent: UserTaskId,
        /// Its name.
        name: StringId,
    },
    /// A user task ends.
    UserTaskEnd {
        /// The user task.
        user_task: UserTaskId,
        /// As in its begin; `None` when that is not in the trace.
        begin: Option<UserTaskBegin>,
    },
    /// A user region begins.
    UserRegionBegin {
        /// The user task that it belongs to; 0 for none.
        user_task: UserTaskId,
        /// Its name.
        name: StringId,
    },
    /// A user region ends.
    UserRegionEnd {
        /// The user task that it belongs to; 0 for none.
        user_task: UserTaskId,
        /// Its name.
        name: StringId,
    },
    /// The program logs a message.
    UserLog {
        /// The user task that it belongs to; 0 for none.
        user_task: UserTaskId,
        /// The key, or category.
        key: StringId,
        /// The message.
        message: StringId,
    },
    /// Something of an experiment, with its arguments as they are.
    Experiment {
        /// The arguments.
        args: [u64; 3],
    },
}

/// How a user task began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserTaskBegin {
    /// Its parent; 0 for none.
    pub parent: UserTaskId,
    /// Its name.
    pub name: StringId,
}

impl Event {
    /// An event that says nothing yet.
    pub(crate) const fn blank(event_type: EventType) -> Self {
        Self {
            time: Timestamp(0),
            offset: 0,
            task: TaskId(0),
            worker: WorkerId::NONE,
            thread: ThreadId::NONE,
            stack: StackId(0),
            event_type,
            kind: Kind::Sync,
        }
    }
}

impl EventType {
    /// The name in Go's sources; `Inferred` for what has no record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V1(event_type) => event_type.spec().name,
            Self::V2(event_type) => event_type.spec().name,
            Self::Inferred => "Inferred",
        }
    }
}

impl Kind {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 17] = [
        "Sync",
        "TaskTransition",
        "WorkerTransition",
        "SyscallBegin",
        "FutileWakeup",
        "RangeBegin",
        "RangeActive",
        "RangeEnd",
        "Metric",
        "Label",
        "Sample",
        "UserTaskBegin",
        "UserTaskEnd",
        "UserRegionBegin",
        "UserRegionEnd",
        "UserLog",
        "Experiment",
    ];

    /// The name of the kind, which is that of the variant.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sync => "Sync",
            Self::TaskTransition { .. } => "TaskTransition",
            Self::WorkerTransition { .. } => "WorkerTransition",
            Self::SyscallBegin => "SyscallBegin",
            Self::FutileWakeup => "FutileWakeup",
            Self::RangeBegin { .. } => "RangeBegin",
            Self::RangeActive { .. } => "RangeActive",
            Self::RangeEnd { .. } => "RangeEnd",
            Self::Metric { .. } => "Metric",
            Self::Label { .. } => "Label",
            Self::Sample => "Sample",
            Self::UserTaskBegin { .. } => "UserTaskBegin",
            Self::UserTaskEnd { .. } => "UserTaskEnd",
            Self::UserRegionBegin { .. } => "UserRegionBegin",
            Self::UserRegionEnd { .. } => "UserRegionEnd",
            Self::UserLog { .. } => "UserLog",
            Self::Experiment { .. } => "Experiment",
        }
    }
}
