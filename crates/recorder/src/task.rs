//! Tasks: what an executor makes when it spawns.

use std::sync::atomic::Ordering;

use crate::lane::{self, Lane};
use crate::lane_writer::LaneWriter;
use crate::quick_pen::QuickPen;
use crate::region;
use crate::run::{self, Nesting, PlainRun, Run};
use crate::session_word;
use crate::stack_walk::Walk;
use crate::tables::StackEntry;
use crate::task_logger::{TRANSITION_EVENTS, TaskLogger};
use crate::task_ref::{TaskRef, set_runtime};
use crate::task_slab::{self, TaskRecord};
use crate::walk_cache::HookKind;

/// A task of a runtime: made when it is spawned, dropped when it is gone.
///
/// A task that is dropped outside of a run ends there, as a cancelled future does. Making one is cheap while no session is
/// running, and needed even so: a session that starts later must know of it.
///
/// # Examples
///
/// ```
/// use exectrace::hook::{BlockReason, Task};
///
/// fn work() {}
///
/// let task = Task::new(work as fn() as *const ());
/// let waker = task.reference();
/// let run = task.start();
/// run.block(BlockReason::Receive);
/// waker.wake();
/// let run = task.start();
/// run.end();
/// ```
#[derive(Debug)]
pub struct Task {
    record: Option<&'static TaskRecord>,
}

impl Task {
    /// A new task, created by the task that the calling thread runs. `entry` is the address of the function that the task
    /// runs: readers group tasks by it.
    #[inline]
    pub fn new(entry: *const ()) -> Self {
        let Some(record) = task_slab::take(entry.addr() as u64) else {
            return Self { record: None };
        };
        if let Some(parent) = lane::current() {
            record.user_task.inherit(&parent.user_task);
        }
        if session_word::is_on() {
            write_creation(record);
        }
        record.publish();
        Self {
            record: Some(record),
        }
    }

    /// The task that is the calling thread itself, or will be that of a thread that is about to start: what blocks the thread
    /// blocks the task.
    pub fn for_thread(entry: *const ()) -> Self {
        let task = Self::new(entry);
        if let Some(record) = task.record {
            // Relaxed: read by the thread that the task is handed to.
            record.is_thread.store(true, Ordering::Relaxed);
        }
        task
    }

    /// A further handle, for those who wake the task. It keeps the record, not the task, alive.
    #[inline]
    pub fn reference(&self) -> TaskRef {
        TaskRef::of(self.record)
    }

    /// As [`TaskRef::set_runtime`].
    #[inline]
    pub fn set_runtime(&self, runtime: u64) {
        set_runtime(self.record, runtime);
    }

    /// The id in traces; 0 if the task is not traced because memory was refused.
    #[inline]
    pub fn id(&self) -> u64 {
        self.record.map_or(0, TaskRecord::id)
    }

    #[inline(always)]
    pub(crate) fn record(&self) -> Option<&'static TaskRecord> {
        self.record
    }

    /// The calling thread runs the task from now on, until the answer is told how the run ended.
    ///
    /// If the thread runs another task already, that one counts as preempted until then.
    #[inline(always)]
    pub fn start(&self) -> Run<'_> {
        self.start_as(Nesting::Preempted, b"")
    }

    /// As [`Task::start`] and [`Run::end_stacks_here`], where that is simple; else nothing has begun. A session should be running.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace::hook::Task;
    ///
    /// fn work() {}
    ///
    /// let task = Task::new(work as fn() as *const ());
    /// match task.start_plainly() {
    ///     Some(run) => run.wait(&[]),
    ///     None => task.start().wait(&[]),
    /// }
    /// ```
    #[inline(always)]
    pub fn start_plainly(&self) -> Option<PlainRun<'_>> {
        PlainRun::start(self.record?)
    }

    /// As [`Task::start`], the run named by a label that readers show (GoStartLabel).
    pub fn start_labelled(&self, label: impl AsRef<[u8]>) -> Run<'_> {
        self.start_as(Nesting::Preempted, label.as_ref())
    }

    /// As [`Task::start`], for a run that blocks the thread's present task until it is over, as `block_on` does.
    #[inline]
    pub fn start_blocking(&self) -> Run<'_> {
        self.start_as(Nesting::Blocked, b"")
    }

    /// As [`Task::start`], for those who cannot keep the run beside the task, such as hooks at its begin and its end. The run must
    /// be told its end before the task is dropped.
    pub fn start_detached(&self) -> Run<'static> {
        self.start_as(Nesting::Preempted, b"")
    }

    #[inline(always)]
    fn start_as<'run>(&self, nesting: Nesting, label: &[u8]) -> Run<'run> {
        match self.record {
            Some(record) => Run::start(record, nesting, label),
            None => Run::untraced(),
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let Some(record) = self.record else {
            return;
        };
        if !record.word.is_dead() {
            end_outside_of_a_run(record);
            region::abandon(record);
        }
        record.set_cell(None);
        record.release();
    }
}

