//! A run: usual events of one worker, one after another, as long as none of another comes first.
//!
//! Most events of a trace are a few types that concern a task or two, and fit. They are told here, in one step from the record to
//! the event, by the same table of rules as all others. Whatever is not quite usual ends the run before it has changed anything,
//! and goes the way of single events, which knows of faults.

mod source;

use exectrace_format::go_v1::EventType as E;
use exectrace_format::role::{Metric, Range};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, WorkerId};

use super::{Demand, Order};
use crate::block::Block;
use crate::event::{Event, EventType, Kind};
use crate::v1::index::Stacks;
use crate::v1::meaning::Meanings;
use crate::v1::rules::rule;
use crate::v1::task::{Task, Tasks};
use crate::v1::teller::{Teller, time};
pub(in crate::v1) use source::InBatch;
use source::{InRow, Source, Usual};

impl Order<'_> {
    /// Tells the events of the first cursor from its next one on. Whether there was one; if not, nothing has changed.
    #[inline(never)]
    pub(in crate::v1) fn run(
        &mut self,
        index: usize,
        beside_ticks: i64,
        teller: &mut Teller<'_>,
        told: &mut Block<'_>,
    ) -> bool {
        let Some(begin_ticks) = teller.begin_ticks else {
            return false;
        };
        if self.was_forced || !self.parked.is_empty() {
            return false;
        }
        let limit = self.limit(beside_ticks);
        let cursor = &mut self.cursors[index];
        let Some(worker) = teller.checks.usual_worker(cursor.place) else {
            return false;
        };
        if worker.task != cursor.task {
            return false;
        }
        let slot = cursor
            .task_slot
            .or_else(|| teller.tasks.slot(cursor.task))
            .unwrap_or(NO_SLOT);
        let thread = teller.threads.get(cursor.place).copied();
        let mut run = Run {
            nobody_acts: is_running(&teller.tasks, 0),
            acts: is_running(&teller.tasks, slot),
            tasks: &mut teller.tasks,
            stacks: &teller.names.index.stacks,
            meanings: &teller.meanings,
            task: cursor.task,
            slot,
            sweeps: worker.sweeps,
            worker: WorkerId(cursor.worker),
            thread: thread.unwrap_or(ThreadId::NONE),
            begin_ticks,
            ns_per_tick: teller.ns_per_tick,
            last_ticks: self.last_ticks.max(teller.last_ticks),
            limit,
            awaited: &self.awaited,
            awaited_bits: self.awaited.iter().fold(0, |bits, task| bits | bit(*task)),
            met: None,
        };
        let begin = told.len();
        let mut has_more = true;
        loop {
            let (count, _) = run.tell(InRow(cursor.row()), told);
            cursor.pass(count);
            if !cursor.is_at_end_of_row() {
                break;
            }
            let (count, left) = run.tell(cursor.in_batch(), told);
            cursor.go_on(count, left);
            has_more = cursor.refill();
            if !has_more || run.met.is_some() || told.is_full() {
                break;
            }
        }
        if told.len() == begin {
            return false;
        }
        (cursor.task, cursor.task_slot, worker.task) = (run.task, Some(run.slot), run.task);
        worker.sweeps = run.sweeps;
        (self.last_ticks, teller.last_ticks) = (run.last_ticks, run.last_ticks);
        let met = run.met;
        self.settle(index, has_more, &mut teller.tasks);
        if let Some(task) = met {
            self.let_come(Demand::about(task), &mut teller.tasks);
        }
        true
    }
}

impl Order<'_> {
    /// Until when the first cursor's events come first. Notes what others wait for.
    fn limit(&mut self, beside_ticks: i64) -> i64 {
        let limit = self.ready.limit().min(beside_ticks);
        self.awaited.clear();
        if self.waiting.is_empty() {
            return limit;
        }
        for &waiting in &self.waiting {
            self.awaited.push(Demand::of(&self.cursors[waiting]).task);
        }
        limit.min(self.tolerance.look_at_ticks.saturating_add(1))
    }
}

/// No word is here.
const NO_SLOT: usize = usize::MAX;

/// Where the word of task 0 is, which was the first one.
const NOBODY_SLOT: usize = 0;

