//! Runs: a task on a thread, from its start to its end, and what becomes of the task that the thread ran before.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use exectrace_format::StringId;
use exectrace_format::go_v1::EventType;

use crate::block_reason::BlockReason;
use crate::gate::SessionStamp;
use crate::lane::{self, Lane};
use crate::lane_writer::LaneWriter;
use crate::leaf::{self, Leaf};
use crate::quick_pen::QuickPen;
use crate::region;
use crate::session_word;
use crate::stack_walk;
use crate::task::Task;
use crate::task_logger::{self, TRANSITION_EVENTS, TaskLogger};
use crate::task_slab::TaskRecord;
use crate::task_word::{Pause, Step, TaskLog};
use crate::thread_role::ThreadRole;
use crate::worker_count;

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
    /// The thread's lane and the task; `None` for a task that has no record.
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
    /// The calling thread runs the task of `record` from now on.
    #[inline(always)]
    pub(crate) fn start(record: &'static TaskRecord, nesting: Nesting, label: &[u8]) -> Self {
        let Some(lane) = lane::own() else {
            return Self::untraced();
        };
        let outer = lane.replace_current(Some(record));
        // What a run nested in this one cuts is cut for it alone.
        let outer_stack_end = lane.set_stack_end(0);
        let mut suspended = Suspended::NOT;
        if session_word::is_on() && !(label.is_empty() && start_quickly(lane, record)) {
            suspended = write_start(lane, record, outer, nesting, label);
        }
        Self {
            place: Some((lane, record)),
            outer,
            outer_stack_end,
            suspended,
            _task: PhantomData,
        }
    }

    /// A run of a task that has no record.
    pub(crate) fn untraced() -> Self {
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
        if let Some((lane, _)) = self.place {
            lane.end_stacks_at(stack_walk::stack_pointer());
        }
    }

    /// The task waits, here, for the given reason.
    #[inline]
    pub fn block(self, reason: BlockReason) {
        self.finish(|writer, record| {
            let stack = writer.stack_id();
            task_logger::pause(writer, record, reason, stack);
        });
    }

    /// The task waits at the places where its wakers were cloned; see [`Leaf`]. Without any it waits for something unknown.
    #[inline(always)]
    pub fn wait(self, leaves: &[Leaf]) {
        if session_word::is_on()
            && let Some((lane, record)) = self.place
            && !(leaves.len() <= 1
                && self.outer.is_none()
                && wait_quickly(lane, record, leaves.first().copied()))
        {
            write_wait(lane, record, self.outer, self.suspended, leaves);
        }
        self.finish_unheard();
    }

    /// As [`Run::wait`], for a task that has woken itself meanwhile, as those do that poll their parts in turn: it can run again
    /// at once (GoSched).
    #[inline(always)]
    pub fn wait_woken(self, leaves: &[Leaf]) {
        if session_word::is_on()
            && let Some((lane, record)) = self.place
            && !(self.outer.is_none() && yield_quickly(lane, record, leaves.last().copied()))
        {
            write_yield(lane, record, self.outer, self.suspended, leaves);
        }
        self.finish_unheard();
    }

    /// The task gives up its turn and can run again at once (GoSched).
    #[inline]
    pub fn yields(self) {
        self.finish(|writer, record| {
            let stack = writer.stack_id();
            let mut logger = TaskLogger::new(writer, record, stack);
            record.word.pause(&mut logger, Pause::Yield);
        });
    }

    /// The runtime takes the thread away from the task, which can run again at once (GoPreempt).
    #[inline]
    pub fn preempt(self) {
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
    fn finish(self, write: impl FnOnce(&mut LaneWriter, &'static TaskRecord)) {
        if session_word::is_on()
            && let Some((lane, record)) = self.place
        {
            write_end(lane, record, self.outer, self.suspended, write);
        }
        self.finish_unheard();
    }

    /// Gives the thread back to the outer task.
    #[inline(always)]
    fn finish_unheard(self) {
        if let Some((lane, _)) = self.place {
            lane.set_current(self.outer);
            lane.end_stacks_at(self.outer_stack_end);
        }
        // Its end is told.
        std::mem::forget(self);
    }
}

impl Drop for Run<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // Copied, so that a run that is told its end otherwise need not lie in memory for this.
        if let Some((lane, record)) = self.place {
            end(
                lane,
                record,
                self.outer,
                self.outer_stack_end,
                self.suspended,
            );
        }
    }
}

