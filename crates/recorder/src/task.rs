//! Hooks on tasks: what an executor calls when it spawns, wakes, runs and ends them.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use exectrace_format::go_v1::{
    EventType, GoCreate, GoEnd, GoInSyscall, GoStart, GoStartLabel, GoSysExit, GoUnblock,
    GoWaiting, ProcStart,
};
use exectrace_format::{Seq, StackId, StringId, TaskId, ThreadId};

use crate::batch::Patch;
use crate::block_reason::{BlockReason, LeafClass, code, weigh};
use crate::gate::SessionStamp;
use crate::lane::{self, Lane};
use crate::lane_writer::{LaneWriter, Mark};
use crate::region;
use crate::session_word;
use crate::stack_walk;
use crate::tables::StackEntry;
use crate::task_slab::{self, TaskRecord};
use crate::task_word::{Pause, Paused, Step, TaskLog};

/// Most events of one transition, the switches of worker and a ProcStart among them.
const TRANSITION_EVENTS: usize = 8;

/// Leaves of a run that are kept, at most.
pub(crate) const LEAVES_MAX: usize = 4;

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
            // Relaxed: the parent's own thread stores there.
            let user_task = parent.user_task.load(Ordering::Relaxed);
            // Relaxed: published with the record.
            record.user_task.store(user_task, Ordering::Relaxed);
        }
        if let Some(mut writer) = LaneWriter::enter() {
            if writer.room(TRANSITION_EVENTS) {
                let stack = writer.stack_id();
                record
                    .word
                    .create(&mut TaskLogger::new(&mut writer, record, stack));
            }
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

    pub(crate) fn record(&self) -> Option<&'static TaskRecord> {
        self.record
    }

    /// The calling thread runs the task from now on, until the answer is told how the run ended.
    ///
    /// If the thread runs another task already, that one counts as preempted until then.
    #[inline(always)]
    pub fn start(&self) -> Run<'_> {
        self.start_as(Nesting::Preempted, StringId(0))
    }

    /// As [`Task::start`], the run named by a label that readers show (GoStartLabel).
    pub fn start_labelled(&self, label: impl AsRef<[u8]>) -> Run<'_> {
        let Some(mut writer) = LaneWriter::enter() else {
            return self.start();
        };
        let label = writer.string_id(label.as_ref());
        drop(writer);
        self.start_as(Nesting::Preempted, label)
    }

    /// As [`Task::start`], for a run that blocks the thread's present task until it is over, as `block_on` does.
    #[inline]
    pub fn start_blocking(&self) -> Run<'_> {
        self.start_as(Nesting::Blocked, StringId(0))
    }

    /// A run that ends when its value is dropped, before the task is.
    pub(crate) fn start_for_ever(&self) -> Run<'static> {
        self.start_as(Nesting::Preempted, StringId(0))
    }

    #[inline(always)]
    fn start_as<'run>(&self, nesting: Nesting, label: StringId) -> Run<'run> {
        let (Some(record), Some(lane)) = (self.record, lane::own()) else {
            return Run::untraced();
        };
        let outer = lane.replace_current(Some(record));
        // What a run nested in this one cuts is cut for it alone.
        let outer_stack_end = lane.set_stack_end(0);
        let mut suspended = Suspended::NOT;
        if session_word::is_on() {
            suspended = start(lane, record, outer, nesting, label);
        }
        Run {
            place: Some((lane, record)),
            outer,
            outer_stack_end,
            suspended,
            _task: PhantomData,
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
        record.release();
    }
}

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

    /// Says which of the program's runtimes the task belongs to, by a number that is not 0: see [`live_tasks`].
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

/// What becomes of the task that the thread runs when it starts another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// GoPreempt.
    Preempted,
    /// GoBlockSync.
    Blocked,
}

/// Whether a run made another task wait, how, and for which session: a word of its own, so that it stays in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspended(u64);

impl Suspended {
    /// No session saw another task wait.
    pub(crate) const NOT: Self = Self(0);
    /// Above all session words.
    const BLOCKED: u64 = 1 << 63;

    pub(crate) fn new(stamp: SessionStamp, nesting: Nesting) -> Self {
        let blocked = match nesting {
            Nesting::Preempted => 0,
            Nesting::Blocked => Self::BLOCKED,
        };
        Self(stamp.word() | blocked)
    }

    fn get(self) -> Option<(SessionStamp, Nesting)> {
        let nesting = match self.0 & Self::BLOCKED {
            0 => Nesting::Preempted,
            _ => Nesting::Blocked,
        };
        let stamp = SessionStamp::of_word(self.0 & !Self::BLOCKED);
        (self != Self::NOT).then_some((stamp, nesting))
    }
}

