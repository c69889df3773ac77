//! Ends that end nothing.

use exectrace_reader::StringId;

use super::{Moment, UserTaskPlace};

/// An end without something that it could end: the program has ended it already, or never begun it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrayEnd {
    /// When, and where.
    pub moment: Moment,
    /// What it should end.
    pub ended: Ended,
}

/// What a stray end should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// A user task, which has ended before.
    UserTask(UserTaskPlace),
    /// A region of a user task, or of none, with a name.
    Region(Option<UserTaskPlace>, StringId),
}
