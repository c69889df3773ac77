//! The one pass over a trace.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use exectrace_reader::{
    Description, Event, Kind, StackId, State, StringId, Tables, TaskId, Timestamp,
};

use crate::key_hasher::BuildKeyHasher;
use crate::lives::Life;
use crate::{Analysis, Context, Edge, Interval, LifeId, Lives, Threads, Window};

/// Takes the events of a trace, follows each task's states, and feeds an analysis with both.
///
/// # Examples
///
/// How long something ran:
///
/// ```
/// use exectrace_analysis::{Analysis, Context, Interval, Pass, Window};
/// use exectrace_reader::{Reader, State};
///
/// #[derive(Default)]
/// struct RunningTime(i64);
///
/// impl Analysis for RunningTime {
///     type Report = i64;
///
///     fn interval(&mut self, interval: &Interval, _: &Context<'_>) {
///         if interval.state == State::Running {
///             self.0 += interval.ns();
///         }
///     }
///
///     fn report(self, _: &Context<'_>) -> i64 {
///         self.0
///     }
/// }
///
/// # let file = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=0 ticks=1000
/// #     Frequency ticks_per_second=1000000000
/// #     ProcStart dt=1 thread=7
/// #     GoCreate dt=4 task=1
/// #     GoStart dt=5 task=1 seq=1
/// #     GoBlockRecv dt=20").unwrap();
/// let mut reader = Reader::tolerant(&file)?;
/// let mut pass = Pass::new(Window::WHOLE, RunningTime::default());
/// while let Some(event) = reader.next() {
///     pass.event(&event?, reader.tables());
/// }
/// assert_eq!(pass.report(reader.tables()), 20);
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pass<A> {
    analysis: A,
    window: Window,
    begin: Option<Timestamp>,
    end: Timestamp,
    lives: Lives,
    threads: Threads,
    description: Description,
    /// The tasks that live.
    open: HashMap<u64, Open, BuildKeyHasher>,
}

/// A state that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    life: LifeId,
    /// What is looked at with each event stands here, too: lives lie far apart.
    life_begin: Timestamp,
    has_stack: bool,
    state: State,
    reason: StringId,
    begin: Edge,
    is_open_left: bool,
}

impl<A: Analysis> Pass<A> {
    /// A pass that looks at a window of a trace.
    #[must_use]
    pub fn new(window: Window, analysis: A) -> Self {
        Self {
            analysis,
            window,
            begin: None,
            end: Timestamp(0),
            lives: Lives::default(),
            threads: Threads::default(),
            description: Description::default(),
            open: HashMap::default(),
        }
    }

    /// Takes the next event of a reader; `tables` are that reader's.
    pub fn event(&mut self, event: &Event, tables: &Tables<'_>) {
        self.begin.get_or_insert(event.time);
        self.end = event.time;
        let mut life = None;
        match event.kind {
            Kind::TaskTransition {
                task,
                from,
                to,
                reason,
                stack,
            } => {
                let step = Step {
                    task,
                    from,
                    to,
                    reason,
                    stack,
                };
                let (id, ended) = self.pass(event, step, tables);
                life = Some(id);
                if let Some(interval) = ended {
                    self.tell(interval, tables);
                }
            }
            Kind::Sample => life = self.open.get(&event.task.0).map(|open| open.life),
            Kind::UserLog { .. } => {
                self.threads.add(event, tables);
                self.description.add(event, tables);
            }
            _ => {}
        }
        let is_inside = self.window.contains(event.time);
        let (analysis, context) = self.parts(tables, life);
        if is_inside {
            analysis.event(event, &context);
        } else {
            analysis.outside(event, &context);
        }
    }

    /// All events were taken: the states that are open end here.
    pub fn report(mut self, tables: &Tables<'_>) -> A::Report {
        let mut open: Vec<Open> = self.open.drain().map(|(_, open)| open).collect();
        open.sort_by_key(|open| open.life);
        let end = Edge::at(self.end);
        for open in open {
            let mut interval = open.ended_by(end, self.lives[open.life].task);
            interval.is_open_right = true;
            self.tell(interval, tables);
        }
        let context = Context {
            tables,
            lives: &self.lives,
            life: None,
            threads: &self.threads,
            description: &self.description,
            window: self.window,
            begin: self.begin.unwrap_or_default(),
            end: self.end,
        };
        self.analysis.report(&context)
    }

