//! A second opinion on a stream of events: whether they can have happened, one after the other.
//!
//! It knows nothing of files, versions and sequence numbers, and shares no code with what puts events in order: a mistake there
//! shows here. What it holds against events is what must be true of any scheduler: a task is in one state at a time, runs on one
//! worker, and a worker runs one task; a range ends that began; time does not go back.
//!
//! So it says more than Go's reader, which takes the word of a status: that may have a worker run a second task, or a second thread
//! have a worker.
//!
//! Traces begin in the middle of everything. So what was never introduced is taken as its first event tells it, once. What a
//! tolerant reader has inferred may take a task from any state to any other, but only from the one that it is in.

use std::collections::HashMap;
use std::fmt;

use exectrace_format::role::{Range, State};
use exectrace_format::{StringId, ThreadId, UserTaskId, WorkerId};

use crate::Timestamp;
use crate::event::{Event, EventType, Kind};

/// Checks events, in the order of a reader.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Reader, Validator};
///
/// # let file = exectrace_format::Version::Go1_26.header();
/// let mut validator = Validator::new();
/// for event in Reader::new(&file)? {
///     if let Err(violation) = validator.event(&event?) {
///         panic!("{violation}");
///     }
/// }
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Validator {
    last: Option<Timestamp>,
    tasks: HashMap<u64, TaskLife>,
    /// The state of each worker, and the task that it runs.
    workers: HashMap<i64, WorkerLife>,
    user_tasks: HashMap<u64, Life>,
    collects: Option<bool>,
    /// Who has stopped the world and why. Old versions of Go stop each worker for itself.
    stops: Vec<Stop>,
    /// The last event that was not inferred is of format v1.
    is_v1: bool,
}

/// An event that cannot have happened after those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub rule: Rule,
    /// The event's time.
    pub time: Timestamp,
    /// Where its record begins in the file.
    pub offset: u64,
}

/// What must be true of any trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Time does not go back.
    TimeGoesBack {
        /// The time of the event before.
        last: Timestamp,
    },
    /// A task leaves the state that it is in.
    TaskState {
        /// The task.
        task: u64,
        /// The state that it is in.
        is: State,
        /// The one that it is said to leave.
        left: State,
    },
    /// No scheduler takes a task from the one state to the other.
    TaskStep {
        /// The task.
        task: u64,
        /// The state that it leaves.
        from: State,
        /// The one that it enters.
        to: State,
    },
    /// A task that has ended does nothing, unless it is created or introduced anew.
    TaskEnded {
        /// The task.
        task: u64,
    },
    /// A worker runs one task at a time.
    WorkerIsTaken {
        /// The worker.
        worker: i64,
        /// What it runs.
        task: u64,
    },
    /// A task runs on one worker.
    TaskIsElsewhere {
        /// The task.
        task: u64,
        /// The worker that it runs on.
        worker: i64,
    },
    /// A worker is one thread's.
    WorkerIsElsewhere {
        /// The worker.
        worker: i64,
        /// The thread that has it.
        thread: u64,
    },
    /// A worker leaves the state that it is in.
    WorkerState {
        /// The worker.
        worker: i64,
        /// The state that it is in.
        is: State,
        /// The one that it is said to leave.
        left: State,
    },
    /// A range begins that is not open.
    RangeIsOpen {
        /// Which.
        range: Range,
    },
    /// A range ends that is open, or began before the trace.
    RangeIsNotOpen {
        /// Which.
        range: Range,
    },
    /// A user task begins once.
    UserTaskAgain {
        /// Which.
        user_task: u64,
    },
    /// What a user task's end tells of its begin is what that has told.
    UserTaskBegin {
        /// Which.
        user_task: u64,
    },
    /// Regions of a task end in reverse.
    RegionOrder {
        /// The task.
        task: u64,
    },
}

#[derive(Clone, Debug, Default)]
struct TaskLife {
    state: Option<State>,
    ended: bool,
    assists: Option<bool>,
    regions: Vec<(UserTaskId, StringId)>,
    worker: Option<i64>,
}

