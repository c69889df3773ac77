//! The commonest events, when nothing about them is special.
//!
//! Most events pass a task from one state to another, and most of those refer to what was met before: a task whose page is at hand,
//! a string and a stack that have ids. They happen here, many in a row, with no more than that looked at. Whatever is not as
//! expected is left to the rules (`task_rules.rs`), which know all cases and say what is wrong: so nothing is changed here before
//! it is known that all fits, and what happens is the same.

mod source;

use exectrace_format::go_v2::EventType;
use exectrace_format::role::{Metric, Range, State};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, WorkerId};

use super::generation::Generation;
use super::order::{Order, told_task};
use super::state::{NO_SLOT, NONE, Task, Thread, WorkerState};
use super::told::{Told, after};
use crate::Timestamp;
use crate::event::{Event, EventType as AnyType, Kind};
pub(super) use source::{InBatch, InRow};
use source::{Plain, Source};

/// What a common event means, and the stack of who wrote it.
type Meaning = (Kind, StackId);

/// The thread of a run, and where the state of its task is.
struct Now {
    thread: Thread,
    slot: usize,
}

impl Order {
    /// Lets events of a thread happen, as long as they are plain, not later than `until_ns`, and have room. Gives how many, and
    /// those that are left.
    #[inline(always)]
    pub(super) fn run_plain<S: Source>(
        &mut self,
        mut source: S,
        thread: &mut Thread,
        until_ns: i64,
        generation: &Generation<'_>,
        told: &mut Told<'_>,
    ) -> (usize, S) {
        let mut now = Now {
            thread: *thread,
            slot: self.tasks.recent_slot(thread.task).unwrap_or(NO_SLOT),
        };
        let (places, mut last) = told.places();
        let room = places.len();
        let mut places = places.iter_mut();
        while places.len() > 0 {
            let Some((mut event, time_ns)) = source.next() else {
                break;
            };
            if time_ns > until_ns {
                break;
            }
            let Some(event_type) = event.event_type() else {
                break;
            };
            let before = now.thread.task;
            let Some((kind, stack)) = self.plain(event_type, &mut event, &mut now, generation)
            else {
                break;
            };
            let Some(place) = places.next() else {
                break;
            };
            last = after(last, Timestamp(time_ns));
            *place = Event {
                time: last,
                offset: source.offset(),
                task: told_task(before),
                worker: WorkerId(now.thread.worker as i64),
                thread: ThreadId(now.thread.id),
                stack,
                event_type: AnyType::V2(event_type),
                kind,
            };
            source.pass(event, time_ns);
        }
        let count = room - places.len();
        told.add(count, last);
        *thread = now.thread;
        (count, source)
    }

    /// What an event means if it is plain, and then it has happened.
    #[inline(always)]
    fn plain(
        &mut self,
        event_type: EventType,
        event: &mut impl Plain,
        now: &mut Now,
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        use EventType as E;
        match event_type {
            E::GoStart => self.plain_start(event.args(E::GoStart)?, now, generation),
            E::GoBlock => self.plain_stop(event.args(E::GoBlock)?, now, generation, State::Waiting),
            E::GoUnblock => self.plain_unblock(event.args(E::GoUnblock)?, generation),
            E::GoCreate => self.plain_create(event.args(E::GoCreate)?, now, generation),
            E::GoDestroy => self.plain_end(event.args(E::GoDestroy)?, now),
            E::GoStop => self.plain_stop(event.args(E::GoStop)?, now, generation, State::Runnable),
            E::GoSyscallBegin => {
                self.plain_syscall_begin(event.args(E::GoSyscallBegin)?, now, generation)
            }
            E::GoSyscallEnd => self.plain_syscall_end(event.args(E::GoSyscallEnd)?, now),
            E::HeapAlloc => plain_heap(event.args(E::HeapAlloc)?, now),
            E::GCSweepBegin => {
                self.plain_sweep_begin(event.args(E::GCSweepBegin)?, now, generation)
            }
            E::GCSweepEnd => self.plain_sweep_end(event.args(E::GCSweepEnd)?, now),
            _ => None,
        }
    }

    #[inline(always)]
    fn plain_start(
        &mut self,
        [id, number]: [u64; 2],
        now: &mut Now,
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        let slot = self.tasks.recent_slot(id)?;
        let task = self.tasks.at(slot)?;
        let next = task.sequence.next(generation.number, number)?;
        if task.state != State::Runnable || !now.has_worker() || now.has_task() {
            return None;
        }
        task.state = State::Running;
        task.sequence = next;
        (now.thread.task, now.slot) = (id, slot);
        Some(passage(id, State::Runnable, State::Running))
    }

    #[inline(always)]
    fn plain_stop(
        &mut self,
        [reason, stack]: [u64; 2],
        now: &mut Now,
        generation: &Generation<'_>,
        to: State,
    ) -> Option<Meaning> {
        let task = self.tasks.at(now.slot)?;
        if task.state != State::Running || !now.has_worker() {
            return None;
        }
        let reason = generation.plain_string(reason)?;
        let stack = generation.plain_stack(stack)?;
        task.state = to;
        let kind = Kind::TaskTransition {
            task: TaskId(now.leave()),
            from: State::Running,
            to,
            reason,
            stack,
        };
        Some((kind, stack))
    }

