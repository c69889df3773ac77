//! Ids as people write them.

use std::fmt;
use std::str::FromStr;

use exectrace_reader::{TaskId, UserTaskId, WorkerId};

/// Something that has an id, as it is printed and given: `task:7`, `user:7`, `worker:2`.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::Id;
/// use exectrace_reader::{TaskId, UserTaskId};
///
/// assert_eq!("task:7".parse(), Ok(Id::Task(TaskId(7))));
/// assert_eq!(Id::UserTask(UserTaskId(7)).to_string(), "user:7");
/// assert!("7".parse::<Id>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// A task: Go's goroutine.
    Task(TaskId),
    /// A user task.
    UserTask(UserTaskId),
    /// A worker: Go's P.
    Worker(WorkerId),
}

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoId;

impl Id {
    /// What the ids of tasks begin with.
    pub(crate) const TASK: &str = "task";
    /// What those of user tasks do.
    pub(crate) const USER_TASK: &str = "user";
    /// What those of workers do.
    pub(crate) const WORKER: &str = "worker";

    /// That of a kind by its word.
    pub(crate) fn of(word: &str, number: u64) -> Option<Self> {
        match word {
            Self::TASK => Some(Self::Task(TaskId(number))),
            Self::USER_TASK => Some(Self::UserTask(UserTaskId(number))),
            Self::WORKER => Some(Self::Worker(WorkerId(i64::try_from(number).ok()?))),
            _ => None,
        }
    }
}

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let (word, number) = text.split_once(':').ok_or(NoId)?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number).ok_or(NoId)?;
        Self::of(word, number).ok_or(NoId)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(task) => write!(f, "{}:{}", Self::TASK, task.0),
            Self::UserTask(user_task) => write!(f, "{}:{}", Self::USER_TASK, user_task.0),
            Self::Worker(worker) => write!(f, "{}:{}", Self::WORKER, worker.0),
        }
    }
}

impl fmt::Display for NoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is no id: ids are written task:7, user:7, worker:2")
    }
}

impl std::error::Error for NoId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        for text in ["task:0", "task:18446744073709551615", "user:7", "worker:2"] {
            let id: Id = text.parse().expect("is an id");
            assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn all_else_is_no_id() {
        for text in [
            "",
            "7",
            "task",
            "task:",
            "task: 7",
            "task:+7",
            "task:-7",
            "task:7x",
            "Task:7",
            "goroutine:7",
            "task:18446744073709551616",
            "worker:9223372036854775808",
        ] {
            assert_eq!(text.parse::<Id>(), Err(NoId), "{text}");
        }
    }
}