#[derive(Clone, Debug, Default)]
struct WorkerLife {
    state: Option<State>,
    task: Option<u64>,
    /// The thread that has it, where the format says so.
    thread: Option<ThreadId>,
    sweeps: Option<bool>,
}

/// A stop of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    /// Who did it, if that task lives.
    task: Option<u64>,
    worker: i64,
    reason: StringId,
}

/// How far a user task has come.
#[derive(Clone, Copy, Debug)]
struct Life {
    parent: UserTaskId,
    name: StringId,
    is_over: bool,
}

impl Validator {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the next event. What is checked after a violation goes on as if the event were right, so that one fault is told
    /// once.
    ///
    /// # Errors
    ///
    /// The first rule that the event breaks.
    pub fn event(&mut self, event: &Event) -> Result<(), Violation> {
        let time = self.time(event);
        if event.event_type != EventType::Inferred {
            self.is_v1 = matches!(event.event_type, EventType::V1(_));
        }
        let rule = match event.kind {
            Kind::TaskTransition { task, from, to, .. } => self.task(event, task.0, from, to),
            Kind::WorkerTransition { worker, from, to } => self.worker(event, worker, from, to),
            Kind::RangeBegin { range, reason } => self.range_begins(event, range, reason),
            Kind::RangeActive {
                range,
                task,
                worker,
            } => self.range_is_active(range, task.0, worker),
            Kind::RangeEnd { range, reason, .. } => self.range_ends(event, range, reason),
            Kind::UserTaskBegin {
                user_task,
                parent,
                name,
            } => self.user_task_begins(user_task, parent, name),
            Kind::UserTaskEnd { user_task, begin } => self.user_task_ends(user_task, begin),
            Kind::UserRegionBegin { user_task, name } => {
                self.life(event.task.0).regions.push((user_task, name));
                None
            }
            Kind::UserRegionEnd { user_task, name } => {
                self.region_ends(event.task.0, (user_task, name))
            }
            _ => None,
        };
        // What was inferred contradicts what came before, or it would not have been.
        let rule = rule.filter(|_| event.event_type != EventType::Inferred);
        match time.or(rule) {
            None => Ok(()),
            Some(rule) => Err(Violation {
                rule,
                time: event.time,
                offset: event.offset,
            }),
        }
    }

    fn region_ends(&mut self, task: u64, region: (UserTaskId, StringId)) -> Option<Rule> {
        let regions = &mut self.life(task).regions;
        let innermost = regions.len().checked_sub(1)?;
        let begin = regions.iter().rposition(|&other| other == region);
        if let Some(begin) = begin {
            regions.remove(begin);
        }
        (begin != Some(innermost)).then_some(Rule::RegionOrder { task })
    }

    fn time(&mut self, event: &Event) -> Option<Rule> {
        let last = self.last.replace(event.time)?;
        (event.time < last).then_some(Rule::TimeGoesBack { last })
    }

    fn life(&mut self, task: u64) -> &mut TaskLife {
        self.tasks.entry(task).or_default()
    }

    fn task(&mut self, event: &Event, task: u64, from: State, to: State) -> Option<Rule> {
        let can_wait_in_call = matches!(event.event_type, EventType::V1(_));
        // Go's readers take the status of a task that has ended for that of a new one.
        let begins = matches!(from, State::NotExist | State::Undetermined)
            || event.event_type == EventType::Inferred;
        let life = self.tasks.entry(task).or_default();
        if life.ended && !begins {
            return Some(Rule::TaskEnded { task });
        }
        if life.ended {
            // Foreign threads that come back may have the id of their last visit.
            *life = TaskLife::default();
        }
        let is = life.state.replace(to);
        let worker = life.worker;
        life.ended = to == State::NotExist;
        if life.ended {
            // Who has its id after it has stopped nothing.
            for stop in &mut self.stops {
                stop.task = stop.task.filter(|&stopper| stopper != task);
            }
        }
        let on = event.worker;
        let moved = if to == State::Running && on != WorkerId::NONE {
            let before = life.worker.replace(on.0);
            let elsewhere = before.filter(|&before| before != on.0 && self.runs(before, task));
            self.leave(elsewhere, task);
            let taken = self.take(on.0, task);
            elsewhere
                .map(|worker| Rule::TaskIsElsewhere { task, worker })
                .or(taken)
        } else {
            if to != State::Running {
                life.worker = None;
                self.leave(worker, task);
            }
            None
        };
        let matches = is.is_none_or(|is| {
            is == from
                // Format v1 has one word for both.
                || can_wait_in_call && is_stopped(is) && is_stopped(from)
        });
        if !matches {
            let is = is.unwrap_or(State::Undetermined);
            return Some(Rule::TaskState {
                task,
                is,
                left: from,
            });
        }
        if !can_step(from, to) {
            return Some(Rule::TaskStep { task, from, to });
        }
        moved
    }