/// A run of a task on the calling thread, from its start to its end.
///
/// Dropping it says that the task has ended, in order or by a panic.
pub struct Run<'task> {
    /// The thread's lane and the task; `None` when the end is told.
    place: Option<(&'static Lane, &'static TaskRecord)>,
    outer: Option<&'static TaskRecord>,
    outer_stack_end: usize,
    suspended: Suspended,
    /// A run belongs to the thread that started it.
    _task: PhantomData<(&'task Task, *const ())>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.place.map_or(0, |(_, record)| record.id());
        f.debug_struct("Run").field("task", &id).finish()
    }
}

impl Run<'_> {
    fn untraced() -> Self {
        Self {
            place: None,
            outer: None,
            outer_stack_end: 0,
            suspended: Suspended::NOT,
            _task: PhantomData,
        }
    }

    /// Stacks that are taken until the run ends go up to the function that calls this, and no further: what lies above is the
    /// executor's, the same for all tasks. To be called by the function that then runs the task.
    #[inline(always)]
    pub fn end_stacks_here(&self) {
        if let Some(lane) = lane::existing() {
            lane.set_stack_end(stack_walk::stack_pointer());
        }
    }

    /// The task waits, here, for the given reason.
    #[inline]
    pub fn block(mut self, reason: BlockReason) {
        self.finish(|writer, record| {
            let stack = writer.stack_id();
            pause(writer, record, reason, stack);
        });
    }

    /// The task waits at the places where its wakers were cloned; see [`Leaf`]. Without any it waits for something unknown.
    #[inline]
    pub fn wait(mut self, leaves: &[Leaf]) {
        self.finish(|writer, record| wait(writer, record, leaves));
    }

    /// The task gives up its turn and can run again at once (GoSched).
    #[inline]
    pub fn yields(mut self) {
        self.finish(|writer, record| {
            let stack = writer.stack_id();
            let mut logger = TaskLogger::new(writer, record, stack);
            record.word.pause(&mut logger, Pause::Yield);
        });
    }

    /// The runtime takes the thread away from the task, which can run again at once (GoPreempt).
    #[inline]
    pub fn preempt(mut self) {
        self.finish(|writer, record| {
            let stack = writer.stack_id();
            let mut logger = TaskLogger::new(writer, record, stack);
            logger.yield_type = EventType::GoPreempt;
            record.word.pause(&mut logger, Pause::Yield);
        });
    }

    /// The task has ended.
    #[inline]
    pub fn end(self) {}

    /// Writes the end of the run, and gives the thread back to the outer task.
    #[inline(always)]
    fn finish(&mut self, write: impl FnOnce(&mut LaneWriter, &'static TaskRecord)) {
        let Some((lane, record)) = self.place.take() else {
            return;
        };
        if let Some(mut writer) = LaneWriter::enter_on(lane) {
            if writer.room(TRANSITION_EVENTS) {
                write(&mut writer, record);
            }
            if let Some(outer) = self.outer {
                resume(&mut writer, outer, self.suspended);
            }
        }
        lane.replace_current(self.outer);
        lane.set_stack_end(self.outer_stack_end);
    }
}

impl Drop for Run<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some((_, record)) = self.place else {
            return;
        };
        self.finish(|writer, record| {
            record.word.end(&mut TaskLogger::new(writer, record, 0));
        });
        record.word.end_unheard();
        region::abandon(record);
    }
}

