//! The pen for steps that tasks nearly always take: one event of a known task or a new one, on a lane that is set up, in time and with room.
//!
//! What makes hooks dear beside the clock is not what they do but what they might have to do: each call of something rare spills
//! what the hook has in registers. So a quick hook calls nothing. Where the step turns out to be another it takes back what it has
//! written, leaves the gate and answers false, and the caller does all of it anew with a [`LaneWriter`](crate::lane_writer::LaneWriter).
#![expect(
    unsafe_code,
    reason = "events are written into raw batch memory between two steps of the gate"
)]

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use exectrace_format::go_v1::{
    Event, EventType, GoBlock, GoCreate, GoEnd, GoSched, GoStart, GoStartLocal, GoUnblock,
    GoUnblockLocal,
};
use exectrace_format::limits::EVENT_BYTES_MAX;
use exectrace_format::{Seq, StackId, TaskId};

use crate::batch::{EVENT_BYTES, EVENT_TYPES};
use crate::clock;
use crate::gate::SessionStamp;
use crate::lane::{Lane, LaneState};
use crate::lane_writer::{END_BYTES, stop_of};
use crate::session_word;
use crate::stack_walk::Walk;
use crate::tables::{self, StackEntry};
use crate::task_slab::TaskRecord;
use crate::task_word::{Step, TaskLog};

