//! What somebody asks about.

use exectrace_reader::Timestamp;

use crate::{Id, LifeId, Window};

/// A task's life or a user task, and from when to when it is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject {
    /// The task or user task.
    pub id: Id,
    /// The function that the task runs, or the user task's name; empty if nothing tells it.
    pub name: String,
    /// When it begins: by itself, or with the trace or the window.
    pub begin: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// It began before.
    pub is_open_left: bool,
    /// It goes on after that.
    pub is_open_right: bool,
    /// How long a garbage collector marked meanwhile, in nanoseconds. Tasks are in some state then, too.
    pub gc_ns: i64,
    /// How long the world was stopped meanwhile.
    pub stopped_ns: i64,
    /// The moment that is asked for.
    pub at: Option<Timestamp>,
    /// The task itself, or the one that ended the user task; else the one that began it. `None` if nobody knows.
    pub(crate) life: Option<LifeId>,
}

impl Subject {
    /// How long it took, in nanoseconds.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }

    /// What of the trace is to be looked at.
    #[must_use]
    pub fn window(&self) -> Window {
        Window::of(Some(self.begin), Some(self.end))
    }
}