/// A run as nearly all are: the thread ran no task before, and the session that is running has seen it begin.
///
/// It is a [`Run`] of two words, which a poll keeps in registers. What is not simple about its end it leaves to one.
pub struct PlainRun<'task> {
    lane: &'static Lane,
    record: &'static TaskRecord,
    /// As of a [`Run`].
    _task: PhantomData<(&'task Task, *const ())>,
}

impl fmt::Debug for PlainRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainRun")
            .field("task", &self.record.id())
            .finish()
    }
}

impl PlainRun<'_> {
    /// The calling thread runs the task of `record` from now on, if that is simple.
    #[inline(always)]
    pub(crate) fn start(record: &'static TaskRecord) -> Option<Self> {
        let lane = lane::existing().filter(|lane| lane.has_no_current())?;
        lane.set_current(Some(record));
        if !start_quickly(lane, record) {
            lane.set_current(None);
            return None;
        }
        lane.end_stacks_at(stack_walk::stack_pointer());
        Some(Self {
            lane,
            record,
            _task: PhantomData,
        })
    }

    /// As [`Run::wait`].
    #[inline(always)]
    pub fn wait(self, leaves: &[Leaf]) {
        let (lane, record) = (self.lane, self.record);
        if !(leaves.len() <= 1 && wait_quickly(lane, record, leaves.first().copied())) {
            write_wait(lane, record, None, Suspended::NOT, leaves);
        }
        self.finish_unheard();
    }

    /// As [`Run::wait_woken`].
    #[inline(always)]
    pub fn wait_woken(self, leaves: &[Leaf]) {
        let (lane, record) = (self.lane, self.record);
        if !yield_quickly(lane, record, leaves.last().copied()) {
            write_yield(lane, record, None, Suspended::NOT, leaves);
        }
        self.finish_unheard();
    }

    /// As [`Run::block`].
    #[cold]
    #[inline(never)]
    pub fn block(self, reason: BlockReason) {
        let run = Run {
            place: Some((self.lane, self.record)),
            outer: None,
            outer_stack_end: 0,
            suspended: Suspended::NOT,
            _task: PhantomData,
        };
        std::mem::forget(self);
        run.block(reason);
    }

    /// The task has ended.
    #[inline]
    pub fn end(self) {}

    /// Leaves the thread without a task.
    #[inline(always)]
    fn finish_unheard(self) {
        self.lane.set_current(None);
        self.lane.end_stacks_at(0);
        // Its end is told.
        std::mem::forget(self);
    }
}

impl Drop for PlainRun<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        end(self.lane, self.record, None, 0, Suspended::NOT);
    }
}

/// The run of `record` ends, and with it the task.
#[inline(never)]
fn end(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    outer_stack_end: usize,
    suspended: Suspended,
) {
    if session_word::is_on() {
        let is_done = outer.is_none() && QuickPen::enter(lane, record).is_some_and(QuickPen::end);
        if !is_done {
            write_last(lane, record, outer, suspended);
        }
    }
    lane.set_current(outer);
    lane.end_stacks_at(outer_stack_end);
    record.word.end_unheard();
    region::abandon(record);
}

/// Writes the start of `record` where it is simple.
#[inline(never)]
fn start_quickly(lane: &'static Lane, record: &'static TaskRecord) -> bool {
    QuickPen::enter(lane, record).is_some_and(QuickPen::start)
}

/// Writes that the run of `record` ends at a leaf, or none, where it is simple.
#[inline(never)]
fn wait_quickly(lane: &'static Lane, record: &'static TaskRecord, leaf: Option<Leaf>) -> bool {
    let block_type = match &leaf {
        None => Some(EventType::GoBlock as u8),
        Some(leaf) => leaf.event_type(),
    };
    let Some(block_type) = block_type else {
        return false;
    };
    QuickPen::enter(lane, record)
        .is_some_and(|pen| pen.block(block_type, leaf.map(|leaf| leaf.stack())))
}

/// Writes that the run of `record`, which was woken meanwhile, ends at a leaf, or none, where it is simple.
#[inline(never)]
fn yield_quickly(lane: &'static Lane, record: &'static TaskRecord, leaf: Option<Leaf>) -> bool {
    QuickPen::enter(lane, record).is_some_and(|pen| pen.give_way(leaf.map(|leaf| leaf.stack())))
}

