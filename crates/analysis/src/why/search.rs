//! Where in a trace a task or a user task is.

use exectrace_reader::{Event, Kind, Range, StringId, TaskId, Timestamp, UserTaskId};

use super::Subject;
use crate::functions::Functions;
use crate::{Analysis, Context, Id, Life, LifeId, Lives};

/// Finds a task or a user task: of several lives of one id the one that lives at a moment, or else the longest.
#[derive(Clone, Debug)]
pub struct SubjectSearch {
    id: Id,
    /// The moment.
    at: Option<Timestamp>,
    user_task: Seen,
    marking: Ranges,
    stopped: Ranges,
}

/// What was seen of the user task.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    name: StringId,
    begin: Option<Moment>,
    end: Option<Moment>,
}

/// When something happened, and who wrote it.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Timestamp,
    task: TaskId,
}

/// Ranges of one kind, which may overlap.
#[derive(Clone, Debug, Default)]
struct Ranges {
    open: u32,
    since: Option<Timestamp>,
    /// Those that ended, joined where they overlap.
    closed: Vec<(Timestamp, Timestamp)>,
}

impl SubjectSearch {
    /// A search for an id, which was there at a moment if one is given.
    #[must_use]
    pub fn new(id: Id, at: Option<Timestamp>) -> Self {
        Self {
            id,
            at,
            user_task: Seen::default(),
            marking: Ranges::default(),
            stopped: Ranges::default(),
        }
    }
}

impl Analysis for SubjectSearch {
    type Report = Option<Subject>;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.take(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.take(event, context);
    }

    fn report(mut self, context: &Context<'_>) -> Option<Subject> {
        let mut subject = match self.id {
            Id::Task(task) => of_task(task, self.at, context)?,
            Id::UserTask(_) => self.of_user_task(context)?,
            Id::Worker(_) => return None,
        };
        for (ranges, ns) in [
            (&mut self.marking, &mut subject.gc_ns),
            (&mut self.stopped, &mut subject.stopped_ns),
        ] {
            ranges.close(context.end);
            *ns = ranges.overlap_ns(subject.begin, subject.end);
        }
        Some(subject)
    }
}

impl SubjectSearch {
    /// What reaches into the window may begin before it and end behind it.
    fn take(&mut self, event: &Event, context: &Context<'_>) {
        let moment = Moment {
            time: event.time,
            task: event.task,
        };
        let is_sought = |user_task: UserTaskId| self.id == Id::UserTask(user_task);
        match event.kind {
            Kind::UserTaskBegin {
                user_task, name, ..
            } if is_sought(user_task) => {
                self.user_task.name = name;
                self.user_task.begin = Some(moment);
            }
            Kind::UserTaskEnd { user_task, begin } if is_sought(user_task) => {
                if let Some(begin) = begin {
                    self.user_task.name = begin.name;
                }
                self.user_task.end.get_or_insert(moment);
            }
            Kind::RangeBegin { range, .. } | Kind::RangeActive { range, .. } => {
                if let Some(ranges) = self.ranges(range) {
                    let is_new = matches!(event.kind, Kind::RangeBegin { .. });
                    ranges.begin(event.time, is_new, context);
                }
            }
            Kind::RangeEnd { range, .. } => {
                if let Some(ranges) = self.ranges(range) {
                    ranges.end(event.time, context);
                }
            }
            _ => {}
        }
    }

    fn ranges(&mut self, range: Range) -> Option<&mut Ranges> {
        match range {
            Range::Gc => Some(&mut self.marking),
            Range::StopTheWorld => Some(&mut self.stopped),
            Range::Sweep | Range::MarkAssist => None,
        }
    }

    fn of_user_task(&self, context: &Context<'_>) -> Option<Subject> {
        let Seen { name, begin, end } = self.user_task;
        let first = begin.or(end)?;
        let whole = (
            begin.map_or(context.begin, |begin| begin.time),
            end.map_or(context.end, |end| end.time),
        );
        let (from, to) = context.window.clip(whole.0, whole.1)?;
        if self.at.is_some_and(|at| at < from || to < at) {
            return None;
        }
        let last = end.unwrap_or(Moment {
            time: to,
            task: first.task,
        });
        Some(Subject {
            id: self.id,
            name: context.tables.text(name).into_owned(),
            begin: from,
            end: to,
            is_open_left: begin.is_none() || whole.0 < from,
            is_open_right: end.is_none() || to < whole.1,
            gc_ns: 0,
            stopped_ns: 0,
            at: self.at,
            life: life_at(context.lives, last).or_else(|| life_at(context.lives, first)),
        })
    }
}

/// A life of the task: the one at the moment, or the longest.
fn of_task(task: TaskId, at: Option<Timestamp>, context: &Context<'_>) -> Option<Subject> {
    let lives = context.lives.iter().filter(|(_, life)| life.task == task);
    let clipped = lives.filter_map(|(id, life)| {
        let (begin, end) = whole(life, context.end);
        let (begin, end) = context.window.clip(begin, end)?;
        let is_there = at.is_none_or(|at| begin <= at && at <= end);
        is_there.then_some((id, life, begin, end))
    });
    // The first of several that are equally long.
    let (id, life, begin, end) =
        clipped.min_by_key(|&(_, _, begin, end)| std::cmp::Reverse(end.since_ns(begin)))?;
    Some(Subject {
        id: Id::Task(task),
        name: Functions::default().of(life, context.tables),
        begin,
        end,
        is_open_left: !life.is_created() || begin > life.begin,
        is_open_right: life.end().is_none_or(|whole| end < whole),
        gc_ns: 0,
        stopped_ns: 0,
        at,
        life: Some(id),
    })
}

fn whole(life: &Life, end: Timestamp) -> (Timestamp, Timestamp) {
    (life.begin, life.end().unwrap_or(end))
}

/// Who a task was at a moment.
fn life_at(lives: &Lives, moment: Moment) -> Option<LifeId> {
    let mut lives = lives.iter().filter(|(_, life)| {
        let has_begun = life.begin <= moment.time;
        life.task == moment.task && has_begun && life.end().is_none_or(|end| moment.time <= end)
    });
    lives.next().map(|(id, _)| id)
}

impl Ranges {
    fn begin(&mut self, now: Timestamp, is_new: bool, context: &Context<'_>) {
        // What is told to be active before it was seen to begin has begun before the trace.
        let begin = if is_new { now } else { context.begin };
        if is_new || self.open == 0 {
            self.open += 1;
        }
        self.since.get_or_insert(begin);
    }

    fn end(&mut self, now: Timestamp, context: &Context<'_>) {
        self.open = self.open.saturating_sub(1);
        if self.open > 0 {
            return;
        }
        let is_first = self.closed.is_empty();
        // One without a begin began before the trace; later ones without are a damaged trace's.
        match self.since.take() {
            Some(since) => self.closed.push((since, now)),
            None if is_first => self.closed.push((context.begin, now)),
            None => {}
        }
    }

    /// The trace ends.
    fn close(&mut self, now: Timestamp) {
        if let Some(since) = self.since.take() {
            self.closed.push((since, now));
        }
    }

    fn overlap_ns(&self, begin: Timestamp, end: Timestamp) -> i64 {
        let overlaps = self.closed.iter().map(|&(from, to)| {
            let overlap = to.min(end).since_ns(from.max(begin));
            overlap.max(0)
        });
        overlaps.sum()
    }
}
