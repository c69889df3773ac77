//! The commonest events, when nothing about them is special.
//!
//! Most events pass a task from one state to another, and most of those refer to what was met before: a task whose page is at hand,
//! a string and a stack that have ids. They happen here, many in a row, with no more than that looked at. Whatever is not as
//! expected is left to the rules (`task_rules.rs`), which know all cases and say what is wrong: so nothing is changed here before
//! it is known that all fits, and what happens is the same.

mod pair;
mod source;

use exectrace_format::go_v2::EventType;
use exectrace_format::role::{Metric, Range, State};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, WorkerId};

use super::generation::Generation;
use super::order::{Order, told_task};
use super::state::{NO_SLOT, NONE, Task, Tasks, Thread, WorkerState, Workers};
use super::told::{Told, after};
use crate::Timestamp;
use crate::event::{Event, EventType as AnyType, Kind};
pub(super) use pair::{Pair, Side};
pub(super) use source::{InBatch, InRow};
use source::{Plain, Source};

/// What ends a run of plain events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// There is no room for the next one, if there is one.
    Full,
    /// No further one is there, or none that can be taken from there.
    Dry,
    /// The next one comes later: then, if it is known that it can be decoded.
    Later(Option<i64>),
    /// The next one is not plain.
    Special,
}

impl Stop {
    /// When the next event comes, if it is known, and that it can be decoded.
    #[inline(always)]
    pub(super) fn near_ns(self) -> Option<i64> {
        match self {
            Self::Later(time_ns) => time_ns,
            _ => None,
        }
    }

    /// The same, if it is not known when the next event comes and that it can be decoded.
    #[inline(always)]
    fn or_later(self, next: Option<(impl Plain, i64)>) -> Self {
        match next {
            Some((event, time_ns)) if event.is_whole() => Self::Later(Some(time_ns)),
            _ => self,
        }
    }
}

/// The thread of a run, and where the state of its task is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) thread: Thread,
    slot: usize,
}

/// One event on its way: what it may change, and the place where it is told.
struct Step<'s, 'a> {
    tasks: &'s mut Tasks,
    workers: &'s mut Workers,
    now: &'s mut Now,
    generation: &'s Generation<'a>,
    place: &'s mut Event,
}

impl Order {
    /// A thread before plain events.
    #[inline(always)]
    pub(super) fn now(&self, thread: Thread) -> Now {
        Now {
            thread,
            slot: self.tasks.recent_slot(thread.task).unwrap_or(NO_SLOT),
        }
    }

    /// Lets events of a pair of threads happen, the earliest first, as long as they are plain, not later than `limit_ns`, and have
    /// room. Gives why those of the thread whose turn it is wait.
    // A function of its own, with what it needs in registers. What is known of an event is written to its place at once, also
    // when it then turns out not to be plain: so little of it is left to be kept while its type's own step runs.
    #[inline(never)]
    pub(super) fn run_plain<S: Source>(
        &mut self,
        pair: &mut Pair<S>,
        limit_ns: i64,
        generation: &Generation<'_>,
        told: &mut Told<'_>,
    ) -> Stop {
        // Nearly all steps need one, and none takes it away.
        if pair.side().now.thread.worker == NONE {
            return Stop::Special;
        }
        let (places, mut last) = told.places();
        let room = places.len();
        let mut places = places.iter_mut();
        // Copies, which need not be in memory.
        let Side {
            mut source,
            mut now,
            ..
        } = pair.side().clone();
        let mut until_ns = pair.other().next_ns.min(limit_ns);
        let (count, stop) = 'told: loop {
            let Some(place) = places.next() else {
                break (room, Stop::Full.or_later(source.next()));
            };
            loop {
                let count = room - places.len() - 1;
                let Some((mut event, time_ns)) = source.next() else {
                    break 'told (count, Stop::Dry);
                };
                if time_ns > until_ns {
                    let stop = Stop::Later(None).or_later(Some((event, time_ns)));
                    let is_turn = time_ns.max(pair.other().next_ns) <= limit_ns;
                    if !is_turn || stop == Stop::Later(None) {
                        break 'told (count, stop);
                    }
                    pair.take_turns(Side::new(source, now, Some(time_ns)));
                    Side { source, now, .. } = pair.side().clone();
                    if now.thread.worker == NONE {
                        break 'told (count, Stop::Special);
                    }
                    until_ns = time_ns;
                    continue;
                }
                let time = after(last, Timestamp(time_ns));
                place.time = time;
                place.offset = source.offset();
                place.worker = WorkerId(now.thread.worker as i64);
                place.thread = ThreadId(now.thread.id);
                let step = Step {
                    tasks: &mut self.tasks,
                    workers: &mut self.workers,
                    now: &mut now,
                    generation,
                    place,
                };
                if step.happen(&mut event).is_none() {
                    break 'told (count, Stop::Special);
                }
                last = time;
                source.pass(event, time_ns);
                break;
            }
        };
        told.add(count, last);
        *pair.side_mut() = Side::new(source, now, stop.near_ns());
        stop
    }
}