    fn runs(&self, worker: i64, task: u64) -> bool {
        self.workers
            .get(&worker)
            .is_some_and(|life| life.task == Some(task))
    }

    /// The worker runs the task from now on.
    fn take(&mut self, worker: i64, task: u64) -> Option<Rule> {
        let before = self.workers.entry(worker).or_default().task.replace(task);
        let other = before.filter(|&before| before != task)?;
        Some(Rule::WorkerIsTaken {
            worker,
            task: other,
        })
    }

    /// The worker does not run the task any more.
    fn leave(&mut self, worker: Option<i64>, task: u64) {
        if let Some(life) = worker.and_then(|worker| self.workers.get_mut(&worker))
            && life.task == Some(task)
        {
            life.task = None;
        }
    }

    fn worker(&mut self, event: &Event, worker: WorkerId, from: State, to: State) -> Option<Rule> {
        let life = self.workers.entry(worker.0).or_default();
        let is = life.state.replace(to);
        let named =
            (to == State::Running && event.thread != ThreadId::NONE).then_some(event.thread);
        let had = std::mem::replace(&mut life.thread, named);
        if to == State::Idle {
            life.task = None;
        }
        let worker = worker.0;
        let is = is?;
        if is != from {
            return Some(Rule::WorkerState {
                worker,
                is,
                left: from,
            });
        }
        let other = had.filter(|_| named.is_some() && named != had)?;
        Some(Rule::WorkerIsElsewhere {
            worker,
            thread: other.0,
        })
    }

    fn range_begins(&mut self, event: &Event, range: Range, reason: StringId) -> Option<Rule> {
        let is_open = match range {
            Range::StopTheWorld => {
                let stop = Stop::by(event, reason);
                let is_open = self.stops.contains(&stop);
                self.stops.push(stop);
                is_open
            }
            _ => self.open(event, range).replace(true) == Some(true),
        };
        is_open.then_some(Rule::RangeIsOpen { range })
    }

    fn range_is_active(&mut self, range: Range, task: u64, worker: WorkerId) -> Option<Rule> {
        let open = match range {
            Range::Gc => &mut self.collects,
            Range::Sweep => &mut self.workers.entry(worker.0).or_default().sweeps,
            Range::MarkAssist => &mut self.life(task).assists,
            Range::StopTheWorld => return None,
        };
        (open.replace(true) == Some(false)).then_some(Rule::RangeIsNotOpen { range })
    }

    fn range_ends(&mut self, event: &Event, range: Range, reason: StringId) -> Option<Rule> {
        let was_open = match range {
            Range::StopTheWorld => {
                let stop = Stop::by(event, reason);
                let find = |is: &dyn Fn(&Stop) -> bool| {
                    let is_it = |other: &Stop| other.reason == reason && is(other);
                    self.stops.iter().position(is_it)
                };
                // Who stopped the world may let it go on from another worker. In format v1 it is a worker that stops it.
                let by_task = || find(&|other| other.task == stop.task);
                let by_worker = || find(&|other| other.worker == stop.worker);
                let place = find(&|other| *other == stop);
                let place = match self.is_v1 {
                    true => place.or_else(by_worker),
                    false => place.or_else(by_task).or_else(by_worker),
                };
                let place = place.or_else(|| find(&|_| true));
                place.map(|place| self.stops.remove(place)).is_some()
            }
            // Go's format v1 has nothing against an end too many of this one.
            Range::MarkAssist if matches!(event.event_type, EventType::V1(_)) => {
                self.life(event.task.0).assists = Some(false);
                true
            }
            _ => self.open(event, range).replace(false) != Some(false),
        };
        (!was_open).then_some(Rule::RangeIsNotOpen { range })
    }

