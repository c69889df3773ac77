//! Which worker's event comes next.
//!
//! Each task has a state and a sequence number, and an event of it waits until they are what it demands: so an unblock on one
//! worker comes before the start on another, whatever their clocks say. Of the events that wait for nothing, the earliest comes
//! first; what comes out must be in order of time, too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use exectrace_format::go_v1::EventType;

use super::cursor::{Cursor, RawEvent, stops};
use crate::id_map::IdMap;
use crate::{Cause, Error};

/// The workers' events, in order.
#[derive(Debug)]
pub(super) struct Order<'a> {
    cursors: Vec<Cursor<'a>>,
    /// Workers whose event waits for nothing, by its time.
    ready: BinaryHeap<Reverse<(i64, usize)>>,
    /// Workers whose event waits for that of another worker.
    waiting: Vec<usize>,
    tasks: IdMap<TaskState>,
    /// The collector, which has a sequence as tasks have.
    collector: TaskState,
    last_ticks: i64,
}

/// Where a task is in its life, as far as order goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TaskState {
    sequence: u64,
    status: Status,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Dead,
    Runnable,
    Running,
    Waiting,
}

/// What an event demands of a task, and what it makes of it.
#[derive(Clone, Copy, Debug)]
struct Step {
    task: u64,
    /// `None`: any.
    sequence: Option<u64>,
    from: Status,
    to: Status,
    /// Whether the sequence moves on.
    counts: bool,
}

/// What an event is about.
#[derive(Clone, Copy, Debug)]
enum Demand {
    /// It can always come next.
    Nothing,
    Task(Step),
    /// The collector's cycle with this number.
    Collector(u64),
}

impl Demand {
    #[inline]
    fn of(event: &RawEvent<'_>) -> Self {
        use EventType as E;
        use Status::{Dead, Runnable, Running, Waiting};
        let [first, second, ..] = event.args;
        let step = |task, sequence, from, to, counts| {
            Self::Task(Step {
                task,
                sequence,
                from,
                to,
                counts,
            })
        };
        match event.event_type {
            E::GoCreate => step(first, Some(0), Dead, Runnable, true),
            E::GoWaiting | E::GoInSyscall => step(first, Some(1), Runnable, Waiting, true),
            E::GoStart | E::GoStartLabel => step(first, Some(second), Runnable, Running, true),
            E::GoStartLocal => step(first, None, Runnable, Running, true),
            E::GoUnblock | E::GoSysExit => step(first, Some(second), Waiting, Runnable, true),
            E::GoUnblockLocal | E::GoSysExitLocal => step(first, None, Waiting, Runnable, true),
            E::GoSched | E::GoPreempt => step(event.owner, None, Running, Runnable, false),
            E::GCStart => Self::Collector(first),
            E::GoEnd | E::GoStop => Self::Nothing,
            E::GoSysBlock => step(event.owner, None, Running, Waiting, false),
            event_type if stops(event_type) => step(event.owner, None, Running, Waiting, false),
            _ => Self::Nothing,
        }
    }
}

impl<'a> Order<'a> {
    pub(super) fn new(cursors: Vec<Cursor<'a>>) -> Self {
        let waiting = (0..cursors.len()).collect();
        let mut order = Self {
            cursors,
            ready: BinaryHeap::new(),
            waiting,
            tasks: IdMap::default(),
            collector: TaskState::default(),
            last_ticks: i64::MIN,
        };
        order.look_again();
        order
    }

    /// The next event; `None` after the last one.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<RawEvent<'a>>, Error> {
        let Some(Reverse((ticks, index))) = self.ready.pop() else {
            return match self.waiting.first() {
                None => Ok(None),
                Some(&index) => Err(self.error(index, Cause::NoOrder)),
            };
        };
        if ticks < self.last_ticks {
            return Err(self.error(index, Cause::TimeOrder));
        }
        self.last_ticks = ticks;
        let event = self.cursors[index].next;
        self.take(Demand::of(&event));
        if self.cursors[index].advance() {
            if self.is_ready(Demand::of(&self.cursors[index].next)) {
                self.ready
                    .push(Reverse((self.cursors[index].next.ticks, index)));
            } else {
                self.waiting.push(index);
            }
        }
        if !self.waiting.is_empty() {
            self.look_again();
        }
        Ok(Some(event))
    }

    /// Finds the workers that wait no more.
    fn look_again(&mut self) {
        let mut at = 0;
        while let Some(&index) = self.waiting.get(at) {
            if self.is_ready(Demand::of(&self.cursors[index].next)) {
                self.waiting.swap_remove(at);
                self.ready
                    .push(Reverse((self.cursors[index].next.ticks, index)));
            } else {
                at += 1;
            }
        }
    }

    #[inline]
    fn is_ready(&self, demand: Demand) -> bool {
        match demand {
            Demand::Nothing => true,
            Demand::Collector(sequence) => self.collector.sequence == sequence,
            Demand::Task(step) => {
                let state = self.tasks.get(&step.task).copied().unwrap_or_default();
                state.status == step.from
                    && step
                        .sequence
                        .is_none_or(|sequence| sequence == state.sequence)
            }
        }
    }

    #[inline]
    fn take(&mut self, demand: Demand) {
        match demand {
            Demand::Nothing => {}
            Demand::Collector(_) => self.collector.sequence += 1,
            Demand::Task(step) => {
                let state = self.tasks.entry(step.task).or_default();
                state.status = step.to;
                state.sequence += u64::from(step.counts);
            }
        }
    }

    #[cold]
    fn error(&self, index: usize, cause: Cause) -> Error {
        let next = &self.cursors[index].next;
        let mut error = Error::at(cause, next.offset);
        error.task = (next.owner != 0).then_some(exectrace_format::TaskId(next.owner));
        error
    }
}
