//! What rows are made of, as filters see it.

use exectrace_analysis::{Field, Id, Record, RecordKind, Value, state_word};
use exectrace_reader::{State, WorkerId};

use crate::timeline::user_tasks::UserTaskRow;
use crate::timeline::{RegionNote, Timeline};
use crate::track::{Drawn, STATES, Shade};

/// The row that an interval stands on.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntervalRow {
    /// Of a life.
    Task(u32),
    Worker(i64),
    Thread(u64),
}

/// What a filter can ask of an interval: what profiles tell of it, as far as its row does. All rows are gone through interval by
/// interval, so nothing is looked up on others.
#[derive(Clone, Copy)]
pub(super) struct IntervalRecord<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) row: IntervalRow,
    pub(super) drawn: Drawn,
    /// The one before it on the row.
    pub(super) before: Option<Drawn>,
}

impl<'a> IntervalRecord<'a> {
    fn life(&self) -> u32 {
        match self.row {
            IntervalRow::Task(life) => life,
            // An interval of a worker or thread is one of the task that ran.
            IntervalRow::Worker(_) | IntervalRow::Thread(_) => self.drawn.cause,
        }
    }

    /// The worker that it began on; `None` where the row does not tell it.
    fn worker(&self) -> Option<i64> {
        match self.row {
            IntervalRow::Worker(worker) => Some(worker),
            IntervalRow::Thread(_) => None,
            IntervalRow::Task(_) if self.drawn.shade == Shade::Running => worker(&self.drawn),
            // A task waits where it ran.
            IntervalRow::Task(_) => {
                let ran = self.before?;
                worker(&ran).filter(|_| ran.end_ns == self.drawn.begin_ns)
            }
        }
    }

    fn is_open_left(&self) -> Option<bool> {
        let IntervalRow::Task(life) = self.row else {
            return None;
        };
        let task = self.timeline.tasks.get(life)?;
        Some(self.drawn.index == 0 && !task.is_created())
    }

    fn is_open_right(&self) -> Option<bool> {
        let IntervalRow::Task(life) = self.row else {
            return None;
        };
        let task = self.timeline.tasks.get(life)?;
        let count = self.timeline.tasks.intervals(life).len();
        Some(self.drawn.index + 1 == count && !task.has_ended())
    }

    /// What runs on a worker or a thread waits for nothing.
    fn reason(&self) -> Value<'a> {
        let reason = match self.row {
            IntervalRow::Task(_) => self.timeline.causes.reason(self.drawn.cause),
            IntervalRow::Worker(_) | IntervalRow::Thread(_) => "",
        };
        Value::Text(reason.as_bytes())
    }
}

/// The worker that a task ran on.
fn worker(ran: &Drawn) -> Option<i64> {
    let worker = ran.other.checked_sub(1)?;
    (ran.shade == Shade::Running).then_some(i64::from(worker))
}

impl Record for IntervalRecord<'_> {
    const KIND: RecordKind = RecordKind::Stretch;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        match field {
            Field::State => Some(Value::Text(word(self.drawn.shade).as_bytes())),
            Field::Reason => Some(self.reason()),
            Field::Worker => {
                let worker = WorkerId(self.worker()?);
                Some(Value::Id(Id::Worker(worker)))
            }
            Field::Thread => match self.row {
                IntervalRow::Thread(thread) => Some(Value::Number(thread)),
                _ => None,
            },
            Field::IsOpenLeft => self.is_open_left().map(Value::Flag),
            Field::IsOpenRight => self.is_open_right().map(Value::Flag),
            _ => of_time(&self.drawn, field).or_else(|| of_life(self.timeline, self.life(), field)),
        }
    }
}

/// What a filter can ask of a task as a whole.
pub(super) struct LifeRecord<'a> {
    timeline: &'a Timeline,
    life: u32,
    /// From its first interval to its last.
    drawn: Option<Drawn>,
    /// The time in each state.
    ns: [u64; STATES],
}

impl<'a> LifeRecord<'a> {
    pub(super) fn of(timeline: &'a Timeline, life: u32) -> Self {
        let mut ns = [0; STATES];
        let mut drawn: Option<Drawn> = None;
        for interval in timeline.tasks.intervals(life).iter() {
            ns[interval.shade.place()] += interval.ns();
            drawn.get_or_insert(interval).end_ns = interval.end_ns;
        }
        Self {
            timeline,
            life,
            drawn,
            ns,
        }
    }
}

