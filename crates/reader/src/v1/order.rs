//! Which worker's event comes next.
//!
//! Each task has a state and a sequence number, and an event of it waits until they are what it demands: so an unblock on one
//! worker comes before the start on another, whatever their clocks say. Of the events that wait for nothing, the earliest comes
//! first; what comes out must be in order of time, too.

mod force;
mod parked;
mod ready;

use exectrace_format::go_v1::EventType;

use super::cursor::{Cursor, RawEvent, waits};
use crate::id_array::IdArray;
use crate::{Cause, Error};
use force::Tolerance;
use parked::Parked;
use ready::Ready;

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
    tasks: IdArray<TaskState>,
    /// The number of the collector's next cycle.
    collector: u64,
    last_ticks: i64,
    /// An event was let come that had waited: others may have waited for the same.
    was_forced: bool,
    tolerance: Tolerance,
}

/// More than are ever waiting on a usual machine, and few enough to look through after each event.
const WAITING_MAX: usize = 64;

/// Where a task is in its life, as far as order goes: its sequence number, and in the last bits its status. One word, so that it is
/// loaded, compared and stored as one.
type TaskState = u64;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Demand {
    task: u64,
    /// The bits of the task's state that matter; none where the event can always come next.
    mask: TaskState,
    /// What they must be.
    state: TaskState,
    /// What is added to the sequence number, and the status after.
    step: TaskState,
}

/// The part of a demand that the event's type gives.
#[derive(Clone, Copy, Debug)]
struct Rule {
    mask: TaskState,
    state: TaskState,
    step: TaskState,
    /// Whether the event's second argument is the sequence number: all bits or none.
    argument: u64,
    who: Who,
}

impl Rule {
    /// The event can always come next.
    const NOTHING: Self = Self {
        mask: 0,
        state: 0,
        step: 0,
        argument: 0,
        who: Who::Argument,
    };
    /// It is the collector's, whose cycles have numbers.
    const COLLECTOR: Self = Self {
        state: Demand::COLLECTOR,
        ..Self::NOTHING
    };

    /// It takes a task from one status to another.
    const fn task(who: Who, order: Sequenced, from: Status, to: Status) -> Self {
        let (mask, sequence, argument) = match order {
            Sequenced::No | Sequenced::Local => (STATUS_MASK, 0, 0),
            Sequenced::At(sequence) => (u64::MAX, sequence, 0),
            Sequenced::Argument => (u64::MAX, 0, u64::MAX),
        };
        let counts = !matches!(order, Sequenced::No);
        Self {
            mask,
            state: sequence << STATUS_BITS | from as u64,
            step: (counts as u64) << STATUS_BITS | to as u64,
            argument,
            who,
        }
    }
}

/// Which task an event is about.
#[derive(Clone, Copy, Debug)]
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
    /// The state that a demand of the collector's has, beside no mask: the number of its cycle stands in the place of a task.
    const COLLECTOR: TaskState = 1;

    #[inline(always)]
    fn of(event: &RawEvent<'_>) -> Self {
        let rule = &RULES[event.event_type as usize & 63];
        let [first, second, ..] = event.args;
        let sequence = second.min(SEQUENCE_MAX) & rule.argument;
        Self {
            task: match rule.who {
                Who::Owner => event.owner,
                Who::Argument => first,
            },
            mask: rule.mask,
            state: rule.state | sequence << STATUS_BITS,
            step: rule.step,
        }
    }

    #[inline]
    fn is_task(self) -> bool {
        self.mask != 0
    }

    #[inline]
    fn is_collector(self) -> bool {
        self.mask == 0 && self.state == Self::COLLECTOR
    }

    /// Whether another event could be one of those that this one has waited for.
    #[inline]
    fn concerns(self, other: Self) -> bool {
        self.task == other.task || self.is_collector()
    }
}

impl<'a> Order<'a> {
    pub(super) fn new(cursors: Vec<Cursor<'a>>) -> Self {
        let waiting = (0..cursors.len()).collect();
        let mut order = Self {
            cursors,
            ready: Ready::default(),
            waiting,
            parked: Parked::default(),
            tasks: IdArray::default(),
            collector: 0,
            last_ticks: i64::MIN,
            was_forced: false,
            tolerance: Tolerance::default(),
        };
        order.look_again(None);
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

    /// The event at a place.
    #[inline]
    pub(super) fn event(&self, index: usize) -> &RawEvent<'a> {
        self.cursors[index].next()
    }

    /// The event of [`Self::first`] has happened. Whether the one after it at this place is the first now, and in order of time.
    #[inline(always)]
    pub(super) fn take(&mut self, index: usize) -> bool {
        let cursor = &mut self.cursors[index];
        self.last_ticks = cursor.next().ticks;
        let happened = Demand::of(cursor.next());
        let has_more = cursor.advance();
        let ticks = cursor.next().ticks;
        let demand = Demand::of(cursor.next());
        self.happen(happened);
        let mut is_first = has_more && self.is_ready(demand);
        if is_first {
            is_first = self.ready.put_off(ticks) && ticks >= self.last_ticks;
        } else {
            self.ready.pop();
            if has_more {
                self.wait(index);
            }
        }
        if !self.waiting.is_empty() {
            is_first &= !self.look_again(Some(happened));
            if !self.parked.is_empty() {
                self.unpark(happened);
                is_first = false;
            }
        }
        is_first
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
    fn unpark(&mut self, happened: Demand) {
        let ready = if happened.is_task() {
            let state = self.tasks.get(happened.task);
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

    /// Finds the cursors that wait no more, after an event has happened. Whether there is one.
    #[inline]
    fn look_again(&mut self, happened: Option<Demand>) -> bool {
        let happened = happened.filter(|_| !std::mem::take(&mut self.was_forced));
        let mut is_found = false;
        let mut at = 0;
        while let Some(&index) = self.waiting.get(at) {
            let demand = self.demand(index);
            if happened.is_none_or(|happened| happened.concerns(demand)) && self.is_ready(demand) {
                self.waiting.swap_remove(at);
                let ticks = self.cursors[index].next().ticks;
                self.ready.push(ticks, index);
                is_found = true;
            } else {
                at += 1;
            }
        }
        is_found
    }

    /// What the event at a place demands. It is not kept: reading it again would wait for its parts to be written.
    #[inline(always)]
    fn demand(&self, index: usize) -> Demand {
        Demand::of(self.cursors[index].next())
    }

    /// Always inlined, as the next one: else the demand goes through memory, and each copy of it waits for the one before.
    #[inline(always)]
    fn is_ready(&mut self, demand: Demand) -> bool {
        if demand.is_task() {
            return self.tasks.get(demand.task) & demand.mask == demand.state;
        }
        !demand.is_collector() || self.collector == demand.task
    }

    #[inline(always)]
    fn happen(&mut self, demand: Demand) {
        if demand.is_task() {
            let state = self.tasks.get_mut(demand.task);
            *state = (*state & !STATUS_MASK).wrapping_add(demand.step);
        } else if demand.is_collector() {
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
