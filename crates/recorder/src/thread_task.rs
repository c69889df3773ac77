//! Threads that are tasks themselves, and what blocks them.

use std::sync::atomic::Ordering;

use exectrace_format::StackId;
use exectrace_format::go_v1::{GoSysBlock, GoSysCall};

use crate::block_reason::BlockReason;
use crate::gate::SessionStamp;
use crate::lane;
use crate::lane_writer::LaneWriter;
use crate::task::{self, Nesting, Run, Task, TaskLogger};
use crate::task_slab::TaskRecord;
use crate::task_word::Paused;

/// The task of a thread that was not started through a hook, such as the main thread. It ends with the thread.
#[derive(Debug)]
pub(crate) struct ThreadTask {
    // Declared first, so dropped first: the run ends before the task.
    _run: Run<'static>,
    _task: Task,
}

/// Events of a block or a system call, with room to spare.
const EVENTS: usize = 8;

/// The task of the calling thread. A thread that runs none gets one of its own.
pub(crate) fn current_or_adopt() -> Option<&'static TaskRecord> {
    if let Some(record) = lane::current() {
        return Some(record);
    }
    lane::own()?;
    lane::keep_thread_task(|| {
        let task = Task::for_thread(thread_without_hook as fn() as *const ());
        let run = task.start_for_ever();
        ThreadTask {
            _run: run,
            _task: task,
        }
    });
    lane::current()
}

/// Stands for the start of a thread that was not started through a hook.
fn thread_without_hook() {
    std::hint::black_box(());
}

/// What became of the thread's task while the thread is blocked.
#[derive(Clone, Copy, Debug)]
enum How {
    /// The task is the thread: it waits, and others may wake it.
    Waits,
    /// The task was running on the thread, and waits with it.
    Suspended(SessionStamp),
    /// No session saw it.
    Unseen,
}

/// The calling thread waits, from here until this is dropped, and its worker stops meanwhile.
///
/// Whoever lets the thread go on should [`wake`](crate::hook::TaskRef::wake) its task before; else readers show that nobody did.
#[derive(Debug)]
#[must_use = "the thread counts as blocked until this is dropped"]
pub struct Blocked {
    record: Option<&'static TaskRecord>,
    how: How,
}

impl Blocked {
    /// The calling thread is about to wait for the given reason. A thread without a task gets one.
    #[inline(never)]
    pub fn new(reason: BlockReason) -> Self {
        let unseen = |record| Self {
            record,
            how: How::Unseen,
        };
        if !crate::recorder::is_enabled() {
            return unseen(lane::current());
        }
        let Some(record) = current_or_adopt() else {
            return unseen(None);
        };
        let Some(mut writer) = LaneWriter::enter() else {
            return unseen(Some(record));
        };
        if !writer.room(EVENTS) {
            return unseen(Some(record));
        }
        // Relaxed: stored before the thread ran.
        let how = if record.is_thread.load(Ordering::Relaxed) {
            let stack = writer.stack_id();
            match task::pause(&mut writer, record, reason, stack) {
                Paused::Unseen => How::Unseen,
                // A thread that was woken early is runnable; its wait is over when it starts.
                Paused::Blocked | Paused::Yielded => How::Waits,
            }
        } else if record.word.is_running(writer.stamp().start_tick()) {
            task::suspend_for(&mut writer, reason.event_type());
            How::Suspended(writer.stamp())
        } else {
            How::Unseen
        };
        writer.stop_proc();
        Self {
            record: Some(record),
            how,
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        let Some(record) = self.record else {
            return;
        };
        let Some(mut writer) = LaneWriter::enter() else {
            return;
        };
        match self.how {
            How::Suspended(stamp) => {
                task::resume(&mut writer, record, Some((stamp, Nesting::Blocked)));
            }
            How::Waits | How::Unseen => task::resume(&mut writer, record, None),
        }
    }
}

/// The calling thread is in a system call that blocks, from here until this is dropped; its worker is free meanwhile.
///
/// Writes GoSysCall, GoSysBlock and ProcStop; on return GoSysExit, ProcStart and GoStart.
#[derive(Debug)]
#[must_use = "the thread counts as in a system call until this is dropped"]
pub struct Syscall {
    record: Option<&'static TaskRecord>,
    seen: Option<SessionStamp>,
}

impl Syscall {
    /// The calling thread is about to enter a system call that blocks. A thread without a task gets one.
    #[inline(never)]
    pub fn enter() -> Self {
        let Some(record) = current_or_adopt() else {
            return Self {
                record: None,
                seen: None,
            };
        };
        // Relaxed: stored by this thread; a call inside a call belongs to the outer one.
        if record.in_syscall.load(Ordering::Relaxed) {
            return Self {
                record: None,
                seen: None,
            };
        }
        let mut seen = None;
        if let Some(mut writer) = LaneWriter::enter()
            && writer.room(EVENTS)
            && record.word.is_running(writer.stamp().start_tick())
        {
            let stack = StackId(u64::from(writer.stack_id()));
            let tick = writer.tick_after(record.word.tick());
            writer.emit(tick, &GoSysCall { stack });
            // Relaxed: for this thread and its signal handler.
            writer.lane().running.store(0, Ordering::Relaxed);
            writer.emit(tick + 1, &GoSysBlock {});
            writer.stop_proc();
            seen = Some(writer.stamp());
        }
        // Relaxed: the collector looks when it introduces the task; a late look heals.
        record.in_syscall.store(true, Ordering::Relaxed);
        Self {
            record: Some(record),
            seen,
        }
    }
}

impl Drop for Syscall {
    fn drop(&mut self) {
        let Some(record) = self.record else {
            return;
        };
        // The mark is taken off inside the hook: a lane that joins a session here must not think that the task runs.
        let writer = LaneWriter::enter();
        record.in_syscall.store(false, Ordering::Relaxed); // Relaxed: as above.
        if let Some(mut writer) = writer
            && writer.room(EVENTS)
        {
            TaskLogger::new(&mut writer, record, 0).leave_syscall(self.seen);
        }
    }
}

/// The calling thread makes a system call that does not block (GoSysCall alone).
#[inline(never)]
pub fn short_syscall() {
    if !crate::recorder::is_enabled() {
        return;
    }
    let Some(record) = current_or_adopt() else {
        return;
    };
    if let Some(mut writer) = LaneWriter::enter()
        && writer.room(2)
        && record.word.is_running(writer.stamp().start_tick())
    {
        let stack = StackId(u64::from(writer.stack_id()));
        writer.event(record.word.tick(), &GoSysCall { stack });
    }
}
