//! Stretches of time and CPU samples, as filters see them.

use exectrace_reader::{
    Event, State, StringId, Tables, TaskId, ThreadId, Timestamp, UserTaskId, WorkerId,
};

use crate::{Context, Field, Id, Interval, LifeId, Record, RecordKind, Value, state_word};

/// What profiles count: a state of a task, or a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) task: TaskId,
    /// `None` if the trace has told nothing of the task yet.
    pub(crate) life: Option<LifeId>,
    pub(crate) state: State,
    pub(crate) reason: StringId,
    pub(crate) begin: Timestamp,
    /// When it ended; `None` of a sample, which is a moment.
    pub(crate) end: Option<Timestamp>,
    /// Where it began.
    pub(crate) worker: WorkerId,
    pub(crate) thread: ThreadId,
    pub(crate) is_open_left: bool,
    pub(crate) is_open_right: bool,
}

impl Stretch {
    /// A sample.
    pub(crate) fn sample(event: &Event, context: &Context<'_>) -> Self {
        Self {
            task: event.task,
            life: context.life,
            state: State::Running,
            reason: StringId(0),
            begin: event.time,
            end: None,
            worker: event.worker,
            thread: event.thread,
            is_open_left: false,
            is_open_right: false,
        }
    }

    /// A state of a task.
    pub(crate) fn of(interval: &Interval) -> Self {
        Self {
            task: interval.task,
            life: Some(interval.life),
            state: interval.state,
            reason: interval.reason,
            begin: interval.begin.time,
            end: Some(interval.end.time),
            worker: interval.begin.worker,
            thread: interval.begin.thread,
            is_open_left: interval.is_open_left,
            is_open_right: interval.is_open_right,
        }
    }
}

/// What a filter can ask of a stretch.
#[derive(Clone, Copy)]
pub(crate) struct StretchRecord<'a> {
    pub(crate) stretch: &'a Stretch,
    pub(crate) works_for: WorksFor,
    pub(crate) context: &'a Context<'a>,
}

/// For whom a task worked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorksFor {
    /// 0 if for nobody.
    pub(crate) user_task: UserTaskId,
    /// `None` if the trace does not tell it.
    pub(crate) name: Option<StringId>,
}

impl<'a> StretchRecord<'a> {
    /// What the task runs, as far as is known by now.
    pub(crate) fn function(&self) -> Option<&'a [u8]> {
        let (life, tables): (_, &'a Tables<'a>) = (self.stretch.life?, self.context.tables);
        let function = self.context.lives[life].function(tables);
        (function != StringId(0)).then(|| tables.string(function))
    }
}

impl Record for StretchRecord<'_> {
    const KIND: RecordKind = RecordKind::Stretch;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let (it, begin) = (self.stretch, self.context.begin);
        let text = |id| Value::Text(self.context.tables.string(id));
        match field {
            Field::Task => Some(Value::Id(Id::Task(it.task))),
            Field::TaskFunction => Some(Value::Text(self.function().unwrap_or_default())),
            Field::UserTask => {
                let user_task = self.works_for.user_task;
                (user_task != UserTaskId(0)).then_some(Value::Id(Id::UserTask(user_task)))
            }
            Field::UserTaskName => self.works_for.name.map(text),
            Field::State => Some(Value::Text(state_word(it.state).as_bytes())),
            Field::Reason => Some(text(it.reason)),
            Field::Duration => it.end.map(|end| Value::Ns(end.since_ns(it.begin))),
            Field::Begin => Some(Value::Ns(it.begin.since_ns(begin))),
            Field::End => it.end.map(|end| Value::Ns(end.since_ns(begin))),
            Field::Worker => {
                (it.worker != WorkerId::NONE).then_some(Value::Id(Id::Worker(it.worker)))
            }
            Field::Thread => (it.thread != ThreadId::NONE).then_some(Value::Number(it.thread.0)),
            Field::IsOpenLeft => Some(Value::Flag(it.is_open_left)),
            Field::IsOpenRight => Some(Value::Flag(it.is_open_right)),
            _ => None,
        }
    }
}