/// Writes the start of `record`, the outer task suspended first if the session sees it run.
///
/// The inner task is current already: a lane that is set up by this hook introduces it, not the outer one.
#[cold]
#[inline(never)]
fn write_start(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    nesting: Nesting,
    label: &[u8],
) -> Suspended {
    let Some(mut writer) = LaneWriter::enter_on(lane) else {
        return Suspended::NOT;
    };
    let writer = &mut writer;
    // Two more for the number of workers.
    if !writer.room(TRANSITION_EVENTS + 2) {
        return Suspended::NOT;
    }
    let running = writer.running();
    let mut suspended = Suspended::NOT;
    if running != 0 && running != record.id() {
        suspend(writer, nesting);
        if outer.is_some() {
            suspended = Suspended::new(writer.stamp(), nesting);
        }
    }
    let lane = writer.lane();
    if !writer.state().proc_running && lane.role() == ThreadRole::Recorder {
        // The collector's lane is a worker only if the sink runs tasks.
        worker_count::raise_to(writer, lane.number() + 1);
    }
    let mut name = StringId(0);
    if !label.is_empty() {
        // Interned by the hook that uses it, for the session that it belongs to.
        name = writer.string_id(label);
    }
    let mut logger = TaskLogger::new(writer, record, 0);
    logger.label = name;
    record.word.start(&mut logger);
    suspended
}

/// Writes that the run of `record` ends at its leaves.
#[cold]
#[inline(never)]
fn write_wait(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    suspended: Suspended,
    leaves: &[Leaf],
) {
    write_end(lane, record, outer, suspended, |writer, record| {
        leaf::wait(writer, record, leaves);
    });
}

/// Writes that the run of `record`, which was woken meanwhile, ends.
#[cold]
#[inline(never)]
fn write_yield(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    suspended: Suspended,
    leaves: &[Leaf],
) {
    write_end(lane, record, outer, suspended, |writer, record| {
        let stack = leaves.last().map_or(0, |leaf| leaf.stack_id(writer));
        let mut logger = TaskLogger::new(writer, record, stack);
        record.word.pause(&mut logger, Pause::Yield);
    });
}

/// Writes that the run of `record` is its last.
#[cold]
#[inline(never)]
fn write_last(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    suspended: Suspended,
) {
    write_end(lane, record, outer, suspended, |writer, record| {
        record.word.end(&mut TaskLogger::new(writer, record, 0));
    });
}

/// Writes the end of a run by `write`, and that the outer task goes on.
#[inline(always)]
fn write_end(
    lane: &'static Lane,
    record: &'static TaskRecord,
    outer: Option<&'static TaskRecord>,
    suspended: Suspended,
    write: impl FnOnce(&mut LaneWriter, &'static TaskRecord),
) {
    let Some(mut writer) = LaneWriter::enter_on(lane) else {
        return;
    };
    if runs_here(&writer, record) && writer.room(TRANSITION_EVENTS) {
        write(&mut writer, record);
    }
    if let Some(outer) = outer {
        resume(&mut writer, outer, suspended);
    }
}

/// Whether what ends a run of `record` can be written here: the thread runs it, as the recording sees it, or the recording has
/// not seen it begin and the thread is free. Neither holds when runs end out of order, or within a system call.
#[inline(always)]
fn runs_here(writer: &LaneWriter, record: &TaskRecord) -> bool {
    let running = writer.running();
    running == record.id() || (running == 0 && !record.word.is_running(writer.stamp().start_tick()))
}

/// The running task makes room for another one on its thread; its word stays as it is, for wakers.
pub(crate) fn suspend(writer: &mut LaneWriter, nesting: Nesting) {
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
pub(crate) fn resume(writer: &mut LaneWriter, outer: &'static TaskRecord, suspended: Suspended) {
    // Relaxed: stored by this thread.
    if outer.in_syscall.load(Ordering::Relaxed) || !writer.room(TRANSITION_EVENTS) {
        return;
    }
    // It runs already, or another one does whose run has outlived its turn.
    if writer.running() != 0 {
        return;
    }
    if !outer.word.is_running(writer.stamp().start_tick()) {
        outer.word.start(&mut TaskLogger::new(writer, outer, 0));
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
        logger.write(0, Step::UnblockByNobody { seq, local: true });
    }
    let seq = outer.word.advance_seq(1);
    logger.write(0, Step::Start { seq, local: true });
}

/// The lane has joined a session in the middle of a run of `record`.
pub(crate) fn resume_in_new_session(writer: &mut LaneWriter, record: &'static TaskRecord) {
    // Relaxed: stored by this thread.
    if record.in_syscall.load(Ordering::Relaxed) || !writer.room(TRANSITION_EVENTS) {
        return;
    }
    record.word.start(&mut TaskLogger::new(writer, record, 0));
}
