//! Which tasks an analysis tells of.

use exectrace_reader::{TaskId, UserTaskId};

use crate::Filter;

/// Which tasks an analysis tells of: those that pass all that is asked for; all, if nothing is.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// Only tasks that run this function.
    pub group: Option<String>,
    /// Only this task.
    pub task: Option<TaskId>,
    /// Only what tasks did for these user tasks, or for children of theirs.
    pub user_task: Option<UserTaskChoice>,
    /// Only these stretches of what tasks did: a filter for [`RecordKind::Stretch`](crate::RecordKind::Stretch).
    pub filter: Filter,
}

/// One user task, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserTaskChoice {
    /// This one.
    Id(UserTaskId),
    /// All of this name.
    Named(String),
}
