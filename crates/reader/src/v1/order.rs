//! Which worker's event comes next.
//!
//! Each task has a state and a sequence number, and an event of it waits until they are what it demands: so an unblock on one
//! worker comes before the start on another, whatever their clocks say. Of the events that wait for nothing, the earliest comes
//! first; what comes out must be in order of time, too.

mod force;
mod parked;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use exectrace_format::go_v1::EventType;

use super::cursor::{Cursor, RawEvent, waits};
use crate::id_array::IdArray;
use crate::{Cause, Error};
use force::Tolerance;
use parked::Parked;

/// The workers' events, in order.
#[derive(Debug)]
pub(super) struct Order<'a> {
    cursors: Vec<Cursor<'a>>,
    /// What each cursor's event demands.
    demands: Vec<Demand>,
    /// Cursors whose event waits for nothing, by its time.
    ready: BinaryHeap<Reverse<(i64, usize)>>,
    /// Cursors whose event waits for that of another worker.
    waiting: Vec<usize>,
    /// Others if there are many, for `waiting` is looked through again and again. None is here while none is there.
    parked: Parked,
    tasks: IdArray<TaskState>,
    /// The number of the collector's next cycle.
    collector: u64,
    last_ticks: i64,
    tolerance: Tolerance,
}

/// More than are ever waiting on a usual machine, and few enough to look through after each event.
const WAITING_MAX: usize = 64;

/// Where a task is in its life, as far as order goes: its sequence number, and in the last bits its status. One word, so that it is
/// loaded, compared and stored as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TaskState(u64);

const STATUS_BITS: u32 = 2;
const STATUS_MASK: u64 = (1 << STATUS_BITS) - 1;
/// Larger ones are taken for this one, which no task reaches.
const SEQUENCE_MAX: u64 = u64::MAX >> STATUS_BITS;

/// What a task does. A task that nobody has heard of is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Dead,
    Runnable,
    Running,
    Waiting,
}

/// What an event demands of a task, and what it makes of it.
#[derive(Clone, Copy, Debug)]
struct Demand {
    task: u64,
    /// The state that the task must have, where the sequence number matters.
    state: TaskState,
    rule: Rule,
}

/// The part of a demand that the event's type gives. All in one word: it is copied for each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule(u64);

impl Rule {
    /// The event can always come next.
    const NOTHING: Self = Self(0);
    /// It is the collector's, whose cycles have numbers.
    const COLLECTOR: Self = Self(1);

    /// It takes a task from one status to another.
    const fn task(who: Who, order: Sequenced, from: Status, to: Status) -> Self {
        let order = match order {
            Sequenced::No => 0,
            Sequenced::Local => 1,
            Sequenced::At(sequence) => 2 | (sequence << 2),
            Sequenced::Argument => 3,
        };
        Self(2 | (from as u64) << 8 | (to as u64) << 16 | (who as u64) << 24 | order << 32)
    }

    #[inline]
    fn is_task(self) -> bool {
        self.0 & 2 != 0
    }

    #[inline]
    fn from(self) -> u64 {
        self.0 >> 8 & 0xff
    }

    #[inline]
    fn to(self) -> u64 {
        self.0 >> 16 & 0xff
    }

    #[inline]
    fn is_of_owner(self) -> bool {
        self.0 >> 24 & 1 == Who::Owner as u64
    }

    /// Whether the sequence number moves on.
    #[inline]
    fn counts(self) -> u64 {
        u64::from(self.0 >> 32 != 0)
    }

    /// The sequence number that the task must have, if any. `argument`: the event's second one.
    #[inline]
    fn sequence(self, argument: u64) -> Option<u64> {
        match self.0 >> 32 & 3 {
            2 => Some(self.0 >> 34),
            3 => Some(argument),
            _ => None,
        }
    }
}

/// Which task an event is about.
#[derive(Clone, Copy)]
enum Who {
    /// That of its first argument.
    Argument,
    /// The one that it belongs to.
    Owner,
}

/// What an event has to do with its task's sequence.
#[derive(Clone, Copy)]
enum Sequenced {
    /// Nothing.
    No,
    /// It is the next one, whatever the number.
    Local,
    /// It is the one of this number.
    At(u64),
    /// It is the one of the number in its second argument.
    Argument,
}

/// The rules of all types.
static RULES: [Rule; 64] = {
    use Sequenced::{Argument, At, Local, No};
    use Status::{Dead, Runnable, Running, Waiting};
    use Who::Owner;
    let mut rules = [Rule::NOTHING; 64];
    let mut i = 0;
    while i < EventType::ALL.len() {
        use EventType as E;
        let event_type = EventType::ALL[i];
        rules[event_type as usize] = match event_type {
            E::GoCreate => Rule::task(Who::Argument, At(0), Dead, Runnable),
            E::GoWaiting | E::GoInSyscall => Rule::task(Who::Argument, At(1), Runnable, Waiting),
            E::GoStart | E::GoStartLabel => Rule::task(Who::Argument, Argument, Runnable, Running),
            E::GoStartLocal => Rule::task(Who::Argument, Local, Runnable, Running),
            E::GoUnblock | E::GoSysExit => Rule::task(Who::Argument, Argument, Waiting, Runnable),
            E::GoUnblockLocal | E::GoSysExitLocal => {
                Rule::task(Who::Argument, Local, Waiting, Runnable)
            }
            E::GoSched | E::GoPreempt => Rule::task(Owner, No, Running, Runnable),
            E::GCStart => Rule::COLLECTOR,
            E::GoSysBlock => Rule::task(Owner, No, Running, Waiting),
            event_type if waits(event_type) => Rule::task(Owner, No, Running, Waiting),
            _ => Rule::NOTHING,
        };
        i += 1;
    }
    rules
};

