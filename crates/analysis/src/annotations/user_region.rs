//! User regions.

use exectrace_reader::{StringId, TaskId, Timestamp};

use super::{Moment, UserTaskPlace};

/// The place of a region among those of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserRegionPlace(pub usize);

/// A region of a task: what of it is in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserRegion {
    /// Its name.
    pub name: StringId,
    /// The user task that it belongs to, if to any.
    pub user_task: Option<UserTaskPlace>,
    /// The task whose it is.
    pub task: TaskId,
    /// The region of the same task that was open when it began.
    pub parent: Option<UserRegionPlace>,
    /// When it began, if not before the trace.
    pub begin: Option<Moment>,
    /// When it was ended, if it was.
    pub end: Option<Moment>,
    /// When its task ended, where that left it open.
    pub task_end: Option<Timestamp>,
}
