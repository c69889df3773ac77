//! The commonest events, when nothing about them is special.
//!
//! Most events pass a task from one state to another, and most of those refer to what was met before: a task whose page is at hand,
//! a string and a stack that have ids. They happen here, many in a row, with no more than that looked at. Whatever is not as
//! expected is left to the rules (`task_rules.rs`), which know all cases and say what is wrong: so nothing is changed here before
//! it is known that all fits, and what happens is the same.

use exectrace_format::go_v2::{EventType, ShortEvent};
use exectrace_format::role::State;
use exectrace_format::{StackId, StringId, TaskId, ThreadId, WorkerId};

use super::generation::Generation;
use super::order::{Order, told_task};
use super::row::Point;
use super::state::{NONE, Task, Thread, WorkerState};
use super::told::{Told, after};
use crate::Timestamp;
use crate::event::{Event, EventType as AnyType, Kind};

/// What a common event means.
struct Passage {
    task: u64,
    from: State,
    to: State,
    reason: StringId,
    /// The task's own stack.
    stack: StackId,
    /// The stack of who wrote the event.
    writer_stack: StackId,
    /// What the thread runs after it.
    runs: u64,
}

impl Order {
    /// Lets events of a thread happen, from a point on, as long as they are plain, not later than `until_ns`, and have room. Gives
    /// how many, and the point behind them.
    #[inline(always)]
    pub(super) fn run_plain(
        &mut self,
        (events, mut point): (&[ShortEvent], Point),
        thread: &mut Thread,
        until_ns: i64,
        generation: &Generation<'_>,
        told: &mut Told<'_>,
    ) -> (usize, Point) {
        let mut now = *thread;
        let mut count = 0;
        let (places, mut last) = told.places();
        for (event, place) in events.iter().zip(places) {
            let time_ns = point.time_ns.wrapping_add(i64::from(event.delta));
            if time_ns > until_ns {
                break;
            }
            let passage = match event.event_type {
                EventType::GoStart => self.plain_start(event, now, generation),
                EventType::GoBlock => self.plain_stop(event, now, generation, State::Waiting),
                EventType::GoUnblock => self.plain_unblock(event, now, generation),
                EventType::GoCreate => self.plain_create(event, now, generation),
                EventType::GoDestroy => self.plain_end(now),
                EventType::GoStop => self.plain_stop(event, now, generation, State::Runnable),
                EventType::GoSyscallBegin => self.plain_syscall_begin(event, now, generation),
                EventType::GoSyscallEnd => self.plain_syscall_end(now),
                _ => None,
            };
            let Some(passage) = passage else {
                break;
            };
            last = after(last, Timestamp(time_ns));
            *place = Event {
                time: last,
                offset: point.offset,
                task: told_task(now.task),
                worker: WorkerId(now.worker as i64),
                thread: ThreadId(now.id),
                stack: passage.writer_stack,
                event_type: AnyType::V2(event.event_type),
                kind: Kind::TaskTransition {
                    task: TaskId(passage.task),
                    from: passage.from,
                    to: passage.to,
                    reason: passage.reason,
                    stack: passage.stack,
                },
            };
            now.task = passage.runs;
            point = Point {
                time_ns,
                offset: point.offset + u64::from(event.length_bytes),
            };
            count += 1;
        }
        told.add(count, last);
        *thread = now;
        (count, point)
    }

    #[inline(always)]
    fn plain_start(
        &mut self,
        event: &ShortEvent,
        now: Thread,
        generation: &Generation<'_>,
    ) -> Option<Passage> {
        let [id, number, ..] = event.args.map(u64::from);
        let task = self.tasks.recent(id)?;
        let next = task.sequence.next(generation.number, number)?;
        if task.state != State::Runnable || now.worker == NONE || now.task != NONE {
            return None;
        }
        task.state = State::Running;
        task.sequence = next;
        Some(Passage {
            runs: id,
            ..passage(id, State::Runnable, State::Running)
        })
    }