impl Step<'_, '_> {
    /// Lets the event happen, if it is plain, and tells what it means.
    #[inline(always)]
    fn happen(self, event: &mut impl Plain) -> Option<()> {
        use EventType as E;
        match event.event_type()? {
            E::GoStart => self.start(event.args(E::GoStart)?),
            E::GoBlock => self.stop(E::GoBlock, event.args(E::GoBlock)?, State::Waiting),
            E::GoUnblock => self.unblock(event.args(E::GoUnblock)?),
            E::GoCreate => self.create(event.args(E::GoCreate)?),
            E::GoDestroy => self.end(event.args(E::GoDestroy)?),
            E::GoStop => self.stop(E::GoStop, event.args(E::GoStop)?, State::Runnable),
            E::GoSyscallBegin => self.syscall_begin(event.args(E::GoSyscallBegin)?),
            E::GoSyscallEnd => self.syscall_end(event.args(E::GoSyscallEnd)?),
            E::HeapAlloc => self.heap(event.args(E::HeapAlloc)?),
            E::GCSweepBegin => self.sweep_begin(event.args(E::GCSweepBegin)?),
            E::GCSweepEnd => self.sweep_end(event.args(E::GCSweepEnd)?),
            _ => None,
        }
    }

    #[inline(always)]
    fn start(self, [id, number]: [u64; 2]) -> Option<()> {
        let slot = self.tasks.recent_slot(id)?;
        let task = self.tasks.at(slot)?;
        let next = task.sequence.next(self.generation.number, number)?;
        if task.state != State::Runnable || self.now.thread.task != NONE {
            return None;
        }
        task.state = State::Running;
        task.sequence = next;
        (self.now.thread.task, self.now.slot) = (id, slot);
        let kind = passage(id, State::Runnable, State::Running);
        self.tell(EventType::GoStart, TaskId(0), kind, StackId(0))
    }

    #[inline(always)]
    fn stop(self, event_type: EventType, [reason, stack]: [u64; 2], to: State) -> Option<()> {
        let task = self.tasks.at(self.now.slot)?;
        if task.state != State::Running {
            return None;
        }
        let reason = self.generation.plain_string(reason)?;
        let stack = self.generation.plain_stack(stack)?;
        task.state = to;
        let id = self.now.leave();
        let kind = Kind::TaskTransition {
            task: id,
            from: State::Running,
            to,
            reason,
            stack,
        };
        self.tell(event_type, id, kind, stack)
    }

    #[inline(always)]
    fn end(self, []: [u64; 0]) -> Option<()> {
        let task = self.tasks.at(self.now.slot)?;
        if task.state != State::Running || task.has_open {
            return None;
        }
        *task = Task::default();
        let id = self.now.leave();
        let kind = passage(id.0, State::Running, State::NotExist);
        self.tell(EventType::GoDestroy, id, kind, StackId(0))
    }

    #[inline(always)]
    fn unblock(self, [id, number, stack]: [u64; 3]) -> Option<()> {
        let slot = self.tasks.recent_slot(id)?;
        let task = self.tasks.at(slot)?;
        let next = task.sequence.next(self.generation.number, number)?;
        if task.state != State::Waiting {
            return None;
        }
        let stack = self.generation.plain_stack(stack)?;
        task.state = State::Runnable;
        task.sequence = next;
        let kind = passage(id, State::Waiting, State::Runnable);
        let running = told_task(self.now.thread.task);
        self.tell(EventType::GoUnblock, running, kind, stack)
    }