    /// Whether the range is open where the event is; not known at first.
    fn open(&mut self, event: &Event, range: Range) -> &mut Option<bool> {
        match range {
            Range::Sweep => &mut self.workers.entry(event.worker.0).or_default().sweeps,
            Range::MarkAssist => &mut self.life(event.task.0).assists,
            Range::Gc | Range::StopTheWorld => &mut self.collects,
        }
    }

    fn user_task_begins(
        &mut self,
        user_task: UserTaskId,
        parent: UserTaskId,
        name: StringId,
    ) -> Option<Rule> {
        let life = Life {
            parent,
            name,
            is_over: false,
        };
        let before = self.user_tasks.insert(user_task.0, life)?;
        (!before.is_over).then_some(Rule::UserTaskAgain {
            user_task: user_task.0,
        })
    }

    fn user_task_ends(
        &mut self,
        user_task: UserTaskId,
        begin: Option<crate::UserTaskBegin>,
    ) -> Option<Rule> {
        let life = self.user_tasks.get_mut(&user_task.0);
        let known = life.filter(|life| !life.is_over).map(|life| {
            life.is_over = true;
            (life.parent, life.name)
        });
        let told = begin.map(|begin| (begin.parent, begin.name));
        (told != known).then_some(Rule::UserTaskBegin {
            user_task: user_task.0,
        })
    }
}

impl Stop {
    fn by(event: &Event, reason: StringId) -> Self {
        Self {
            task: Some(event.task.0),
            worker: event.worker.0,
            reason,
        }
    }
}

/// Whether a task neither runs nor could.
fn is_stopped(state: State) -> bool {
    matches!(state, State::Waiting | State::Syscall)
}

/// Whether a scheduler takes a task from the one state to the other.
fn can_step(from: State, to: State) -> bool {
    use State::{Idle, NotExist, Runnable, Running, Syscall, Undetermined, Waiting};
    match (from, to) {
        (Idle, _) | (_, Idle) => false,
        // A status tells what is.
        (Undetermined, _) => true,
        (from, to) if from == to => true,
        (NotExist, to) => matches!(to, Runnable | Waiting | Syscall),
        (Runnable, to) => matches!(to, Running | Waiting | Syscall),
        (Running, _) => true,
        (Waiting, to) => to == Runnable,
        (Syscall, to) => matches!(to, Running | Runnable | NotExist),
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}, {}: {}", self.offset, self.time, self.rule)
    }
}

impl std::error::Error for Violation {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TimeGoesBack { last } => write!(f, "the event before was at {last}"),
            Self::TaskState { task, is, left } => write!(
                f,
                "task {task} leaves {}, but is {}",
                left.name(),
                is.name()
            ),
            Self::TaskStep { task, from, to } => {
                write!(f, "task {task} goes from {} to {}", from.name(), to.name())
            }
            Self::TaskEnded { task } => write!(f, "task {task} has ended"),
            Self::WorkerIsTaken { worker, task } => write!(f, "worker {worker} runs task {task}"),
            Self::TaskIsElsewhere { task, worker } => {
                write!(f, "task {task} runs on worker {worker}")
            }
            Self::WorkerIsElsewhere { worker, thread } => {
                write!(f, "worker {worker} is thread {thread}'s")
            }
            Self::WorkerState { worker, is, left } => write!(
                f,
                "worker {worker} leaves {}, but is {}",
                left.name(),
                is.name()
            ),
            Self::RangeIsOpen { range } => write!(f, "{} is open already", range.name()),
            Self::RangeIsNotOpen { range } => write!(f, "{} is not open", range.name()),
            Self::UserTaskAgain { user_task } => write!(f, "user task {user_task} has begun"),
            Self::UserTaskBegin { user_task } => {
                write!(f, "user task {user_task} began otherwise than its end says")
            }
            Self::RegionOrder { task } => {
                write!(f, "the region is not the innermost of task {task}")
            }
        }
    }
}
