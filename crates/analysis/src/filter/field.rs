//! What can be asked of records.

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// Tasks: Go's goroutines.
    Task,
}

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
    /// Whether something is so.
    Flag,
}

/// Something that can be asked of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The task.
    Task,
    /// The function that the task runs.
    TaskFunction,
    /// How long it lasted.
    Duration,
    /// When it began.
    Begin,
    /// When it ended.
    End,
    /// How long it ran.
    Running,
    /// How long it waited for a worker.
    Runnable,
    /// How long it was blocked, for whatever reason.
    Blocked,
    /// How long it was in system calls that blocked.
    Syscall,
    /// How long nobody knows what it did.
    Unknown,
    /// Whether its creation is in the trace.
    IsCreated,
    /// Whether its end is in the trace.
    HasEnded,
}

/// A field, what it is called, what its values are, and which records have it.
type Row = (Field, &'static str, FieldType, &'static [RecordKind]);

/// All fields.
const ROWS: &[Row] = {
    use FieldType::{Duration, Flag, Text};
    use RecordKind::Task;
    &[
        (Field::Task, "task", FieldType::Task, &[Task]),
        (Field::TaskFunction, "task.function", Text, &[Task]),
        (Field::Duration, "duration", Duration, &[Task]),
        (Field::Begin, "begin", Duration, &[Task]),
        (Field::End, "end", Duration, &[Task]),
        (Field::Running, "running", Duration, &[Task]),
        (Field::Runnable, "runnable", Duration, &[Task]),
        (Field::Blocked, "blocked", Duration, &[Task]),
        (Field::Syscall, "syscall", Duration, &[Task]),
        (Field::Unknown, "unknown", Duration, &[Task]),
        (Field::IsCreated, "is_created", Flag, &[Task]),
        (Field::HasEnded, "has_ended", Flag, &[Task]),
    ]
};

impl RecordKind {
    /// What such records are called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Task => "tasks",
        }
    }

    /// The fields of such records.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        let rows = ROWS
            .iter()
            .filter(move |(_, _, _, kinds)| kinds.contains(&self));
        rows.map(|(field, ..)| *field)
    }

    /// The field that such records have by this name.
    pub(super) fn field(self, name: &str) -> Option<Field> {
        self.fields().find(|field| field.name() == name)
    }
}

impl Field {
    /// What it is called in filters.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What its values are.
    #[must_use]
    pub fn value_type(self) -> FieldType {
        self.row().2
    }

    fn row(self) -> &'static Row {
        let row = ROWS.iter().find(|(field, ..)| *field == self);
        row.expect("each field has a row")
    }
}

impl FieldType {
    /// What such values are called, and how one is written.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Text => r#"a text, such as "main.main""#,
            Self::Duration => "a duration, such as 50ms",
            Self::Task => "a task, such as task:7",
            Self::Flag => "true or false",
        }
    }

    /// Whether its values are less or more than each other.
    pub(super) const fn has_order(self) -> bool {
        match self {
            Self::Text | Self::Flag => false,
            Self::Duration | Self::Task => true,
        }
    }
}
