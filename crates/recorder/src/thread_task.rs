//! Threads that are tasks themselves, and what blocks them.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use exectrace_format::StackId;
use exectrace_format::go_v1::{EventType, GoSysBlock, GoSysCall};

use crate::block_reason::BlockReason;
use crate::gate::SessionStamp;
use crate::lane;
use crate::lane_writer::LaneWriter;
use crate::run::{self, Nesting, Run, Suspended};
use crate::task::Task;
use crate::task_logger::{self, TaskLogger};
use crate::task_ref::TaskRef;
use crate::task_slab::TaskRecord;
use crate::task_word::{Pause, Paused};
use crate::thread_name;
use crate::thread_role::ThreadRole;

/// The task of a thread that was not started through a hook, such as the main thread. It ends with the thread.
#[derive(Debug)]
pub(crate) struct ThreadTask {
    // Declared first, so dropped first: the run ends before the task.
    _run: Run<'static>,
    _task: Task,
}

/// Events of a block or a system call, with room to spare.
const EVENTS: usize = 8;

/// The task of the calling thread. A thread that runs none gets one of its own, unless it is there to run those of a runtime:
/// all of them would be nested in it.
pub(crate) fn current_or_adopt() -> Option<&'static TaskRecord> {
    if let Some(record) = lane::current() {
        return Some(record);
    }
    if !matches!(lane::own()?.role(), ThreadRole::Plain | ThreadRole::Thread) {
        return None;
    }
    lane::keep_thread_task(|| {
        let entry = thread_name::own_address()
            .map_or(thread_without_hook as fn() as *const (), |address| {
                std::ptr::without_provenance(address as usize)
            });
        let task = Task::for_thread(entry);
        let run = task.start_detached();
        ThreadTask {
            _run: run,
            _task: task,
        }
    });
    lane::current()
}

/// The calling thread is a task of its own from now on, if it runs none: what it does next is done by somebody.
///
/// To be called before it spawns, or lets others go on. While no session is running it does nothing.
pub fn adopt_thread() {
    if crate::recorder::is_enabled() {
        current_or_adopt();
    }
}

/// Stands for the start of a thread that was not started through a hook and that has no name.
fn thread_without_hook() {
    std::hint::black_box(());
}

/// What became of the thread's task while the thread is blocked.
#[derive(Clone, Copy, Debug)]
enum How {
    /// The task is the thread: it waits, and others may wake it.
    Waits,
    /// The task was running on the thread, and waits with it.
    Suspended(SessionStamp, Nesting),
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
    /// What began on a thread ends on it.
    _this_thread: PhantomData<*const ()>,
}

impl Blocked {
    /// The calling thread is about to wait for the given reason. A thread without a task gets one.
    ///
    /// A wait inside of a system call ([`Syscall`]) is part of the call.
    #[inline(never)]
    pub fn new(reason: BlockReason) -> Self {
        Self::stop(Some(reason))
    }

    /// The calling thread is about to give up its turn, and can run again at once (GoSched).
    #[inline(never)]
    pub fn yielding() -> Self {
        Self::stop(None)
    }

    /// The handle for those who let the thread go on. `None` if no session sees the wait, or if the thread runs a task that is
    /// not the thread itself: a wake of that task means something else.
    pub fn task(&self) -> Option<TaskRef> {
        match self.how {
            How::Waits => self.record.map(|record| TaskRef::of(Some(record))),
            How::Suspended(..) | How::Unseen => None,
        }
    }