    #[inline(always)]
    fn plain_stop(
        &mut self,
        event: &ShortEvent,
        now: Thread,
        generation: &Generation<'_>,
        to: State,
    ) -> Option<Passage> {
        let [reason, stack, ..] = event.args.map(u64::from);
        let task = self.tasks.recent(now.task)?;
        if task.state != State::Running || now.worker == NONE {
            return None;
        }
        let reason = generation.plain_string(reason)?;
        let stack = generation.plain_stack(stack)?;
        task.state = to;
        Some(Passage {
            reason,
            stack,
            writer_stack: stack,
            ..passage(now.task, State::Running, to)
        })
    }

    #[inline(always)]
    fn plain_end(&mut self, now: Thread) -> Option<Passage> {
        let task = self.tasks.recent(now.task)?;
        if task.state != State::Running || now.worker == NONE || task.has_open {
            return None;
        }
        *task = Task::default();
        Some(passage(now.task, State::Running, State::NotExist))
    }

    #[inline(always)]
    fn plain_unblock(
        &mut self,
        event: &ShortEvent,
        now: Thread,
        generation: &Generation<'_>,
    ) -> Option<Passage> {
        let [id, number, stack, ..] = event.args.map(u64::from);
        let task = self.tasks.recent(id)?;
        let next = task.sequence.next(generation.number, number)?;
        if task.state != State::Waiting {
            return None;
        }
        let writer_stack = generation.plain_stack(stack)?;
        task.state = State::Runnable;
        task.sequence = next;
        Some(Passage {
            writer_stack,
            runs: now.task,
            ..passage(id, State::Waiting, State::Runnable)
        })
    }

    #[inline(always)]
    fn plain_create(
        &mut self,
        event: &ShortEvent,
        now: Thread,
        generation: &Generation<'_>,
    ) -> Option<Passage> {
        let [new, start_stack, stack, ..] = event.args.map(u64::from);
        let creator = self.tasks.recent(now.task)?.state;
        if creator != State::Running || now.worker == NONE {
            return None;
        }
        let task = self.tasks.recent(new)?;
        if task.state != State::NotExist {
            return None;
        }
        let (stack, writer_stack) = (
            generation.plain_stack(start_stack)?,
            generation.plain_stack(stack)?,
        );
        *task = Task::new(State::Runnable, generation.number);
        Some(Passage {
            stack,
            writer_stack,
            runs: now.task,
            ..passage(new, State::NotExist, State::Runnable)
        })
    }

    #[inline(always)]
    fn plain_syscall_begin(
        &mut self,
        event: &ShortEvent,
        now: Thread,
        generation: &Generation<'_>,
    ) -> Option<Passage> {
        let [number, stack, ..] = event.args.map(u64::from);
        let task = self.tasks.recent(now.task)?;
        let worker = self.workers.recent(now.worker)?;
        let next = worker.sequence.next(generation.number, number)?;
        if task.state != State::Running {
            return None;
        }
        let stack = generation.plain_stack(stack)?;
        task.state = State::Syscall;
        worker.sequence = next;
        worker.state = WorkerState::Syscall;
        Some(Passage {
            stack,
            writer_stack: stack,
            runs: now.task,
            ..passage(now.task, State::Running, State::Syscall)
        })
    }

    #[inline(always)]
    fn plain_syscall_end(&mut self, now: Thread) -> Option<Passage> {
        let task = self.tasks.recent(now.task)?;
        let worker = self.workers.recent(now.worker)?;
        if task.state != State::Syscall || worker.state != WorkerState::Syscall {
            return None;
        }
        task.state = State::Running;
        worker.state = WorkerState::Running;
        Some(Passage {
            runs: now.task,
            ..passage(now.task, State::Syscall, State::Running)
        })
    }
}

/// A passage after which the thread runs nothing, without a reason or a stack.
#[inline(always)]
fn passage(task: u64, from: State, to: State) -> Passage {
    Passage {
        task,
        from,
        to,
        reason: StringId(0),
        stack: StackId(0),
        writer_stack: StackId(0),
        runs: NONE,
    }
}
