//! When something was annotated, and where.

use exectrace_reader::{Event, StackId, TaskId, Timestamp};

/// When something of the program's author happened, and where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moment {
    /// When.
    pub time: Timestamp,
    /// The task that did it; 0 for none.
    pub task: TaskId,
    /// Its stack; 0 if none is told.
    pub stack: StackId,
}

impl Moment {
    pub(crate) const fn of(event: &Event) -> Self {
        Self {
            time: event.time,
            task: event.task,
            stack: event.stack,
        }
    }
}