    #[inline(always)]
    fn stop(reason: Option<BlockReason>) -> Self {
        if !crate::recorder::is_enabled() {
            return Self::unseen(lane::current());
        }
        let Some(record) = current_or_adopt() else {
            return Self::unseen(None);
        };
        // Relaxed: stored by this thread.
        if record.in_syscall.load(Ordering::Relaxed) {
            return Self::unseen(None);
        }
        let Some(mut writer) = LaneWriter::enter() else {
            return Self::unseen(Some(record));
        };
        if writer.running() != record.id() || !writer.room(EVENTS) {
            return Self::unseen(Some(record));
        }
        // Relaxed: stored before the thread ran.
        let how = if record.is_thread.load(Ordering::Relaxed) {
            let stack = writer.stack_id();
            let paused = match reason {
                Some(reason) => task_logger::pause(&mut writer, record, reason, stack),
                None => {
                    let mut logger = TaskLogger::new(&mut writer, record, stack);
                    record.word.pause(&mut logger, Pause::Yield)
                }
            };
            match paused {
                Paused::Unseen => How::Unseen,
                // A thread that was woken early is runnable; its wait is over when it starts.
                Paused::Blocked | Paused::Yielded => How::Waits,
            }
        } else if record.word.is_running(writer.stamp().start_tick()) {
            let (event_type, nesting) = match reason {
                Some(reason) => (reason.event_type(), Nesting::Blocked),
                None => (EventType::GoSched, Nesting::Preempted),
            };
            run::suspend_for(&mut writer, event_type);
            How::Suspended(writer.stamp(), nesting)
        } else {
            How::Unseen
        };
        if reason.is_some() {
            writer.stop_proc();
        }
        Self {
            record: Some(record),
            how,
            _this_thread: PhantomData,
        }
    }

    fn unseen(record: Option<&'static TaskRecord>) -> Self {
        Self {
            record,
            how: How::Unseen,
            _this_thread: PhantomData,
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
            How::Suspended(stamp, nesting) => {
                run::resume(&mut writer, record, Suspended::new(stamp, nesting));
            }
            How::Waits | How::Unseen => run::resume(&mut writer, record, Suspended::NOT),
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
    /// What began on a thread ends on it.
    _this_thread: PhantomData<*const ()>,
}

impl Syscall {
    /// The calling thread is about to enter a system call that blocks. A thread without a task gets one.
    #[inline(never)]
    pub fn enter() -> Self {
        let Some(record) = current_or_adopt() else {
            return Self::part_of_another();
        };
        // Relaxed: stored by this thread; a call inside a call belongs to the outer one.
        if record.in_syscall.load(Ordering::Relaxed) {
            return Self::part_of_another();
        }
        if let Some(mut writer) = LaneWriter::enter()
            && writer.room(EVENTS)
        {
            enter_syscall(&mut writer, record);
        }
        // Relaxed: the collector looks when it introduces the task; a late look heals.
        record.in_syscall.store(true, Ordering::Relaxed);
        Self {
            record: Some(record),
            _this_thread: PhantomData,
        }
    }

    fn part_of_another() -> Self {
        Self {
            record: None,
            _this_thread: PhantomData,
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
            TaskLogger::new(&mut writer, record, 0).leave_syscall();
        }
    }
}

/// The running task enters a system call. There must be room.
fn enter_syscall(writer: &mut LaneWriter, record: &TaskRecord) {
    if writer.running() != record.id() {
        return;
    }
    let stack = StackId(u64::from(writer.stack_id()));
    let tick = writer.tick_after(record.word.tick());
    writer.emit(tick, &GoSysCall { stack });
    // Relaxed: for this thread and its signal handler.
    writer.lane().running.store(0, Ordering::Relaxed);
    writer.emit(tick + 1, &GoSysBlock {});
    writer.stop_proc();
}

/// Lets `write` write an event that readers take for one of `record`'s own: of the task that runs on the thread, or that is in
/// a system call there, which it leaves for the moment. False, and nothing is written, where the recording does not see either.
pub(crate) fn as_running(
    writer: &mut LaneWriter,
    record: &'static TaskRecord,
    write: impl FnOnce(&mut LaneWriter),
) -> bool {
    if writer.running() == record.id() {
        if writer.room(1) {
            write(writer);
        }
        return true;
    }
    // Relaxed: stored by this thread.
    if !record.in_syscall.load(Ordering::Relaxed) || !writer.room(2 * EVENTS) {
        return false;
    }
    TaskLogger::new(writer, record, 0).leave_syscall();
    if writer.running() != record.id() {
        return false;
    }
    write(writer);
    enter_syscall(writer, record);
    true
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
        && writer.running() == record.id()
    {
        let stack = StackId(u64::from(writer.stack_id()));
        writer.event(record.word.tick(), &GoSysCall { stack });
    }
}
