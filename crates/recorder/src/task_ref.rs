//! Handles on tasks for those who wake them.

use std::sync::atomic::Ordering;

use crate::gate::SessionStamp;
use crate::lane::{self, Lane};
use crate::lane_writer::LaneWriter;
use crate::quick_pen::QuickPen;
use crate::session_word;
use crate::stack_walk::Walk;
use crate::tables::StackEntry;
use crate::task_logger::{TRANSITION_EVENTS, TaskLogger};
use crate::task_slab::TaskRecord;
use crate::walk_cache::HookKind;

/// A handle on a task for those who wake it.
#[derive(Debug)]
pub struct TaskRef {
    record: Option<&'static TaskRecord>,
}

impl TaskRef {
    #[inline]
    pub(crate) fn of(record: Option<&'static TaskRecord>) -> Self {
        if let Some(record) = record {
            record.retain();
        }
        Self { record }
    }

    /// The task that the calling thread runs, if it runs one.
    pub fn current() -> Option<Self> {
        lane::current().map(|record| Self::of(Some(record)))
    }

    /// The id in traces; 0 if the task is not traced because memory was refused.
    #[inline]
    pub fn id(&self) -> u64 {
        self.record.map_or(0, TaskRecord::id)
    }

    /// Says which of the program's runtimes the task belongs to, by a number that is not 0: see
    /// [`live_tasks`](crate::hook::live_tasks).
    #[inline]
    pub fn set_runtime(&self, runtime: u64) {
        set_runtime(self.record, runtime);
    }

    /// The calling thread wakes the task: to be called before the task can be run because of it.
    ///
    /// A wake of a task that runs, is runnable already or has ended writes nothing.
    #[inline]
    pub fn wake(&self) {
        if !session_word::is_on() {
            return;
        }
        if let Some(record) = self.record {
            wake(record);
        }
    }
}

impl Clone for TaskRef {
    #[inline]
    fn clone(&self) -> Self {
        Self::of(self.record)
    }
}

impl Drop for TaskRef {
    #[inline]
    fn drop(&mut self) {
        if let Some(record) = self.record {
            record.release();
        }
    }
}

/// The runtime of the task that the calling thread runs, by the number of [`TaskRef::set_runtime`]. `None` if it runs none, nobody
/// gave its runtime, or it may be in another one: it is in a system call, or has [entered one](enter_runtime).
///
/// Whoever enters one and does not say so is answered with the task's own: a guard or a `block_on` that is the runtime's and not its
/// adapter's, the latter as in Tokio's `block_in_place`. So is a task whose future is dropped on a thread of another runtime.
#[inline]
pub fn current_runtime() -> Option<u64> {
    let record = lane::current()?;
    // Relaxed: stored by the task itself, or before it ran.
    let is_elsewhere =
        record.in_syscall.load(Ordering::Relaxed) || record.roams.load(Ordering::Relaxed);
    // Relaxed: as above.
    let runtime = record.runtime.load(Ordering::Relaxed);
    (runtime != 0 && !is_elsewhere).then_some(runtime)
}

/// The task that the calling thread runs, if it is one, enters another runtime than its own, now and maybe again.
pub fn enter_runtime() {
    if let Some(record) = lane::current() {
        // Relaxed: read by the task itself.
        record.roams.store(true, Ordering::Relaxed);
    }
}

#[inline]
pub(crate) fn set_runtime(record: Option<&TaskRecord>, runtime: u64) {
    if let Some(record) = record {
        // Relaxed: a figure for a report.
        record.runtime.store(runtime, Ordering::Relaxed);
    }
}

/// The calling thread wakes the task of `record`, a session running.
#[inline(never)]
pub(crate) fn wake(record: &'static TaskRecord) {
    // Acquire: pairs with the Release that opened the session. If it ends meanwhile, the word is that of an unknown task.
    let word = session_word::word().load(Ordering::Acquire);
    let start_tick = SessionStamp::of_word(word).start_tick();
    if word == 0 || record.word.wake_without_event(start_tick) {
        return;
    }
    let Some(lane) = lane::own() else {
        return;
    };
    let walk = lane.walk(HookKind::Wake);
    if !QuickPen::enter(lane, record).is_some_and(|pen| pen.wake(&walk)) {
        write_wake(lane, record, &walk);
    }
}

#[cold]
#[inline(never)]
fn write_wake(lane: &'static Lane, record: &'static TaskRecord, walk: &Walk) {
    let Some(mut writer) = LaneWriter::enter_on(lane) else {
        return;
    };
    if !writer.room(TRANSITION_EVENTS) {
        return;
    }
    let stack = writer.stack(walk).map_or(0, StackEntry::id);
    let inside_a_run = writer.running() != 0;
    let mut logger = TaskLogger::new(&mut writer, record, stack);
    logger.introduces = inside_a_run;
    record.word.wake(&mut logger);
}