/// The stack that a walk finds, if the lane's cache has it.
#[inline(always)]
pub(crate) fn known_stack(lane: &'static Lane, walk: &Walk) -> Option<&'static StackEntry> {
    // Relaxed: only the owner stores here.
    let session = lane.quick_session.load(Ordering::Relaxed);
    if !lane.gate.enter_for(session_word::word(), session) {
        return None;
    }
    // SAFETY: the gate is raised by this thread, so the state is ours alone; a handler reads only atomics.
    let state = unsafe { &*lane.state() };
    let stack = state.walks.find(walk, SessionStamp::of_word(session));
    lane.gate.leave();
    stack
}

/// The inside of a quick hook. Leaving it (drop) lowers the gate.
pub(crate) struct QuickPen {
    lane: &'static Lane,
    record: &'static TaskRecord,
    stamp: SessionStamp,
    /// The task's id. Words that are atomic for others' sake are read once: the compiler does not know that they stay.
    id: u64,
    now: u64,
    /// Tick of the lane's last event, as the pen found it.
    last_tick: u64,
    /// Stack of the wake, the block or the creation.
    stack: u32,
    /// Stack of the start, for a creation.
    start_stack: u32,
    /// The kind of block.
    block_type: u8,
    /// Type of the event that was written.
    written: u8,
    _this_thread: PhantomData<*const ()>,
}

/// A place to wind back to.
#[derive(Clone, Copy)]
pub(crate) struct QuickMark {
    position: *mut u8,
    running: u64,
}

impl Drop for QuickPen {
    #[inline(always)]
    fn drop(&mut self) {
        self.lane.gate.leave();
    }
}

impl QuickPen {
    /// Enters the calling thread's lane for a step of the task. `None` where that is not simple.
    #[inline(always)]
    pub(crate) fn enter(lane: &'static Lane, record: &'static TaskRecord) -> Option<Self> {
        // Relaxed: only the owner stores here.
        let session = lane.quick_session.load(Ordering::Relaxed);
        if !lane.gate.enter_for(session_word::word(), session) {
            return None;
        }
        let mut pen = Self {
            lane,
            record,
            stamp: SessionStamp::of_word(session),
            // Such a session's ticks are the counter's.
            now: clock::counter(),
            id: record.id(),
            // Relaxed: only the owner stores here.
            last_tick: lane.last_tick.load(Ordering::Relaxed),
            stack: 0,
            start_stack: 0,
            block_type: EventType::GoBlock as u8,
            written: EventType::GoBlock as u8,
            _this_thread: PhantomData,
        };
        #[cfg(any(test, feature = "clock-skew"))]
        {
            pen.now = pen.now.wrapping_add(pen.state().skew);
        }
        let state = pen.state();
        let left = state.limit.addr() - state.position.addr();
        (left >= EVENT_BYTES + END_BYTES).then_some(pen)
    }

    #[inline(always)]
    fn state(&mut self) -> &mut LaneState {
        // SAFETY: the gate is raised by this thread, so the state is this pen's alone; a handler reads only atomics.
        unsafe { &mut *self.lane.state() }
    }

    /// Id of the task that runs on the thread, as the recording sees it; 0 for none.
    #[inline(always)]
    fn running(&self) -> u64 {
        // Relaxed: only the owner stores here.
        self.lane.running.load(Ordering::Relaxed)
    }

    /// The task begins to run on a worker that is running and free. False, and nothing is written, if it is not so.
    #[inline(always)]
    pub(crate) fn start(mut self) -> bool {
        let record = self.record;
        self.running() == 0 && self.state().proc_running && record.word.start_runnable(&mut self)
    }

    /// The task, which runs, waits for what makes an event of this type, maybe at a stack that the session has seen. False, and
    /// nothing is written, if it is not so.
    #[inline(always)]
    pub(crate) fn block(mut self, block_type: u8, stack: Option<&StackEntry>) -> bool {
        let record = self.record;
        let Some(stack) = self.seen(stack) else {
            return false;
        };
        (self.stack, self.block_type) = (stack, block_type);
        self.running() == self.id && record.word.block_running(&mut self)
    }

    /// The task, which runs, gives up its turn. False, and nothing is written, if it is not so.
    #[inline(always)]
    pub(crate) fn give_way(mut self, stack: Option<&StackEntry>) -> bool {
        let record = self.record;
        let Some(stack) = self.seen(stack) else {
            return false;
        };
        self.stack = stack;
        self.running() == self.id && record.word.yield_running(&mut self)
    }

    /// The task, which runs, ends. False, and nothing is written, if it is not so.
    #[inline(always)]
    pub(crate) fn end(mut self) -> bool {
        let record = self.record;
        self.running() == self.id && record.word.end_running(&mut self)
    }

    /// The task waits, and is woken at a stack that the session has seen. False, and nothing is written, if it is not so.
    #[inline(always)]
    pub(crate) fn wake(mut self, walk: &Walk) -> bool {
        let record = self.record;
        let Some(stack) = self.walk(walk) else {
            return false;
        };
        self.stack = stack.id();
        record.word.wake_waiting(&mut self)
    }

    /// The task is new, and is made at a stack that the session has seen, as others that run the same function. False, and nothing
    /// is written, if it is not so.
    #[inline(always)]
    pub(crate) fn create(mut self, walk: &Walk) -> bool {
        let record = self.record;
        let Some(stack) = self.walk(walk) else {
            return false;
        };
        let Some(start) = tables::seen_start_stack(record.entry(), self.stamp) else {
            return false;
        };
        (self.stack, self.start_stack) = (stack.id(), start.id());
        record.word.create(&mut self)
    }

    /// The stack that a walk finds. `None` if the session has not seen it, or it is cut.
    #[inline(always)]
    fn walk(&mut self, walk: &Walk) -> Option<&'static StackEntry> {
        let stamp = self.stamp;
        let state = self.state();
        match state.walks.find(walk, stamp) {
            Some(stack) => Some(stack),
            None => state.walk_to_seen(walk, stamp),
        }
    }

    /// The id of a stack; 0 of none. `None` if the session has not seen it.
    #[inline(always)]
    fn seen(&self, stack: Option<&StackEntry>) -> Option<u32> {
        match stack {
            None => Some(0),
            Some(stack) => stack.is_used_by(self.stamp).then_some(stack.id()),
        }
    }

    #[inline(always)]
    fn set_running(&self, id: u64) {
        // Relaxed: for this thread and its signal handler, which runs on this thread.
        self.lane.running.store(id, Ordering::Relaxed);
    }

    /// Writes the event at the tick of [`TaskLog::is_on_time`].
    #[inline(always)]
    fn emit<E: Event>(&mut self, event: &E) -> u64 {
        self.emit_as(E::TYPE as u8, event)
    }

    /// As [`Self::emit`]; `event_type` is the event's own, or another one of its shape.
    #[inline(always)]
    fn emit_as<E: Event>(&mut self, event_type: u8, event: &E) -> u64 {
        let (now, last_tick) = (self.now, self.last_tick);
        self.written = event_type;
        let state = self.state();
        debug_assert!(state.limit.addr() - state.position.addr() >= EVENT_BYTES_MAX);
        // SAFETY: `enter` saw that so many bytes of the lane's own batch are free.
        let place: &mut [u8; EVENT_BYTES_MAX] = unsafe { &mut *state.position.cast() };
        let length = event.encode(now - last_tick, place);
        if event_type != E::TYPE as u8 {
            place[0] = stop_of(event_type);
        }
        state.position = state.position.wrapping_add(length);
        state.counts[usize::from(event_type) % EVENT_TYPES] += 1;
        // Relaxed: only the owner stores here.
        self.lane.last_tick.store(now, Ordering::Relaxed);
        now
    }
}

