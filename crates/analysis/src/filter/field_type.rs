//! What the values of fields are.

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldType {
    /// Texts, which are equal or not, or contain one another.
    Text,
    /// Durations, and times since the trace began.
    Duration,
    /// Ids of tasks.
    Task,
    /// Ids of user tasks.
    UserTask,
    /// Ids of workers.
    Worker,
    /// How many, and numbers of threads.
    Number,
    /// Parts of a whole.
    Share,
    /// How bad a finding is.
    Severity,
    /// Whether something is so.
    Flag,
}

impl FieldType {
    /// What such values are called, and how one is written.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Text => r#"a text, such as "main.main""#,
            Self::Duration => "a duration, such as 50ms",
            Self::Task => "a task, such as task:7",
            Self::UserTask => "a user task, such as user:7",
            Self::Worker => "a worker, such as worker:2",
            Self::Number => "a number, such as 7",
            Self::Share => "a share, such as 12.5%",
            Self::Severity => r#""low", "medium" or "high""#,
            Self::Flag => "true or false",
        }
    }

    /// Whether its values are less or more than each other.
    pub(super) const fn has_order(self) -> bool {
        !matches!(self, Self::Text | Self::Flag)
    }
}
