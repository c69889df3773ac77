//! User tasks.

use exectrace_reader::{StringId, UserTaskId};

use super::Moment;

/// The place of a user task among those of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserTaskPlace(pub usize);

/// A user task: what of it is in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserTask {
    /// Its id.
    pub id: UserTaskId,
    /// Its name; 0 if the trace does not tell it, as of one that began before.
    pub name: StringId,
    /// The user task that it is a part of.
    pub parent: Option<UserTaskPlace>,
    /// When it began, if not before the trace.
    pub begin: Option<Moment>,
    /// When it ended, if it has.
    pub end: Option<Moment>,
}

impl UserTask {
    /// One that is only spoken of.
    pub(super) const fn new(id: UserTaskId) -> Self {
        Self {
            id,
            name: StringId(0),
            parent: None,
            begin: None,
            end: None,
        }
    }
}