impl TaskLog for QuickPen {
    type Mark = QuickMark;

    #[inline(always)]
    fn start_tick(&self) -> u64 {
        self.stamp.start_tick()
    }

    #[inline(always)]
    fn lane(&self) -> u32 {
        self.lane.number() + 1
    }

    #[inline(always)]
    fn is_on_time(&self, cause: u64) -> bool {
        self.now > cause && self.now > self.last_tick
    }

    #[inline(always)]
    fn mark(&self) -> QuickMark {
        // SAFETY: as in `state`; the reference ends with this function.
        let state = unsafe { &*self.lane.state() };
        QuickMark {
            position: state.position,
            running: self.running(),
        }
    }

    #[inline(always)]
    fn rewind(&mut self, mark: QuickMark) {
        let written = self.written;
        let state = self.state();
        state.position = mark.position;
        state.counts[usize::from(written) % EVENT_TYPES] -= 1;
        // Relaxed: only the owner stores here.
        self.lane.last_tick.store(self.last_tick, Ordering::Relaxed);
        self.set_running(mark.running);
    }

    #[inline(always)]
    fn write(&mut self, _: u64, step: Step) -> u64 {
        let task = TaskId(self.id);
        let stack = StackId(u64::from(self.stack));
        // The handler's view of a task that ends its run goes first, that of one that begins it last.
        if matches!(step, Step::Block | Step::Yield | Step::End) {
            self.set_running(0);
        }
        let tick = match step {
            Step::Unblock { local: true, .. } => self.emit(&GoUnblockLocal { task, stack }),
            Step::Unblock { seq, .. } => {
                let seq = Seq(seq);
                self.emit(&GoUnblock { task, seq, stack })
            }
            Step::Start { local: true, .. } => self.emit(&GoStartLocal { task }),
            Step::Start { seq, .. } => {
                let seq = Seq(seq);
                self.emit(&GoStart { task, seq })
            }
            Step::Block => self.emit_as(self.block_type, &GoBlock { stack }),
            Step::Yield => self.emit(&GoSched { stack }),
            Step::End => self.emit(&GoEnd {}),
            Step::Create => {
                let start_stack = StackId(u64::from(self.start_stack));
                let event = GoCreate {
                    task,
                    start_stack,
                    stack,
                };
                self.emit(&event)
            }
            Step::Waiting | Step::UnblockByNobody { .. } => {
                debug_assert!(false, "no step of a quick hook: {step:?}");
                self.now
            }
        };
        if matches!(step, Step::Start { .. }) {
            self.set_running(task.0);
        }
        tick
    }
}