/// A place where a task waits: the stack of a leaf future that cloned the task's waker.
#[derive(Clone, Copy, Debug)]
pub struct Leaf(&'static StackEntry);

impl Leaf {
    /// The caller's stack as a leaf. `None` when no session is running, or when the stack has no frames or no room.
    #[inline]
    pub fn here() -> Option<Self> {
        let mut writer = LaneWriter::enter()?;
        writer.walk_stack().map(Self)
    }
}

/// Writes the start of `record`, the outer task suspended first if the session sees it run.
///
/// The inner task is current already: a lane that is set up by this hook introduces it, not the outer one.
#[inline(never)]
fn start(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    nesting: Nesting,
    label: StringId,
) -> Suspended {
    let Some(mut writer) = LaneWriter::enter_on(lane) else {
        return Suspended::NOT;
    };
    if !writer.room(TRANSITION_EVENTS) {
        return Suspended::NOT;
    }
    // Relaxed: stored by this thread.
    let running = lane.running.load(Ordering::Relaxed);
    let mut suspended = Suspended::NOT;
    if running != 0 && running != record.id() {
        suspend(&mut writer, nesting);
        if outer.is_some() {
            suspended = Suspended::new(writer.stamp(), nesting);
        }
    }
    let mut logger = TaskLogger::new(&mut writer, record, 0);
    logger.label = label;
    record.word.start(&mut logger);
    suspended
}

/// The running task makes room for another one on its thread; its word stays as it is, for wakers.
#[cold]
fn suspend(writer: &mut LaneWriter, nesting: Nesting) {
    suspend_for(
        writer,
        match nesting {
            Nesting::Preempted => EventType::GoPreempt,
            Nesting::Blocked => EventType::GoBlockSync,
        },
    );
}

/// The running task stops with an event of GoBlock's shape; its word stays as it is, for wakers. There must be room.
pub(crate) fn suspend_for(writer: &mut LaneWriter, event_type: EventType) {
    let stack = writer.stack_id();
    // Relaxed: stored by this thread.
    writer.lane().running.store(0, Ordering::Relaxed);
    let tick = writer.tick_after(0);
    writer.emit_stop(tick, event_type, stack);
}

/// The outer task runs on.
#[cold]
pub(crate) fn resume(writer: &mut LaneWriter, outer: &'static TaskRecord, suspended: Suspended) {
    // Relaxed: stored by this thread.
    if outer.in_syscall.load(Ordering::Relaxed) || !writer.room(TRANSITION_EVENTS) {
        return;
    }
    if !outer.word.is_running(writer.stamp().start_tick()) {
        outer.word.start(&mut TaskLogger::new(writer, outer, 0));
        return;
    }
    // Relaxed: stored by this thread.
    if writer.lane().running.load(Ordering::Relaxed) == outer.id() {
        return;
    }
    let Some((stamp, nesting)) = suspended.get() else {
        return;
    };
    debug_assert_eq!(
        stamp,
        writer.stamp(),
        "a run that a former session saw is unknown to this one"
    );
    let mut logger = TaskLogger::new(writer, outer, 0);
    if nesting == Nesting::Blocked {
        let seq = outer.word.advance_seq(1);
        logger.write(0, Step::UnblockByNobody { seq });
    }
    let seq = outer.word.advance_seq(1);
    logger.write(0, Step::Start { seq });
}

/// The lane has joined a session in the middle of a run of `record`.
pub(crate) fn resume_in_new_session(writer: &mut LaneWriter, record: &'static TaskRecord) {
    // Relaxed: stored by this thread.
    if record.in_syscall.load(Ordering::Relaxed) || !writer.room(TRANSITION_EVENTS) {
        return;
    }
    record.word.start(&mut TaskLogger::new(writer, record, 0));
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

#[inline]
fn set_runtime(record: Option<&TaskRecord>, runtime: u64) {
    if let Some(record) = record {
        // Relaxed: a figure for a report.
        record.runtime.store(runtime, Ordering::Relaxed);
    }
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

#[inline(never)]
pub(crate) fn wake(record: &'static TaskRecord) {
    let Some(mut writer) = LaneWriter::enter() else {
        return;
    };
    if !writer.room(TRANSITION_EVENTS) {
        return;
    }
    let stack = if record.word.wake_would_write(writer.stamp().start_tick()) {
        writer.stack_id()
    } else {
        0
    };
    let mut logger = TaskLogger::new(&mut writer, record, stack);
    // Relaxed: stored by this thread.
    logger.introduces = logger.writer.lane().running.load(Ordering::Relaxed) != 0;
    record.word.wake(&mut logger);
}

/// The task is dropped while nobody runs it: as a start, then its end. The thread's own task makes room for it.
#[cold]
fn end_outside_of_a_run(record: &'static TaskRecord) {
    if let Some(mut writer) = LaneWriter::enter() {
        let known = record.word.is_known(writer.stamp().start_tick());
        if known && writer.room(TRANSITION_EVENTS * 2) {
            let outer = lane::current();
            // Relaxed: stored by this thread.
            let nested = writer.lane().running.load(Ordering::Relaxed) != 0;
            if nested {
                suspend(&mut writer, Nesting::Preempted);
            }
            record
                .word
                .end(&mut TaskLogger::new(&mut writer, record, 0));
            if let Some(outer) = outer
                && nested
            {
                let suspended = Suspended::new(writer.stamp(), Nesting::Preempted);
                resume(&mut writer, outer, suspended);
            }
        }
    }
    record.word.end_unheard();
}

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

/// Writes that the running task waits at its leaves. While a leaf's class is unknown the choice is the collector's.
#[inline(always)]
fn wait(writer: &mut LaneWriter, record: &'static TaskRecord, leaves: &[Leaf]) {
    let leaves = &leaves[..leaves.len().min(LEAVES_MAX)];
    // Relaxed: a class that is seen late only means a patch.
    let codes = leaves
        .iter()
        .map(|leaf| leaf.0.class.load(Ordering::Relaxed));
    let open = codes.clone().any(|class| class == code::UNKNOWN);
    let verdict = weigh(codes);
    if let Some(verdict) = verdict {
        let stack = writer.use_stack(leaves[verdict.leaf].0);
        let mut logger = TaskLogger::new(writer, record, stack);
        match verdict.class {
            LeafClass::Waits(reason) => logger.block_type = reason.event_type(),
            LeafClass::Yields | LeafClass::Timer => {
                record.word.pause(&mut logger, Pause::Yield);
                return;
            }
        }
        record.word.pause(&mut logger, Pause::Block);
        return;
    }
    if !open {
        pause(writer, record, BlockReason::Other, 0);
        return;
    }
    let mut patch = Patch {
        offset: 0,
        stacks_len: leaves.len() as u32,
        stacks: [0; LEAVES_MAX],
    };
    for (id, leaf) in patch.stacks.iter_mut().zip(leaves) {
        *id = writer.use_stack(leaf.0);
    }
    let last = patch.stacks[leaves.len() - 1];
    let mut logger = TaskLogger::new(writer, record, last);
    logger.open = true;
    let paused = record.word.pause(&mut logger, Pause::Block);
    patch.offset = logger.open_at;
    if paused == Paused::Blocked {
        writer.add_patch(patch);
    }
}

/// A lane's pen in the hands of one task's transition.
pub(crate) struct TaskLogger<'writer> {
    writer: &'writer mut LaneWriter,
    record: &'static TaskRecord,
    /// Stack of the creation, the wake or the block.
    stack: u32,
    /// The kind of block, one of those with GoBlock's shape.
    block_type: EventType,
    /// GoSched or GoPreempt.
    yield_type: EventType,
    /// The kind of block is not known yet.
    open: bool,
    open_at: u32,
    /// A creation happens on the introducing lane.
    introduces: bool,
    /// The task that is introduced is in a system call, or comes back from one.
    in_syscall: bool,
    /// Label of the start; 0 for none.
    label: StringId,
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
    fn write_start(&mut self, tick: u64, seq: u64) -> u64 {
        let mut tick = tick;
        if !self.writer.state().proc_running {
            let thread = ThreadId(self.writer.lane().thread());
            self.writer.emit(tick, &ProcStart { thread });
            self.writer.state().proc_running = true;
            tick += 1;
        }
        let task = self.task();
        let (seq, label) = (Seq(seq), self.label);
        if label == StringId(0) {
            self.writer.emit(tick, &GoStart { task, seq });
        } else {
            self.writer.emit(tick, &GoStartLabel { task, seq, label });
        }
        // Relaxed: for this thread and its signal handler, which runs on this thread.
        self.writer.lane().running.store(task.0, Ordering::Relaxed);
        tick
    }

    #[inline(always)]
    fn write_unblock(&mut self, tick: u64, seq: u64, stack: u32) {
        let event = GoUnblock {
            task: self.task(),
            seq: Seq(seq),
            stack: StackId(u64::from(stack)),
        };
        self.writer.emit(tick, &event);
    }

    /// The task comes back from a system call that the session with the stamp `seen` saw it enter.
    pub(crate) fn leave_syscall(mut self, seen: Option<SessionStamp>) {
        let record = self.record;
        let stamp = self.writer.stamp();
        if seen == Some(stamp) && record.word.is_running(stamp.start_tick()) {
            let seq = record.word.advance_seq(2);
            let tick = self.writer.tick_after(record.word.tick());
            self.write_syscall_exit(tick, seq - 1, tick);
            self.write(tick, Step::Start { seq });
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

impl TaskLog for TaskLogger<'_> {
    type Mark = Mark;

    #[inline(always)]
    fn start_tick(&self) -> u64 {
        self.writer.stamp().start_tick()
    }

    #[inline(always)]
    fn mark(&self) -> Mark {
        self.writer.mark()
    }

    #[inline]
    fn rewind(&mut self, mark: Mark) {
        self.writer.rewind(mark);
    }

    #[inline(always)]
    fn write(&mut self, cause: u64, step: Step) -> u64 {
        let tick = self.writer.tick_after(cause);
        match step {
            Step::Create => self.write_create(tick),
            Step::Waiting => self.write_waiting(tick),
            Step::Unblock { seq } => self.write_unblock(tick, seq, self.stack),
            Step::UnblockByNobody { seq } if self.in_syscall => {
                self.write_syscall_exit(tick, seq, 0)
            }
            Step::UnblockByNobody { seq } => self.write_unblock(tick, seq, 0),
            Step::Start { seq } => return self.write_start(tick, seq),
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
