//! Which worker's event comes next.
//!
//! Each task has a state and a sequence number, and an event of it waits until they are what it demands: so an unblock on one
//! worker comes before the start on another, whatever their clocks say. Of the events that wait for nothing, the earliest comes
//! first; what comes out must be in order of time, too.

mod force;
mod parked;
mod ready;
mod run;

use super::cursor::{Cursor, Decoded, RawEvent};
use super::rules::{Who, rule};
use super::task::{Task, Tasks};
use crate::{Cause, Error};
use force::Tolerance;
use parked::Parked;
use ready::Ready;
pub(super) use run::InBatch;

/// The workers' events, in order.
#[derive(Debug)]
pub(super) struct Order<'a> {
    cursors: Vec<Cursor<'a>>,
    /// Cursors whose event waits for nothing, by its time.
    ready: Ready,
    /// Cursors whose event waits for that of another worker.
    waiting: Vec<usize>,
    /// Others if there are many, for `waiting` is looked through again and again. None is here while none is there.
    parked: Parked,
    /// The tasks that the waiting cursors' events are about, while others run.
    awaited: Vec<u64>,
    /// The number of the collector's next cycle.
    collector: u64,
    last_ticks: i64,
    /// An event was let come that had waited: others may have waited for the same.
    was_forced: bool,
    tolerance: Tolerance,
}

/// More than are ever waiting on a usual machine, and few enough to look through after each event.
const WAITING_MAX: usize = 64;

/// What an event demands of a task before it can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Demand {
    who: Who,
    /// The task; or the number of the collector's cycle.
    task: u64,
    /// The bits of the task's word that matter; none where the event can always come next.
    mask: u64,
    /// What they must be.
    want: u64,
}

impl Demand {
    #[inline(always)]
    fn of(cursor: &Cursor<'_>) -> Self {
        let next = cursor.next();
        let rule = rule(next.event_type);
        let [first, second, ..] = next.args;
        Self {
            who: rule.who,
            task: if rule.who == Who::Owner {
                cursor.task
            } else {
                first
            },
            mask: rule.mask & Task::ORDER,
            want: rule.want & Task::ORDER | rule.sequence_bits(second),
        }
    }

    /// That of another event about this task.
    fn about(task: u64) -> Self {
        Self {
            who: Who::Argument,
            task,
            mask: Task::ORDER,
            want: 0,
        }
    }

    #[inline]
    fn is_task(self) -> bool {
        self.mask != 0
    }

    #[inline]
    fn is_collector(self) -> bool {
        self.who == Who::Collector
    }

    /// Whether another event could be one of those that this one has waited for.
    #[inline]
    fn concerns(self, other: Self) -> bool {
        self.task == other.task || self.is_collector()
    }
}

impl<'a> Order<'a> {
    pub(super) fn new(cursors: Vec<Cursor<'a>>, tasks: &mut Tasks) -> Self {
        let waiting = (0..cursors.len()).collect();
        let mut order = Self {
            cursors,
            ready: Ready::default(),
            waiting,
            parked: Parked::default(),
            awaited: Vec::new(),
            collector: 0,
            last_ticks: i64::MIN,
            was_forced: false,
            tolerance: Tolerance::default(),
        };
        order.look_again(None, tasks);
        while order.waiting.len() > WAITING_MAX {
            order.park();
        }
        order
    }

    /// The place of the next event, which stays until it is taken; `None` after the last one.
    #[inline]
    pub(super) fn first(&self) -> Result<Option<usize>, Error> {
        match self.ready.first() {
            Some((ticks, index)) if ticks >= self.last_ticks => Ok(Some(index)),
            Some((_, index)) if self.tolerance.is_excused(index) => Ok(Some(index)),
            Some((_, index)) => Err(self.error(index, Cause::TimeOrder)),
            None => match self.waiting.first() {
                None => Ok(None),
                Some(&index) => Err(self.error(index, Cause::NoOrder)),
            },
        }
    }

    /// What the record of the event at a place says.
    #[inline]
    pub(super) fn next(&self, index: usize) -> &Decoded {
        self.cursors[index].next()
    }

