//! A run: usual events of one worker, one after another, as long as none of another comes first.
//!
//! Most events of a trace are a few types that concern a task or two, and fit. They are told here, in one step from the record to
//! the event, by the same table of rules as all others. Whatever is not quite usual ends the run before it has changed anything,
//! and goes the way of single events, which knows of faults.

use exectrace_format::role::{Metric, Range};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, WorkerId};

use super::{Demand, Order};
use crate::event::{Event, EventType, Kind};
use crate::reader::BLOCK_EVENTS;
use crate::v1::cursor::Decoded;
use crate::v1::index::Stacks;
use crate::v1::meaning::Meanings;
use crate::v1::rules::{Rule, Usual, rule};
use crate::v1::task::{Task, Tasks};
use crate::v1::teller::{Teller, time};

impl Order<'_> {
    /// Tells the events of the first cursor from its next one on. Whether there was one; if not, nothing has changed.
    #[inline(never)]
    pub(in crate::v1) fn run(
        &mut self,
        index: usize,
        beside_ticks: i64,
        teller: &mut Teller<'_>,
        told: &mut Vec<Event>,
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
            met: None,
        };
        let begin = told.len();
        let mut has_more = true;
        while has_more && told.len() < BLOCK_EVENTS {
            let row = cursor.row();
            let row = &row[..row.len().min(BLOCK_EVENTS - told.len())];
            let length = row.len();
            let count = run.tell(row, told);
            has_more = cursor.pass(count);
            if count < length || run.met.is_some() {
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
    met: Option<u64>,
}

impl Run<'_> {
    /// Appends events, which then have happened, as long as they are usual and fit. How many there were.
    #[inline(always)]
    fn tell(&mut self, row: &[Decoded], told: &mut Vec<Event>) -> usize {
        for (count, next) in row.iter().enumerate() {
            if next.ticks < self.last_ticks || next.ticks >= self.limit || self.met.is_some() {
                return count;
            }
            let rule = rule(next.event_type);
            let before = self.task;
            let stack = next.args[usize::from(rule.stack_arg & 3)];
            let Some(stack) = self.stacks.known(stack) else {
                return count;
            };
            let Some(kind) = self.kind(next, rule, stack) else {
                return count;
            };
            told.push(Event {
                time: time(next.ticks, self.begin_ticks, self.ns_per_tick),
                offset: next.offset,
                task: TaskId(before),
                worker: self.worker,
                thread: self.thread,
                stack,
                event_type: EventType::V1(rule.told),
                kind,
            });
            self.last_ticks = next.ticks;
        }
        row.len()
    }

    /// What the event means, if it fits; then it has happened.
    #[inline(always)]
    fn kind(&mut self, next: &Decoded, rule: &Rule, stack: StackId) -> Option<Kind> {
        let [first, second, ..] = next.args;
        let mut task = first;
        let mut own_stack = StackId(0);
        match rule.usual {
            Usual::No => return None,
            Usual::Heap => {
                return Some(Kind::Metric {
                    metric: Metric::HeapLive,
                    value: first,
                });
            }
            Usual::SweepBegin if !self.sweeps => {
                self.sweeps = true;
                return Some(Kind::RangeBegin {
                    range: Range::Sweep,
                    reason: StringId(0),
                });
            }
            Usual::SweepEnd if self.sweeps => {
                self.sweeps = false;
                return Some(Kind::RangeEnd {
                    range: Range::Sweep,
                    reason: StringId(0),
                    swept_bytes: first,
                    reclaimed_bytes: second,
                });
            }
            Usual::Call if self.task != 0 && self.acts => return Some(Kind::SyscallBegin),
            Usual::Start if self.task == 0 => {
                let slot = self.tasks.slot(first)?;
                self.change(slot, rule, second)?;
                (self.task, self.slot, self.acts) = (first, slot, true);
            }
            Usual::Stop if self.task != 0 => {
                self.change(self.slot, rule, second)?;
                (task, own_stack) = (self.task, stack);
                (self.task, self.slot, self.acts) = (0, NOBODY_SLOT, self.nobody_acts);
            }
            Usual::Wake if self.acts => {
                let slot = self.tasks.slot(first)?;
                self.change(slot, rule, second)?;
            }
            Usual::Create if self.acts => {
                own_stack = self.stacks.known(second)?;
                let slot = self.tasks.slot(first)?;
                self.change(slot, rule, second)?;
            }
            _ => return None,
        }
        if !self.awaited.is_empty() && rule.orders() && self.awaited.contains(&task) {
            self.met = Some(task);
        }
        Some(Kind::TaskTransition {
            task: TaskId(task),
            from: rule.from,
            to: rule.to,
            reason: self.meanings.reason(next.event_type),
            stack: own_stack,
        })
    }

    /// Lets a task pass from one state to another, if it may.
    #[inline(always)]
    fn change(&mut self, slot: usize, rule: &Rule, second: u64) -> Option<()> {
        let task = self.tasks.at_mut(slot)?;
        if !rule.fits(*task, second) {
            return None;
        }
        *task = rule.apply(*task);
        Some(())
    }
}
