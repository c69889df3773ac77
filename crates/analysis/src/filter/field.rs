//! What can be asked of records.

use super::{FieldType, RecordKind};

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
    /// When an event happened.
    Time,
    /// The name of its type.
    Type,
    /// Of several traces that which it is of.
    Trace,
    /// The task that changes its state.
    SubjectTask,
    /// The worker that does.
    SubjectWorker,
    /// The state that it leaves.
    From,
    /// The state that it passes to.
    To,
    /// Which range begins or ends.
    Range,
    /// How much a sweep went through.
    SweptBytes,
    /// How much it got back.
    ReclaimedBytes,
    /// What is measured.
    Metric,
    /// What it amounts to.
    Value,
    /// The label that a task gets.
    Label,
    /// The user task that another is a part of.
    Parent,
    /// The key of a log.
    Key,
    /// What is logged.
    Message,
    /// The first argument of an experiment.
    Arg0,
    /// The second one.
    Arg1,
    /// The third one.
    Arg2,
}

/// A field, what it is called, what its values are, and which records have it.
type Row = (Field, &'static str, FieldType, &'static [RecordKind]);

/// All fields.
const ROWS: &[Row] = {
    use FieldType::{Duration, Flag, Number, Text};
    use RecordKind as K;
    const EVENT: &[RecordKind] = &[K::Event];
    const IN_TIME: &[RecordKind] = &[
        K::Task,
        K::Stretch,
        K::Annotation,
        K::Request,
        K::Collection,
    ];
    const WITH_TASK: &[RecordKind] = &[
        K::Task,
        K::Stretch,
        K::Annotation,
        K::Request,
        K::Collection,
        K::Event,
    ];
    const OF_USER_TASKS: &[RecordKind] = &[K::Stretch, K::Annotation, K::Request];
    const WITH_USER_TASK: &[RecordKind] = &[K::Stretch, K::Annotation, K::Request, K::Event];
    const NAMED: &[RecordKind] = &[K::Annotation, K::Request, K::Worker, K::Event];
    const IN_CODE: &[RecordKind] = &[
        K::Annotation,
        K::Finding,
        K::PathPart,
        K::Collection,
        K::Event,
    ];
    const WITH_REASON: &[RecordKind] = &[K::Stretch, K::PathPart, K::Collection, K::Event];
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
        (Field::Task, "task", FieldType::Task, WITH_TASK),
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
            WITH_USER_TASK,
        ),
        (Field::UserTaskName, "user_task.name", Text, OF_USER_TASKS),
        (Field::Name, "name", Text, NAMED),
        (
            Field::Kind,
            "kind",
            Text,
            &[K::Annotation, K::Collection, K::Event],
        ),
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
        (Field::Reason, "reason", Text, WITH_REASON),
        (Field::Duration, "duration", Duration, LASTING),
        (Field::Begin, "begin", Duration, IN_TIME),
        (Field::End, "end", Duration, IN_TIME),
        (
            Field::Worker,
            "worker",
            FieldType::Worker,
            &[K::Stretch, K::Worker, K::Event],
        ),
        (Field::Thread, "thread", Number, &[K::Stretch, K::Event]),
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
        (Field::Time, "time", Duration, EVENT),
        (Field::Type, "type", Text, EVENT),
        (Field::Trace, "trace", Number, EVENT),
        (Field::SubjectTask, "subject_task", FieldType::Task, EVENT),
        (
            Field::SubjectWorker,
            "subject_worker",
            FieldType::Worker,
            EVENT,
        ),
        (Field::From, "from", Text, EVENT),
        (Field::To, "to", Text, EVENT),
        (Field::Range, "range", Text, EVENT),
        (Field::SweptBytes, "swept_bytes", Number, EVENT),
        (Field::ReclaimedBytes, "reclaimed_bytes", Number, EVENT),
        (Field::Metric, "metric", Text, EVENT),
        (Field::Value, "value", Number, EVENT),
        (Field::Label, "label", Text, EVENT),
        (Field::Parent, "parent", FieldType::UserTask, EVENT),
        (Field::Key, "key", Text, EVENT),
        (Field::Message, "message", Text, EVENT),
        (Field::Arg0, "arg0", Number, EVENT),
        (Field::Arg1, "arg1", Number, EVENT),
        (Field::Arg2, "arg2", Number, EVENT),
    ]
};

impl Field {
    /// All fields.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|(field, ..)| *field)
    }

    /// The field of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::all().find(|field| field.name() == name)
    }

    /// Whether records of a kind have it.
    pub(super) fn is_of(self, kind: RecordKind) -> bool {
        self.row().3.contains(&kind)
    }

    /// Whether it names something of one trace, and anything or nothing in another.
    #[must_use]
    pub fn is_id(self) -> bool {
        use FieldType as T;
        matches!(self.value_type(), T::Task | T::UserTask | T::Worker) || self == Self::Thread
    }

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
