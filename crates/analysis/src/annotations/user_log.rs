//! Logs.

use exectrace_reader::StringId;

use super::{Moment, UserRegionPlace, UserTaskPlace};

/// A message that the program logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserLog {
    /// When, and where.
    pub moment: Moment,
    /// The user task that it belongs to, if to any.
    pub user_task: Option<UserTaskPlace>,
    /// The innermost region that its task had open.
    pub region: Option<UserRegionPlace>,
    /// Its key.
    pub key: StringId,
    /// The message.
    pub message: StringId,
}