    /// The analysis, and what it sees.
    fn parts<'a>(
        &'a mut self,
        tables: &'a Tables<'a>,
        life: Option<LifeId>,
    ) -> (&'a mut A, Context<'a>) {
        let context = Context {
            tables,
            lives: &self.lives,
            life,
            threads: &self.threads,
            description: &self.description,
            window: self.window,
            begin: self.begin.unwrap_or_default(),
            end: self.end,
        };
        (&mut self.analysis, context)
    }

    /// Tells what of an interval is in the window.
    fn tell(&mut self, mut interval: Interval, tables: &Tables<'_>) {
        let (begin, end) = (interval.begin.time, interval.end.time);
        let Some((from, to)) = self.window.clip(begin, end) else {
            return;
        };
        interval.is_open_left |= begin < from;
        interval.is_open_right |= to < end;
        (interval.begin.time, interval.end.time) = (from, to);
        let (analysis, context) = self.parts(tables, None);
        analysis.interval(&interval, &context);
    }

    /// A task passes to another state; the answer is its life, and what ends thereby.
    fn pass(
        &mut self,
        event: &Event,
        step: Step,
        tables: &Tables<'_>,
    ) -> (LifeId, Option<Interval>) {
        let begin = self.begin.unwrap_or(event.time);
        let mut entry = match self.open.entry(step.task.0) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                let (life, open) = step.first(event, begin);
                let life = self.lives.add(life);
                entry.insert_entry(Open { life, ..open })
            }
        };
        let open = entry.get_mut();
        if !open.has_stack && has_outermost(step.stack, tables) {
            self.lives.life_mut(open.life).set_stack(step.stack);
            open.has_stack = true;
        }
        if open.was_always(&step) {
            self.lives.life_mut(open.life).set_older();
            open.state = step.to;
            open.reason = step.reason;
            open.begin.stack = step.stack;
            open.is_open_left = true;
            return (open.life, None);
        }
        // A state that is told once more, as a new generation does, goes on, with the reason that it had.
        if step.to == open.state && (step.reason == StringId(0) || step.reason == open.reason) {
            return (open.life, None);
        }
        let edge = Edge::of(event, step.stack);
        let ended = open.ended_by(edge, step.task);
        if step.to == State::NotExist {
            self.lives.life_mut(open.life).set_end(event.time);
            entry.remove();
        } else {
            open.state = step.to;
            open.reason = step.reason;
            open.begin = edge;
            open.is_open_left = false;
        }
        // Before its creation a task has no states.
        let was_there = ended.state != State::NotExist;
        (ended.life, was_there.then_some(ended))
    }
}

/// A transition of a task.
#[derive(Clone, Copy)]
struct Step {
    task: TaskId,
    from: State,
    to: State,
    reason: StringId,
    stack: StackId,
}

impl Step {
    /// A task's life that this is the first of, and what it was until now.
    fn first(&self, event: &Event, begin: Timestamp) -> (Life, Open) {
        let is_created = self.from == State::NotExist;
        let life = if is_created {
            Life::created(self.task, event.time, event.stack)
        } else {
            Life::new(self.task, begin)
        };
        let open = Open {
            life: LifeId(0),
            life_begin: life.begin,
            has_stack: false,
            state: self.from,
            reason: StringId(0),
            begin: Edge::at(life.begin),
            is_open_left: !is_created,
        };
        (life, open)
    }
}

impl Open {
    /// Whether a task was in the state that it passes to since its life began. What is told first of one that was there before the
    /// trace was so all the time. Format v1 creates such tasks anew, and then lets them wait or sit in a system call without having
    /// run.
    fn was_always(&self, step: &Step) -> bool {
        let was_there =
            self.state == State::Runnable && matches!(step.to, State::Waiting | State::Syscall);
        self.begin.time == self.life_begin && (was_there || self.state == State::Undetermined)
    }

    fn ended_by(&self, end: Edge, task: TaskId) -> Interval {
        Interval {
            life: self.life,
            task,
            state: self.state,
            reason: self.reason,
            begin: self.begin,
            end,
            is_open_left: self.is_open_left,
            is_open_right: false,
        }
    }
}

/// Whether a stack tells what its task runs. Where a task was preempted none may be known, and a frame without an address stands
/// for it.
fn has_outermost(stack: StackId, tables: &Tables<'_>) -> bool {
    tables
        .frames(stack)
        .last()
        .is_some_and(|frame| frame.pc != 0)
}