/// Writes that the task is new.
#[inline(never)]
fn write_creation(record: &'static TaskRecord) {
    let Some(lane) = lane::own() else {
        return;
    };
    let walk = lane.walk(HookKind::Creation);
    if !QuickPen::enter(lane, record).is_some_and(|pen| pen.create(&walk)) {
        write_first_creation(lane, record, &walk);
    }
}

/// As [`write_creation`], where it is not simple.
#[cold]
#[inline(never)]
fn write_first_creation(lane: &'static Lane, record: &'static TaskRecord, walk: &Walk) {
    let Some(mut writer) = LaneWriter::enter_on(lane) else {
        return;
    };
    if writer.room(TRANSITION_EVENTS) {
        let stack = writer.stack(walk).map_or(0, StackEntry::id);
        let mut logger = TaskLogger::new(&mut writer, record, stack);
        record.word.create(&mut logger);
    }
}

/// The task is dropped while nobody runs it: as a start, then its end. The thread's own task makes room for it.
///
/// A task whose run was forgotten still counts as running. It ends where its thread is, if that is this one.
#[cold]
fn end_outside_of_a_run(record: &'static TaskRecord) {
    if let Some(mut writer) = LaneWriter::enter() {
        let start_tick = writer.stamp().start_tick();
        let known = record.word.is_known(start_tick);
        let forgotten = record.word.is_running(start_tick);
        let here = writer.running() == record.id();
        if known && forgotten == here && writer.room(TRANSITION_EVENTS * 2) {
            let outer = lane::current();
            let nested = !here && writer.running() != 0;
            if nested {
                run::suspend(&mut writer, Nesting::Preempted);
            }
            record
                .word
                .end(&mut TaskLogger::new(&mut writer, record, 0));
            if let Some(outer) = outer
                && nested
            {
                let suspended = run::Suspended::new(writer.stamp(), Nesting::Preempted);
                run::resume(&mut writer, outer, suspended);
            }
        }
    }
    lane::forget_current(record);
    record.word.end_unheard();
}

/// The collector introduces a task that nobody has touched since the session began. False when there is no room.
pub(crate) fn introduce(record: &'static TaskRecord) -> bool {
    let Some(mut writer) = LaneWriter::enter() else {
        return false;
    };
    if !writer.room(TRANSITION_EVENTS) {
        return false;
    }
    let mut logger = TaskLogger::new(&mut writer, record, 0);
    // Relaxed: a wrong guess heals as that of waiting does.
    logger.in_syscall = record.in_syscall.load(Ordering::Relaxed);
    record.word.introduce(&mut logger);
    true
}

/// Tasks of a runtime that have not ended: an adapter that knows how many its runtime has finds out how many it does not trace.
///
/// Walks all live tasks.
pub fn live_tasks(runtime: u64) -> usize {
    let mut count = 0;
    task_slab::for_each_live(|record| {
        // Relaxed: a figure for a report.
        let is_of_runtime = record.runtime.load(Ordering::Relaxed) == runtime;
        count += usize::from(is_of_runtime && !record.word.is_dead());
        true
    });
    count
}
