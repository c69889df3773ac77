//! How the steps of a task's life become events.

use std::sync::atomic::Ordering;

use exectrace_format::go_v1::{
    EventType, GoCreate, GoEnd, GoInSyscall, GoStart, GoStartLabel, GoStartLocal, GoSysExit,
    GoUnblock, GoUnblockLocal, GoWaiting, ProcStart,
};
use exectrace_format::{Seq, StackId, StringId, TaskId, ThreadId};

use crate::block_reason::BlockReason;
use crate::lane_writer::{LaneWriter, Mark};
use crate::task_slab::TaskRecord;
use crate::task_word::{Pause, Paused, Step, TaskLog};

/// Most events of one transition, the switches of worker and a ProcStart among them.
pub(crate) const TRANSITION_EVENTS: usize = 8;

/// Writes that the running task waits.
#[inline(always)]
pub(crate) fn pause(
    writer: &mut LaneWriter,
    record: &'static TaskRecord,
    reason: BlockReason,
    stack: u32,
) -> Paused {
    let mut logger = TaskLogger::new(writer, record, stack);
    logger.block_type = reason.event_type();
    let pause = match reason {
        BlockReason::Forever => Pause::Forever,
        _ => Pause::Block,
    };
    record.word.pause(&mut logger, pause)
}

/// A lane's pen in the hands of one task's transition.
pub(crate) struct TaskLogger<'writer> {
    writer: &'writer mut LaneWriter,
    record: &'static TaskRecord,
    /// Stack of the creation, the wake or the block.
    pub(crate) stack: u32,
    /// The kind of block, one of those with GoBlock's shape.
    pub(crate) block_type: EventType,
    /// GoSched or GoPreempt.
    pub(crate) yield_type: EventType,
    /// The kind of block is not known yet.
    pub(crate) open: bool,
    pub(crate) open_at: u32,
    /// A creation happens on the introducing lane.
    pub(crate) introduces: bool,
    /// The task that is introduced is in a system call, or comes back from one.
    pub(crate) in_syscall: bool,
    /// Label of the start; 0 for none.
    pub(crate) label: StringId,
}

impl<'writer> TaskLogger<'writer> {
    #[inline(always)]
    pub(crate) fn new(
        writer: &'writer mut LaneWriter,
        record: &'static TaskRecord,
        stack: u32,
    ) -> Self {
        Self {
            writer,
            record,
            stack,
            block_type: EventType::GoBlock,
            yield_type: EventType::GoSched,
            open: false,
            open_at: 0,
            introduces: false,
            in_syscall: false,
            label: StringId(0),
        }
    }

    #[inline(always)]
    fn task(&self) -> TaskId {
        TaskId(self.record.id())
    }

    fn write_create(&mut self, tick: u64) {
        let start_stack = self.writer.start_stack(self.record.entry());
        if self.introduces {
            self.writer.switch_to_introducing();
        }
        let event = GoCreate {
            task: self.task(),
            start_stack: StackId(u64::from(start_stack)),
            stack: StackId(u64::from(if self.introduces { 0 } else { self.stack })),
        };
        self.writer.emit(tick, &event);
    }

    fn write_waiting(&mut self, tick: u64) {
        let task = self.task();
        if self.in_syscall {
            self.writer.emit(tick, &GoInSyscall { task });
        } else {
            self.writer.emit(tick, &GoWaiting { task });
        }
        if self.introduces {
            self.writer.switch_back();
        }
    }

    #[inline(always)]
    fn write_start(&mut self, tick: u64, seq: u64, local: bool) -> u64 {
        let mut tick = tick;
        if !self.writer.state().proc_running {
            self.writer
                .apart(move |writer| write_proc_start(writer, tick));
            tick += 1;
        }
        let task = self.task();
        let (seq, label) = (Seq(seq), self.label);
        if label != StringId(0) {
            self.writer.emit(tick, &GoStartLabel { task, seq, label });
        } else if local {
            self.writer.emit(tick, &GoStartLocal { task });
        } else {
            self.writer.emit(tick, &GoStart { task, seq });
        }
        // Relaxed: for this thread and its signal handler, which runs on this thread.
        self.writer.lane().running.store(task.0, Ordering::Relaxed);
        tick
    }