    #[inline(always)]
    fn plain_end(&mut self, []: [u64; 0], now: &mut Now) -> Option<Meaning> {
        let task = self.tasks.at(now.slot)?;
        if task.state != State::Running || !now.has_worker() || task.has_open {
            return None;
        }
        *task = Task::default();
        Some(passage(now.leave(), State::Running, State::NotExist))
    }

    #[inline(always)]
    fn plain_unblock(
        &mut self,
        [id, number, stack]: [u64; 3],
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        let slot = self.tasks.recent_slot(id)?;
        let task = self.tasks.at(slot)?;
        let next = task.sequence.next(generation.number, number)?;
        if task.state != State::Waiting {
            return None;
        }
        let stack = generation.plain_stack(stack)?;
        task.state = State::Runnable;
        task.sequence = next;
        let (kind, _) = passage(id, State::Waiting, State::Runnable);
        Some((kind, stack))
    }

    #[inline(always)]
    fn plain_create(
        &mut self,
        [new, start_stack, stack]: [u64; 3],
        now: &Now,
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        let creator = self.tasks.at(now.slot)?.state;
        if creator != State::Running || !now.has_worker() {
            return None;
        }
        let slot = self.tasks.recent_slot(new)?;
        let task = self.tasks.at(slot)?;
        if task.state != State::NotExist {
            return None;
        }
        let start_stack = generation.plain_stack(start_stack)?;
        let stack = generation.plain_stack(stack)?;
        *task = Task::new(State::Runnable, generation.number);
        let kind = Kind::TaskTransition {
            task: TaskId(new),
            from: State::NotExist,
            to: State::Runnable,
            reason: StringId(0),
            stack: start_stack,
        };
        Some((kind, stack))
    }

    #[inline(always)]
    fn plain_syscall_begin(
        &mut self,
        [number, stack]: [u64; 2],
        now: &Now,
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        let task = self.tasks.at(now.slot)?;
        let worker = self.workers.recent(now.thread.worker)?;
        let next = worker.sequence.next(generation.number, number)?;
        if task.state != State::Running {
            return None;
        }
        let stack = generation.plain_stack(stack)?;
        task.state = State::Syscall;
        worker.sequence = next;
        worker.state = WorkerState::Syscall;
        let kind = Kind::TaskTransition {
            task: TaskId(now.thread.task),
            from: State::Running,
            to: State::Syscall,
            reason: StringId(0),
            stack,
        };
        Some((kind, stack))
    }

    #[inline(always)]
    fn plain_syscall_end(&mut self, []: [u64; 0], now: &Now) -> Option<Meaning> {
        let task = self.tasks.at(now.slot)?;
        let worker = self.workers.recent(now.thread.worker)?;
        if task.state != State::Syscall || worker.state != WorkerState::Syscall {
            return None;
        }
        task.state = State::Running;
        worker.state = WorkerState::Running;
        Some(passage(now.thread.task, State::Syscall, State::Running))
    }

    #[inline(always)]
    fn plain_sweep_begin(
        &mut self,
        [stack]: [u64; 1],
        now: &Now,
        generation: &Generation<'_>,
    ) -> Option<Meaning> {
        let stack = generation.plain_stack(stack)?;
        let worker = self.workers.recent(now.thread.worker)?;
        if worker.sweeps {
            return None;
        }
        worker.sweeps = true;
        let kind = Kind::RangeBegin {
            range: Range::Sweep,
            reason: StringId(0),
        };
        Some((kind, stack))
    }

    #[inline(always)]
    fn plain_sweep_end(
        &mut self,
        [swept_bytes, reclaimed_bytes]: [u64; 2],
        now: &Now,
    ) -> Option<Meaning> {
        let worker = self.workers.recent(now.thread.worker)?;
        if !worker.sweeps {
            return None;
        }
        worker.sweeps = false;
        let kind = Kind::RangeEnd {
            range: Range::Sweep,
            reason: StringId(0),
            swept_bytes,
            reclaimed_bytes,
        };
        Some((kind, StackId(0)))
    }
}

#[inline(always)]
fn plain_heap([value]: [u64; 1], now: &Now) -> Option<Meaning> {
    let metric = Metric::HeapLive;
    now.has_worker()
        .then_some((Kind::Metric { metric, value }, StackId(0)))
}

impl Now {
    #[inline(always)]
    fn has_worker(&self) -> bool {
        self.thread.worker != NONE
    }

    #[inline(always)]
    fn has_task(&self) -> bool {
        self.thread.task != NONE
    }

    /// The thread runs its task no more. Gives which one that was.
    #[inline(always)]
    fn leave(&mut self) -> u64 {
        self.slot = NO_SLOT;
        std::mem::replace(&mut self.thread.task, NONE)
    }
}

/// A task passes from one state to another, without a reason or a stack.
#[inline(always)]
fn passage(task: u64, from: State, to: State) -> Meaning {
    let kind = Kind::TaskTransition {
        task: TaskId(task),
        from,
        to,
        reason: StringId(0),
        stack: StackId(0),
    };
    (kind, StackId(0))
}
