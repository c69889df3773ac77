//! Stretches of tasks' lives.

use exectrace_reader::{Event, StackId, State, StringId, TaskId, ThreadId, Timestamp, WorkerId};

use crate::LifeId;

/// A stretch of a task's life in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interval {
    /// Whose life.
    pub life: LifeId,
    /// The task.
    pub task: TaskId,
    /// The state.
    pub state: State,
    /// Why the task is in it, if that is told.
    pub reason: StringId,
    /// What began it.
    pub begin: Edge,
    /// What ended it.
    pub end: Edge,
    /// Its begin is not known, or lies before the window: it is longer than it seems.
    pub is_open_left: bool,
    /// Its end is not known, or lies behind the window.
    pub is_open_right: bool,
}

/// Where one state of a task passes into another: who said so, and where it was.
///
/// Where a window cuts an interval its edges keep what they say, but for the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edge {
    /// When.
    pub time: Timestamp,
    /// The task that wrote the event: of a wake the one that woke; 0 for none, as when a timer or the network did.
    pub writer: TaskId,
    /// The writer's worker.
    pub worker: WorkerId,
    /// The writer's thread, where the format says it.
    pub thread: ThreadId,
    /// The writer's stack; 0 for none.
    pub writer_stack: StackId,
    /// The task's own stack; 0 for none.
    pub stack: StackId,
}

impl Interval {
    /// How long it is, in nanoseconds.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.end.time.since_ns(self.begin.time)
    }
}

impl Edge {
    /// A time of which nothing else is known.
    pub(crate) const fn at(time: Timestamp) -> Self {
        Self {
            time,
            writer: TaskId(0),
            worker: WorkerId::NONE,
            thread: ThreadId::NONE,
            writer_stack: StackId(0),
            stack: StackId(0),
        }
    }

    /// What an event says; `stack` is the task's own.
    pub(crate) const fn of(event: &Event, stack: StackId) -> Self {
        Self {
            time: event.time,
            writer: event.task,
            worker: event.worker,
            thread: event.thread,
            writer_stack: event.stack,
            stack,
        }
    }
}
