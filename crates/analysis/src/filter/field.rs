//! What can be asked of records.

/// The kinds of records: what a list is made of that an analysis gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// Tasks: Go's goroutines.
    Task,
    /// Stretches of time in which a task did not run, and CPU samples.
    Stretch,
    /// User tasks and regions.
    Annotation,
    /// What a program did for its users: user tasks, or tasks.
    Request,
    /// What cost tasks time.
    Finding,
    /// Parts of the path that a task's time took.
    PathPart,
    /// Workers.
    Worker,
    /// Cycles of a garbage collector, and stops of the world.
    Collection,
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

/// Something that can be asked of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The task.
    Task,
    /// The function that the task runs.
    TaskFunction,
    /// The user task.
    UserTask,
    /// The name of the user task.
    UserTaskName,
    /// What it is called.
    Name,
    /// What it is.
    Kind,
    /// The function that it is about.
    Function,
    /// Which class of finding.
    Class,
    /// How bad it is.
    Severity,
    /// The time that it cost.
    Lost,
    /// The same as a share of the trace's time.
    Share,
    /// How often.
    Count,
    /// What a task did.
    State,
    /// Why.
    Reason,
    /// How long it lasted.
    Duration,
    /// When it began.
    Begin,
    /// When it ended.
    End,
    /// The worker.
    Worker,
    /// The thread.
    Thread,
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
    /// How long it ran tasks.
    Busy,
    /// How long it was on a thread.
    OnThread,
    /// How often it parked.
    Parks,
    /// How often a task started on it.
    Starts,
    /// How many of those came from other workers.
    Steals,
    /// Whether its creation is in the trace.
    IsCreated,
    /// Whether its end is in the trace.
    HasEnded,
    /// Whether it began before what is looked at.
    IsOpenLeft,
    /// Whether it goes on after that.
    IsOpenRight,
    /// Whether it is the task's own.
    IsOwn,
}

/// A field, what it is called, what its values are, and which records have it.
type Row = (Field, &'static str, FieldType, &'static [RecordKind]);

/// All fields.
const ROWS: &[Row] = {
    use FieldType::{Duration, Flag, Number, Text};
    use RecordKind as K;
    const IN_TIME: &[RecordKind] = &[
        K::Task,
        K::Stretch,
        K::Annotation,
        K::Request,
        K::Collection,
    ];
    const OF_USER_TASKS: &[RecordKind] = &[K::Stretch, K::Annotation, K::Request];
    const NAMED: &[RecordKind] = &[K::Annotation, K::Request, K::Worker];
    const IN_CODE: &[RecordKind] = &[K::Annotation, K::Finding, K::PathPart, K::Collection];
    const LASTING: &[RecordKind] = &[
        K::Task,
        K::Stretch,
        K::Annotation,
        K::Request,
        K::PathPart,
        K::Collection,
    ];
    const OPEN: &[RecordKind] = &[K::Stretch, K::Annotation, K::Collection];
    &[
        (Field::Task, "task", FieldType::Task, IN_TIME),
        (
            Field::TaskFunction,
            "task.function",
            Text,
            &[K::Task, K::Stretch],
        ),
        (
            Field::UserTask,
            "user_task",
            FieldType::UserTask,
            OF_USER_TASKS,
        ),
        (Field::UserTaskName, "user_task.name", Text, OF_USER_TASKS),
        (Field::Name, "name", Text, NAMED),
        (Field::Kind, "kind", Text, &[K::Annotation, K::Collection]),
        (Field::Function, "function", Text, IN_CODE),
        (Field::Class, "class", Text, &[K::Finding]),
        (
            Field::Severity,
            "severity",
            FieldType::Severity,
            &[K::Finding],
        ),
        (Field::Lost, "lost", Duration, &[K::Finding]),
        (Field::Share, "share", FieldType::Share, &[K::Finding]),
        (Field::Count, "count", Number, &[K::Finding, K::PathPart]),
        (Field::State, "state", Text, &[K::Stretch, K::PathPart]),
        (
            Field::Reason,
            "reason",
            Text,
            &[K::Stretch, K::PathPart, K::Collection],
        ),
        (Field::Duration, "duration", Duration, LASTING),
        (Field::Begin, "begin", Duration, IN_TIME),
        (Field::End, "end", Duration, IN_TIME),
        (
            Field::Worker,
            "worker",
            FieldType::Worker,
            &[K::Stretch, K::Worker],
        ),
        (Field::Thread, "thread", Number, &[K::Stretch]),
        (Field::Running, "running", Duration, &[K::Task]),
        (Field::Runnable, "runnable", Duration, &[K::Task]),
        (Field::Blocked, "blocked", Duration, &[K::Task]),
        (Field::Syscall, "syscall", Duration, &[K::Task]),
        (Field::Unknown, "unknown", Duration, &[K::Task]),
        (Field::Busy, "busy", Duration, &[K::Worker]),
        (Field::OnThread, "on_thread", Duration, &[K::Worker]),
        (Field::Parks, "parks", Number, &[K::Worker]),
        (Field::Starts, "starts", Number, &[K::Worker]),
        (Field::Steals, "steals", Number, &[K::Worker]),
        (Field::IsCreated, "is_created", Flag, &[K::Task]),
        (Field::HasEnded, "has_ended", Flag, &[K::Task]),
        (Field::IsOpenLeft, "is_open_left", Flag, OPEN),
        (Field::IsOpenRight, "is_open_right", Flag, OPEN),
        (Field::IsOwn, "is_own", Flag, &[K::PathPart]),
    ]
};

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Task,
        Self::Stretch,
        Self::Annotation,
        Self::Request,
        Self::Finding,
        Self::PathPart,
        Self::Worker,
        Self::Collection,
    ];

    /// What such records are called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Task => "tasks",
            Self::Stretch => "stretches of time and samples",
            Self::Annotation => "user tasks and regions",
            Self::Request => "requests",
            Self::Finding => "findings",
            Self::PathPart => "parts of the path",
            Self::Worker => "workers",
            Self::Collection => "cycles and stops",
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