impl Record for LifeRecord<'_> {
    const KIND: RecordKind = RecordKind::Task;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let task = self.timeline.tasks.get(self.life)?;
        let time = |shade: Shade| Some(Value::Ns(signed(self.ns[shade.place()])));
        match field {
            Field::Running => time(Shade::Running),
            Field::Runnable => time(Shade::Runnable),
            Field::Blocked => time(Shade::Waiting),
            Field::Syscall => time(Shade::Syscall),
            Field::Unknown => time(Shade::Undetermined),
            Field::IsCreated => Some(Value::Flag(task.is_created())),
            Field::HasEnded => Some(Value::Flag(task.has_ended())),
            _ => {
                let of_time = self.drawn.as_ref().and_then(|drawn| of_time(drawn, field));
                of_time.or_else(|| of_life(self.timeline, self.life, field))
            }
        }
    }
}

/// What a filter can ask of a user task.
pub(super) struct UserTaskRecord<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) row: &'a UserTaskRow,
    pub(super) drawn: &'a Drawn,
}

impl Record for UserTaskRecord<'_> {
    const KIND: RecordKind = RecordKind::Annotation;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let row = self.row;
        match field {
            Field::Kind => Some(Value::Text(b"user_task")),
            Field::Name => name(self.timeline, row),
            Field::Task => (row.task.0 != 0).then_some(Value::Id(Id::Task(row.task))),
            Field::IsOpenLeft => Some(Value::Flag(!row.has_begun)),
            Field::IsOpenRight => Some(Value::Flag(row.end_ns.is_none())),
            _ => of_time(self.drawn, field).or_else(|| of_user_task(self.timeline, row, field)),
        }
    }
}

/// What a filter can ask of a user region.
pub(super) struct RegionRecord<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) life: u32,
    pub(super) drawn: &'a Drawn,
}

impl Record for RegionRecord<'_> {
    const KIND: RecordKind = RecordKind::Annotation;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let (timeline, note) = (self.timeline, RegionNote::of(self.drawn));
        let causes = &timeline.causes;
        let is_cut_left = note.is_cut && self.drawn.begin_ns == 0;
        match field {
            Field::Kind => Some(Value::Text(b"region")),
            Field::Name => Some(Value::Text(causes.reason(self.drawn.cause).as_bytes())),
            Field::Task => of_life(timeline, self.life, field),
            Field::Function => {
                let stacks = [
                    causes.stack(self.drawn.cause),
                    causes.writer_stack(self.drawn.cause),
                ];
                let frame = stacks.into_iter().find_map(<[_]>::first);
                let function = frame.map_or("", |frame| frame.function.as_str());
                Some(Value::Text(function.as_bytes()))
            }
            Field::IsOpenLeft => Some(Value::Flag(is_cut_left)),
            Field::IsOpenRight => Some(Value::Flag(note.is_cut && !is_cut_left)),
            _ => of_time(self.drawn, field).or_else(|| {
                let row = timeline.user_tasks.rows.get(note.user_task? as usize)?;
                of_user_task(timeline, row, field)
            }),
        }
    }
}

/// What there is to ask of a time.
fn of_time(drawn: &Drawn, field: Field) -> Option<Value<'static>> {
    let ns = match field {
        Field::Duration => drawn.ns(),
        Field::Begin => drawn.begin_ns,
        Field::End => drawn.end_ns,
        _ => return None,
    };
    Some(Value::Ns(signed(ns)))
}

/// What there is to ask of a task.
fn of_life(timeline: &Timeline, life: u32, field: Field) -> Option<Value<'_>> {
    match field {
        Field::Task => Some(Value::Id(Id::Task(timeline.tasks.get(life)?.id))),
        Field::TaskFunction => Some(Value::Text(timeline.name_of(life).as_bytes())),
        _ => None,
    }
}

/// What there is to ask of the user task of something.
fn of_user_task<'a>(timeline: &'a Timeline, row: &UserTaskRow, field: Field) -> Option<Value<'a>> {
    match field {
        Field::UserTask => Some(Value::Id(Id::UserTask(row.id))),
        Field::UserTaskName => name(timeline, row),
        _ => None,
    }
}

/// What a user task is called, if that is told.
fn name<'a>(timeline: &'a Timeline, row: &UserTaskRow) -> Option<Value<'a>> {
    let name = &timeline.user_tasks.names.get(row.name as usize)?.name;
    let is_told = row.has_begun || !name.is_empty();
    is_told.then_some(Value::Text(name.as_bytes()))
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// What filters call a state.
fn word(shade: Shade) -> &'static str {
    state_word(match shade {
        Shade::Running => State::Running,
        Shade::Runnable => State::Runnable,
        Shade::Waiting => State::Waiting,
        Shade::Syscall => State::Syscall,
        Shade::Undetermined | Shade::Open => State::Undetermined,
    })
}