    /// The event at a place.
    pub(super) fn event(&self, index: usize) -> RawEvent<'a> {
        self.cursors[index].event()
    }

    /// The event of [`Self::first`] has happened.
    pub(super) fn take(&mut self, index: usize, tasks: &mut Tasks) {
        let cursor = &mut self.cursors[index];
        let rule = rule(cursor.next().event_type);
        let happened = Demand::of(cursor);
        self.last_ticks = cursor.next().ticks;
        let has_more = cursor.advance();
        if happened.is_task() {
            let task = tasks.get_mut(happened.task);
            *task = rule.apply_order(*task);
        } else if happened.is_collector() {
            self.collector = self.collector.wrapping_add(1);
        }
        self.settle(index, has_more, tasks);
        self.let_come(happened, tasks);
    }

    /// The first cursor has come to another event, if it has more.
    #[inline]
    fn settle(&mut self, index: usize, has_more: bool, tasks: &mut Tasks) {
        if has_more && self.is_ready(self.demand(index), tasks) {
            self.ready.put_off(self.next(index).ticks);
        } else {
            self.ready.pop();
            if has_more {
                self.wait(index);
            }
        }
    }

    /// Those that have waited for what has happened can come.
    #[inline]
    fn let_come(&mut self, happened: Demand, tasks: &mut Tasks) {
        if !self.waiting.is_empty() {
            self.look_again(Some(happened), tasks);
            if !self.parked.is_empty() {
                self.unpark(happened, tasks);
            }
        } else {
            self.was_forced = false;
        }
    }

    fn wait(&mut self, index: usize) {
        self.waiting.push(index);
        if self.waiting.len() > WAITING_MAX {
            self.park();
        }
    }

    /// Puts the last of the waiting cursors aside.
    #[cold]
    fn park(&mut self) {
        if let Some(index) = self.waiting.pop() {
            self.parked.park(index, self.demand(index));
        }
    }

    /// Fetches those that have waited for what an event has made of its task.
    #[cold]
    fn unpark(&mut self, happened: Demand, tasks: &mut Tasks) {
        let ready = if happened.is_task() {
            let state = tasks.get(happened.task).0 & Task::ORDER;
            self.parked.take_task(happened.task, state)
        } else {
            self.parked.take_cycle(self.collector)
        };
        for index in ready {
            let ticks = self.cursors[index].next().ticks;
            self.ready.push(ticks, index);
        }
        self.refill();
    }

    /// None is parked while none is waiting.
    #[cold]
    fn refill(&mut self) {
        if self.waiting.is_empty() {
            self.waiting.extend(self.parked.take_any());
        }
    }

    /// Finds the cursors that wait no more, after an event has happened.
    fn look_again(&mut self, happened: Option<Demand>, tasks: &mut Tasks) {
        let happened = happened.filter(|_| !std::mem::take(&mut self.was_forced));
        let mut at = 0;
        while let Some(&index) = self.waiting.get(at) {
            let demand = self.demand(index);
            if happened.is_none_or(|happened| happened.concerns(demand))
                && self.is_ready(demand, tasks)
            {
                self.waiting.swap_remove(at);
                let ticks = self.cursors[index].next().ticks;
                self.ready.push(ticks, index);
            } else {
                at += 1;
            }
        }
    }

    #[inline]
    fn demand(&self, index: usize) -> Demand {
        Demand::of(&self.cursors[index])
    }

    #[inline]
    fn is_ready(&self, demand: Demand, tasks: &mut Tasks) -> bool {
        if demand.is_task() {
            return tasks.get(demand.task).0 & demand.mask == demand.want;
        }
        !demand.is_collector() || self.collector == demand.task
    }

    #[cold]
    fn error(&self, index: usize, cause: Cause) -> Error {
        let cursor = &self.cursors[index];
        let owner = cursor.owner();
        let mut error = Error::at(cause, cursor.next().offset);
        error.task = (owner != 0).then_some(exectrace_format::TaskId(owner));
        error
    }
}