    #[inline(always)]
    fn create(self, [new, start_stack, stack]: [u64; 3]) -> Option<()> {
        let creator = self.tasks.at(self.now.slot)?.state;
        if creator != State::Running {
            return None;
        }
        let slot = self.tasks.recent_slot(new)?;
        let task = self.tasks.at(slot)?;
        if task.state != State::NotExist {
            return None;
        }
        let start_stack = self.generation.plain_stack(start_stack)?;
        let stack = self.generation.plain_stack(stack)?;
        *task = Task::new(State::Runnable, self.generation.number);
        let kind = Kind::TaskTransition {
            task: TaskId(new),
            from: State::NotExist,
            to: State::Runnable,
            reason: StringId(0),
            stack: start_stack,
        };
        let creator = TaskId(self.now.thread.task);
        self.tell(EventType::GoCreate, creator, kind, stack)
    }

    #[inline(always)]
    fn syscall_begin(self, [number, stack]: [u64; 2]) -> Option<()> {
        let task = self.tasks.at(self.now.slot)?;
        let worker = self.workers.recent(self.now.thread.worker)?;
        let next = worker.sequence.next(self.generation.number, number)?;
        if task.state != State::Running {
            return None;
        }
        let stack = self.generation.plain_stack(stack)?;
        task.state = State::Syscall;
        worker.sequence = next;
        worker.state = WorkerState::Syscall;
        let id = TaskId(self.now.thread.task);
        let kind = Kind::TaskTransition {
            task: id,
            from: State::Running,
            to: State::Syscall,
            reason: StringId(0),
            stack,
        };
        self.tell(EventType::GoSyscallBegin, id, kind, stack)
    }

    #[inline(always)]
    fn syscall_end(self, []: [u64; 0]) -> Option<()> {
        let task = self.tasks.at(self.now.slot)?;
        let worker = self.workers.recent(self.now.thread.worker)?;
        if task.state != State::Syscall || worker.state != WorkerState::Syscall {
            return None;
        }
        task.state = State::Running;
        worker.state = WorkerState::Running;
        let id = TaskId(self.now.thread.task);
        let kind = passage(id.0, State::Syscall, State::Running);
        self.tell(EventType::GoSyscallEnd, id, kind, StackId(0))
    }

    #[inline(always)]
    fn heap(self, [value]: [u64; 1]) -> Option<()> {
        let metric = Metric::HeapLive;
        let running = told_task(self.now.thread.task);
        let kind = Kind::Metric { metric, value };
        self.tell(EventType::HeapAlloc, running, kind, StackId(0))
    }

    #[inline(always)]
    fn sweep_begin(self, [stack]: [u64; 1]) -> Option<()> {
        let stack = self.generation.plain_stack(stack)?;
        let worker = self.workers.recent(self.now.thread.worker)?;
        if worker.sweeps {
            return None;
        }
        worker.sweeps = true;
        let kind = Kind::RangeBegin {
            range: Range::Sweep,
            reason: StringId(0),
        };
        let running = told_task(self.now.thread.task);
        self.tell(EventType::GCSweepBegin, running, kind, stack)
    }

    #[inline(always)]
    fn sweep_end(self, [swept_bytes, reclaimed_bytes]: [u64; 2]) -> Option<()> {
        let worker = self.workers.recent(self.now.thread.worker)?;
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
        let running = told_task(self.now.thread.task);
        self.tell(EventType::GCSweepEnd, running, kind, StackId(0))
    }

    /// The event has happened: what it is, which task the thread ran before, what it means, and the stack of who wrote it.
    #[inline(always)]
    fn tell(self, event_type: EventType, task: TaskId, kind: Kind, stack: StackId) -> Option<()> {
        self.place.event_type = AnyType::V2(event_type);
        self.place.task = task;
        self.place.kind = kind;
        self.place.stack = stack;
        Some(())
    }
}

impl Now {
    /// The thread runs its task no more. Gives which one that was.
    #[inline(always)]
    fn leave(&mut self) -> TaskId {
        self.slot = NO_SLOT;
        TaskId(std::mem::replace(&mut self.thread.task, NONE))
    }
}

/// A task passes from one state to another, without a reason or a stack.
#[inline(always)]
fn passage(task: u64, from: State, to: State) -> Kind {
    Kind::TaskTransition {
        task: TaskId(task),
        from,
        to,
        reason: StringId(0),
        stack: StackId(0),
    }
}