impl Demand {
    #[inline(always)]
    fn of(event: &RawEvent<'_>) -> Self {
        let rule = RULES[event.event_type as usize & 63];
        let [first, second, ..] = event.args;
        let sequence = rule.sequence(second).unwrap_or_default();
        Self {
            task: if rule.is_of_owner() {
                event.owner
            } else {
                first
            },
            state: TaskState(sequence.min(SEQUENCE_MAX) << STATUS_BITS | rule.from()),
            rule,
        }
    }
}

impl<'a> Order<'a> {
    pub(super) fn new(cursors: Vec<Cursor<'a>>) -> Self {
        let waiting = (0..cursors.len()).collect();
        let demands = cursors
            .iter()
            .map(|cursor| Demand::of(cursor.next()))
            .collect();
        let mut order = Self {
            cursors,
            demands,
            ready: BinaryHeap::new(),
            waiting,
            parked: Parked::default(),
            tasks: IdArray::default(),
            collector: 0,
            last_ticks: i64::MIN,
            tolerance: Tolerance::default(),
        };
        order.look_again();
        while order.waiting.len() > WAITING_MAX {
            order.park();
        }
        order
    }

    /// The place of the next event, which stays until it is taken; `None` after the last one.
    #[inline]
    pub(super) fn first(&self) -> Result<Option<usize>, Error> {
        match self.ready.peek() {
            Some(&Reverse((ticks, index))) if ticks >= self.last_ticks => Ok(Some(index)),
            Some(&Reverse((_, index))) if self.tolerance.is_excused(index) => Ok(Some(index)),
            Some(&Reverse((_, index))) => Err(self.error(index, Cause::TimeOrder)),
            None => match self.waiting.first() {
                None => Ok(None),
                Some(&index) => Err(self.error(index, Cause::NoOrder)),
            },
        }
    }

    /// The event at a place.
    #[inline]
    pub(super) fn event(&self, index: usize) -> &RawEvent<'a> {
        self.cursors[index].next()
    }

    /// The event of [`Self::first`] has happened.
    #[inline]
    pub(super) fn take(&mut self, index: usize) {
        self.last_ticks = self.cursors[index].next().ticks;
        let demand = self.demands[index];
        self.happen(demand);
        self.advance(index);
        if !self.waiting.is_empty() {
            self.look_again();
            if !self.parked.is_empty() {
                self.unpark(demand);
            }
        }
    }

    /// Moves the cursor on that is the first of those ready.
    #[inline]
    fn advance(&mut self, index: usize) {
        let cursor = &mut self.cursors[index];
        let has_more = cursor.advance();
        let demand = Demand::of(cursor.next());
        let ticks = cursor.next().ticks;
        self.demands[index] = demand;
        let is_ready = has_more && self.is_ready(demand);
        let Some(mut first) = self.ready.peek_mut() else {
            return;
        };
        if is_ready {
            *first = Reverse((ticks, index));
            return;
        }
        PeekMut::pop(first);
        if has_more {
            self.waiting.push(index);
            if self.waiting.len() > WAITING_MAX {
                self.park();
            }
        }
    }

    /// Puts the last of the waiting cursors aside.
    #[cold]
    fn park(&mut self) {
        if let Some(index) = self.waiting.pop() {
            self.parked.park(index, self.demands[index]);
        }
    }

    /// Fetches those that have waited for what an event has made of its task.
    #[cold]
    fn unpark(&mut self, happened: Demand) {
        let ready = if happened.rule.is_task() {
            let state = self.tasks.get(happened.task);
            self.parked.take_task(happened.task, state)
        } else {
            self.parked.take_cycle(self.collector)
        };
        for index in ready {
            let ticks = self.cursors[index].next().ticks;
            self.ready.push(Reverse((ticks, index)));
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

    /// Finds the cursors that wait no more.
    #[inline]
    fn look_again(&mut self) {
        let mut at = 0;
        while let Some(&index) = self.waiting.get(at) {
            if self.is_ready(self.demands[index]) {
                self.waiting.swap_remove(at);
                let ticks = self.cursors[index].next().ticks;
                self.ready.push(Reverse((ticks, index)));
            } else {
                at += 1;
            }
        }
    }

    /// Always inlined, as the next one: else the demand goes through memory, and each copy of it waits for the one before.
    #[inline(always)]
    fn is_ready(&mut self, demand: Demand) -> bool {
        if !demand.rule.is_task() {
            return demand.rule != Rule::COLLECTOR || self.collector == demand.task;
        }
        let state = self.tasks.get(demand.task);
        match demand.rule.sequence(0) {
            Some(_) => state == demand.state,
            None => state.0 & STATUS_MASK == demand.rule.from(),
        }
    }

    #[inline(always)]
    fn happen(&mut self, demand: Demand) {
        if demand.rule.is_task() {
            let state = self.tasks.get_mut(demand.task);
            let sequence = (state.0 >> STATUS_BITS) + demand.rule.counts();
            *state = TaskState(sequence << STATUS_BITS | demand.rule.to());
        } else if demand.rule == Rule::COLLECTOR {
            self.collector = self.collector.wrapping_add(1);
        }
    }

    #[cold]
    fn error(&self, index: usize, cause: Cause) -> Error {
        let next = self.cursors[index].next();
        let mut error = Error::at(cause, next.offset);
        error.task = (next.owner != 0).then_some(exectrace_format::TaskId(next.owner));
        error
    }
}