    #[inline(always)]
    fn write_unblock(&mut self, tick: u64, seq: u64, local: bool, stack: u32) {
        let (task, seq, stack) = (self.task(), Seq(seq), StackId(u64::from(stack)));
        if local {
            self.writer.emit(tick, &GoUnblockLocal { task, stack });
        } else {
            self.writer.emit(tick, &GoUnblock { task, seq, stack });
        }
    }

    /// The task comes back from a system call. That its word says that it runs shows that the session saw it enter the call.
    pub(crate) fn leave_syscall(mut self) {
        let record = self.record;
        if self.writer.running() != 0 {
            // A run that has outlived its turn.
            return;
        }
        if record.word.is_running(self.writer.stamp().start_tick()) {
            let seq = record.word.advance_seq(2);
            let tick = self.writer.tick_after(record.word.tick());
            self.write_syscall_exit(tick, seq - 1, tick);
            self.write(tick, Step::Start { seq, local: true });
        } else {
            self.in_syscall = true;
            record.word.start(&mut self);
        }
    }

    fn write_syscall_exit(&mut self, tick: u64, seq: u64, real_ticks: u64) {
        let task = self.task();
        self.writer.emit(
            tick,
            &GoSysExit {
                task,
                seq: Seq(seq),
                real_ticks,
            },
        );
    }

    /// The end of a run: the handler's view of the task goes first.
    #[inline(always)]
    fn clear_running(&self) {
        // Relaxed: for this thread and its signal handler.
        self.writer.lane().running.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn write_stop(&mut self, tick: u64) {
        self.clear_running();
        if self.open {
            self.open_at = self.writer.emit_open_stop(tick, self.stack);
        } else {
            self.writer.emit_stop(tick, self.block_type, self.stack);
        }
    }

    #[inline(always)]
    fn write_yield(&mut self, tick: u64) {
        self.clear_running();
        self.writer.emit_stop(tick, self.yield_type, self.stack);
    }
}

fn write_proc_start(writer: &mut LaneWriter, tick: u64) {
    let thread = ThreadId(writer.lane().thread());
    writer.emit(tick, &ProcStart { thread });
    writer.state().proc_running = true;
}

impl TaskLog for TaskLogger<'_> {
    type Mark = Mark;

    #[inline(always)]
    fn start_tick(&self) -> u64 {
        self.writer.stamp().start_tick()
    }

    #[inline(always)]
    fn lane(&self) -> u32 {
        self.writer.lane().number() + 1
    }

    #[inline(always)]
    fn is_on_time(&self, _: u64) -> bool {
        // It is held back.
        true
    }

    #[inline(always)]
    fn mark(&self) -> Mark {
        self.writer.mark()
    }

    #[inline(always)]
    fn rewind(&mut self, mark: Mark) {
        self.writer.apart(move |writer| writer.rewind(mark));
    }

    #[inline(always)]
    fn write(&mut self, cause: u64, step: Step) -> u64 {
        let tick = self.writer.tick_after(cause);
        match step {
            Step::Create => self.write_create(tick),
            Step::Waiting => self.write_waiting(tick),
            Step::Unblock { seq, local } => self.write_unblock(tick, seq, local, self.stack),
            Step::UnblockByNobody { seq, .. } if self.in_syscall => {
                self.write_syscall_exit(tick, seq, 0)
            }
            Step::UnblockByNobody { seq, local } => self.write_unblock(tick, seq, local, 0),
            Step::Start { seq, local } => return self.write_start(tick, seq, local),
            Step::Block => self.write_stop(tick),
            Step::Yield => self.write_yield(tick),
            Step::End => {
                self.clear_running();
                self.writer.emit(tick, &GoEnd {});
            }
        }
        tick
    }
}
