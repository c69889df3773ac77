//! The creation of a task.

use exectrace_reader::{Event, Kind, State, TaskId};

use crate::{Context, LifeId};

/// The creation of a task by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Creation {
    pub(crate) task: TaskId,
    pub(crate) life: LifeId,
    pub(crate) creator: TaskId,
}

impl Creation {
    /// The creation that an event tells of; `None` if it tells of none, or not by whom.
    pub(crate) fn of(event: &Event, context: &Context<'_>) -> Option<Self> {
        match event.kind {
            Kind::TaskTransition {
                task,
                from: State::NotExist,
                ..
            } if event.task != TaskId(0) => Some(Self {
                task,
                life: context.life?,
                creator: event.task,
            }),
            _ => None,
        }
    }
}