#[inline(always)]
fn is_running(tasks: &Tasks, slot: usize) -> bool {
    tasks.at(slot).is_some_and(Task::is_running)
}

/// What is the same for all events of a run, and the task that runs.
struct Run<'r> {
    tasks: &'r mut Tasks,
    stacks: &'r Stacks,
    meanings: &'r Meanings,
    worker: WorkerId,
    thread: ThreadId,
    begin_ticks: i64,
    ns_per_tick: f64,
    /// The time of the event before.
    last_ticks: i64,
    /// The time at which others come first.
    limit: i64,
    /// The task that runs on the worker, and where its word is.
    task: u64,
    slot: usize,
    /// Whether that task runs, as far as it is concerned; and whether none does when none runs.
    acts: bool,
    nobody_acts: bool,
    /// Whether the worker sweeps.
    sweeps: bool,
    /// Tasks that events of other workers wait for, and the one of them that the last event was about.
    awaited: &'r [u64],
    /// A bit for each of those.
    awaited_bits: u64,
    met: Option<u64>,
}

impl Run<'_> {
    /// Tells events, which then have happened, as long as they are usual and fit and the block has room. How many there were, and
    /// what is left.
    #[inline(always)]
    fn tell<S: Source>(&mut self, mut source: S, told: &mut Block<'_>) -> (usize, S) {
        let mut count = 0;
        for place in told.room() {
            let Some((mut event, ticks)) = source.next() else {
                break;
            };
            if ticks < self.last_ticks || ticks >= self.limit || self.met.is_some() {
                break;
            }
            let Some(event_type) = event.event_type() else {
                break;
            };
            let before = self.task;
            if self.happen(event_type, &mut event, place).is_none() {
                break;
            }
            place.time = time(ticks, self.begin_ticks, self.ns_per_tick);
            place.offset = source.offset(&event);
            place.task = TaskId(before);
            place.worker = self.worker;
            place.thread = self.thread;
            place.event_type = EventType::V1(rule(event_type).told);
            self.last_ticks = ticks;
            source.pass(event, ticks);
            count += 1;
        }
        told.add(count);
        (count, source)
    }

    /// Lets an event happen if it is usual and fits: its kind and its stack go into `told`.
    #[inline(always)]
    fn happen(&mut self, event_type: E, event: &mut impl Usual, told: &mut Event) -> Option<()> {
        match event_type {
            E::GoStart => {
                let [task, sequence] = event.args()?;
                self.start(E::GoStart, task, sequence, told)
            }
            E::GoStartLocal => {
                let [task] = event.args()?;
                self.start(E::GoStartLocal, task, 0, told)
            }
            E::GoStop
            | E::GoSched
            | E::GoPreempt
            | E::GoSleep
            | E::GoBlock
            | E::GoBlockSend
            | E::GoBlockRecv
            | E::GoBlockSelect
            | E::GoBlockSync
            | E::GoBlockCond
            | E::GoBlockNet
            | E::GoBlockGC => {
                let [stack] = event.args()?;
                self.stop(event_type, stack, told)
            }
            E::GoEnd => {
                let [] = event.args()?;
                self.stop(E::GoEnd, 0, told)
            }
            E::GoUnblock => {
                let [task, sequence, stack] = event.args()?;
                self.wake(E::GoUnblock, task, sequence, stack, told)
            }
            E::GoUnblockLocal => {
                let [task, stack] = event.args()?;
                self.wake(E::GoUnblockLocal, task, 0, stack, told)
            }
            E::GoCreate => self.create(event.args()?, told),
            E::GoSysCall => self.call(event.args()?, told),
            E::HeapAlloc => heap(event.args()?, told),
            E::GCSweepStart => self.sweep_begin(event.args()?, told),
            E::GCSweepDone => self.sweep_end(event.args()?, told),
            _ => None,
        }
    }

    #[inline(always)]
    fn start(&mut self, event_type: E, task: u64, sequence: u64, told: &mut Event) -> Option<()> {
        if self.task != 0 {
            return None;
        }
        let slot = self.tasks.slot(task)?;
        self.change(event_type, task, slot, sequence)?;
        (self.task, self.slot, self.acts) = (task, slot, true);
        told.kind = self.transition(event_type, task, StackId(0));
        told.stack = StackId(0);
        Some(())
    }

    #[inline(always)]
    fn stop(&mut self, event_type: E, stack: u64, told: &mut Event) -> Option<()> {
        if self.task == 0 {
            return None;
        }
        let stack = self.stacks.known(stack)?;
        let task = self.task;
        self.change(event_type, task, self.slot, 0)?;
        (self.task, self.slot, self.acts) = (0, NOBODY_SLOT, self.nobody_acts);
        told.kind = self.transition(event_type, task, stack);
        told.stack = stack;
        Some(())
    }

    #[inline(always)]
    fn wake(
        &mut self,
        event_type: E,
        task: u64,
        sequence: u64,
        stack: u64,
        told: &mut Event,
    ) -> Option<()> {
        if !self.acts {
            return None;
        }
        let stack = self.stacks.known(stack)?;
        let slot = self.tasks.slot(task)?;
        self.change(event_type, task, slot, sequence)?;
        told.kind = self.transition(event_type, task, StackId(0));
        told.stack = stack;
        Some(())
    }

    #[inline(always)]
    fn create(&mut self, args: [u64; 3], told: &mut Event) -> Option<()> {
        if !self.acts {
            return None;
        }
        let [task, start_stack, stack] = args;
        let start_stack = self.stacks.known(start_stack)?;
        let stack = self.stacks.known(stack)?;
        let slot = self.tasks.slot(task)?;
        self.change(E::GoCreate, task, slot, 0)?;
        told.kind = self.transition(E::GoCreate, task, start_stack);
        told.stack = stack;
        Some(())
    }

    #[inline(always)]
    fn call(&mut self, [stack]: [u64; 1], told: &mut Event) -> Option<()> {
        if self.task == 0 || !self.acts {
            return None;
        }
        told.stack = self.stacks.known(stack)?;
        told.kind = Kind::SyscallBegin;
        Some(())
    }

    #[inline(always)]
    fn sweep_begin(&mut self, [stack]: [u64; 1], told: &mut Event) -> Option<()> {
        if self.sweeps {
            return None;
        }
        told.stack = self.stacks.known(stack)?;
        self.sweeps = true;
        told.kind = Kind::RangeBegin {
            range: Range::Sweep,
            reason: StringId(0),
        };
        Some(())
    }

    #[inline(always)]
    fn sweep_end(&mut self, args: [u64; 2], told: &mut Event) -> Option<()> {
        if !self.sweeps {
            return None;
        }
        let [swept_bytes, reclaimed_bytes] = args;
        self.sweeps = false;
        told.kind = Kind::RangeEnd {
            range: Range::Sweep,
            reason: StringId(0),
            swept_bytes,
            reclaimed_bytes,
        };
        told.stack = StackId(0);
        Some(())
    }

    /// Lets a task pass from one state to another, if it may.
    #[inline(always)]
    fn change(&mut self, event_type: E, id: u64, slot: usize, sequence: u64) -> Option<()> {
        let rule = rule(event_type);
        let task = self.tasks.at_mut(slot)?;
        if !rule.fits(*task, sequence) {
            return None;
        }
        *task = rule.apply(*task);
        if self.awaited_bits & bit(id) != 0 && rule.orders() {
            self.meet(id);
        }
        Some(())
    }

    #[inline(never)]
    fn meet(&mut self, id: u64) {
        if self.awaited.contains(&id) {
            self.met = Some(id);
        }
    }

    /// What a type of event says of a task.
    #[inline(always)]
    fn transition(&self, event_type: E, task: u64, stack: StackId) -> Kind {
        let rule = rule(event_type);
        Kind::TaskTransition {
            task: TaskId(task),
            from: rule.from,
            to: rule.to,
            reason: self.meanings.reason(event_type),
            stack,
        }
    }
}

/// A bit that a task has in common with few others.
#[inline(always)]
fn bit(task: u64) -> u64 {
    1 << (task & 63)
}

#[inline(always)]
fn heap([value]: [u64; 1], told: &mut Event) -> Option<()> {
    let metric = Metric::HeapLive;
    told.kind = Kind::Metric { metric, value };
    told.stack = StackId(0);
    Some(())
}
