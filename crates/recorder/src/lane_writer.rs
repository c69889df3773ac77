//! A hook's pen: writes events into the batch of the thread's lane, while the lane's gate is raised.
#![expect(
    unsafe_code,
    reason = "events are written into raw batch memory between two steps of the gate"
)]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering;

use exectrace_format::go_v1::{Batch, Event, EventType, GCSweepDone, GoBlock, ProcStop};
use exectrace_format::limits::EVENT_BYTES_MAX;
use exectrace_format::{StackId, StringId, WorkerId};

use crate::batch::{BatchPtr, EVENT_BYTES, EVENT_TYPES, LARGE_BYTES, Patch, uncount};
use crate::clock;
use crate::gate::{Refusal, SessionStamp};
use crate::intern_table::hash_of_bytes;
use crate::lane::{self, Lane, LaneState};
use crate::run;
use crate::session;
use crate::session_word;
use crate::stack_walk::Walk;
use crate::tables::{self, StackEntry};
use crate::thread_role::ThreadRole;
use crate::walk_cache::HookKind;
use crate::worker_count;
use crate::worker_numbers;

/// A tick that is so far ahead of the clock was held back by a cause, not by events: more than a millisecond.
const CLAMP_TICKS: u64 = 1 << 18;

/// Names and keys longer than this are cut, so that tables stay small.
pub(crate) const NAME_BYTES_MAX: usize = 1024;

/// Room that a hook leaves in the batch, so that a lane whose hooks find none can still write its end.
pub(crate) const END_BYTES: usize = 2 * EVENT_BYTES;

/// The most bytes of a log message: what surely fits a batch.
pub(crate) const MESSAGE_BYTES_MAX: usize = LARGE_BYTES - 2048;

/// The inside of a hook. Leaving it (drop) lowers the gate.
///
/// Two words that never change, so that they live in registers: the session's stamp is in the lane, which was set up for it. A hot
/// hook keeps them there by leaving what is rare to [`LaneWriter::apart`].
pub(crate) struct LaneWriter {
    lane: &'static Lane,
    now: u64,
    _this_thread: PhantomData<*const ()>,
}

/// A place to wind back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    position: *mut u8,
    last_tick: u64,
    running: u64,
    proc_running: bool,
}

impl Drop for LaneWriter {
    #[inline(always)]
    fn drop(&mut self) {
        self.lane.gate.leave();
    }
}

impl LaneWriter {
    /// Enters the thread's lane. `None` when no session is running or the thread is inside a hook.
    #[inline(always)]
    pub(crate) fn enter() -> Option<Self> {
        if !session_word::is_on() {
            return None;
        }
        Self::enter_lane(lane::own()?, true)
    }

    /// As [`Self::enter_on`], for a hook that writes no event, so that it needs no time.
    pub(crate) fn enter_untimed_on(lane: &'static Lane) -> Option<Self> {
        Self::enter_lane(lane, false)
    }

    /// As [`Self::enter`], for a caller that has the thread's lane at hand, and has seen that a session is running.
    #[inline(always)]
    pub(crate) fn enter_on(lane: &'static Lane) -> Option<Self> {
        Self::enter_lane(lane, true)
    }

    #[inline(always)]
    fn enter_lane(lane: &'static Lane, timed: bool) -> Option<Self> {
        let stamp = match lane.gate.enter(session_word::word()) {
            Ok(stamp) => stamp,
            Err(Refusal::Off) => return None,
            Err(Refusal::Busy) => {
                lane.count_busy();
                return None;
            }
        };
        // Relaxed: only the owner stores here.
        let is_new = lane.session.load(Ordering::Relaxed) != stamp.word();
        let mut writer = Self {
            lane,
            now: 0,
            _this_thread: PhantomData,
        };
        if timed || is_new {
            writer.now = clock::read(stamp.has_system_clock());
            #[cfg(any(test, feature = "clock-skew"))]
            {
                writer.now = writer.now.wrapping_add(writer.state().skew);
            }
        }
        if is_new {
            writer.apart(move |writer| writer.set_up(stamp));
        }
        Some(writer)
    }

    /// Does what a hot hook seldom does: with a pen of its own, so that the hook's need not lie in memory for it.
    #[inline(always)]
    pub(crate) fn apart<T>(&self, work: impl FnOnce(&mut Self) -> T) -> T {
        #[cold]
        #[inline(never)]
        fn with<T>(lane: &'static Lane, now: u64, work: impl FnOnce(&mut LaneWriter) -> T) -> T {
            // The gate is lowered by the hook's own.
            let mut writer = ManuallyDrop::new(LaneWriter {
                lane,
                now,
                _this_thread: PhantomData,
            });
            work(&mut writer)
        }
        with(self.lane, self.now, work)
    }

    /// Writes the end of what the lane has open, when the session is closed: Go 1.19's pages do not survive a task that runs
    /// when the file ends. Only for the stopper, after its wait.
    pub(crate) fn write_end(lane: &'static Lane) {
        let mut writer = Self {
            lane,
            now: clock::now(),
            _this_thread: PhantomData,
        };
        // Relaxed: acquired with the gate.
        let runs = lane.running.load(Ordering::Relaxed) != 0;
        // The room was kept for this.
        if (runs || writer.state().proc_running) && writer.state().batch.is_some() {
            if runs {
                let tick = writer.tick_after(0);
                writer.emit_stop(tick, EventType::GoSched, 0);
                lane.running.store(0, Ordering::Relaxed); // Relaxed: the next session sets the lane up anew.
            }
            writer.stop_proc();
        }
        // The gate was not raised, so it must not be lowered.
        std::mem::forget(writer);
    }

    #[inline(always)]
    pub(crate) fn state(&mut self) -> &mut LaneState {
        // SAFETY: the gate is raised by this thread, so the state is this writer's alone; a handler reads only atomics.
        unsafe { &mut *self.lane.state() }
    }

    #[inline(always)]
    pub(crate) fn lane(&self) -> &'static Lane {
        self.lane
    }

    /// Id of the task that runs on the thread, as the recording sees it; 0 for none.
    #[inline(always)]
    pub(crate) fn running(&self) -> u64 {
        // Relaxed: only the owner stores here.
        self.lane.running.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn stamp(&self) -> SessionStamp {
        // Relaxed: only the owner stores here.
        SessionStamp::of_word(self.lane.session.load(Ordering::Relaxed))
    }

    /// The lane's first hook in a session: what a former session left is forgotten.
    fn set_up(&mut self, stamp: SessionStamp) {
        let lane = self.lane;
        let start_tick = stamp.start_tick();
        let state = self.state();
        state.batch = None;
        state.position = std::ptr::null_mut();
        state.limit = std::ptr::null_mut();
        state.first_batch = true;
        state.proc_running = false;
        state.sweeping = false;
        state.spent = false;
        state.lost = 0;
        state.clamps = 0;
        state.cut_texts = 0;
        state.cut_stacks = 0;
        state.dropped_regions = 0;
        state.counts = [0; EVENT_TYPES];
        // Relaxed: stored by the owner; a handler believes `running` only if `session` is the session.
        lane.running.store(0, Ordering::Relaxed);
        // Relaxed: as above.
        let last_tick = lane.last_tick.load(Ordering::Relaxed).max(start_tick);
        // Relaxed: as above.
        lane.last_tick.store(last_tick, Ordering::Relaxed);
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        // Relaxed: as above.
        lane.session.store(stamp.word(), Ordering::Relaxed);
        // Relaxed: the owner's alone.
        lane.quick_session
            .store(stamp.quick_word(), Ordering::Relaxed);
        let is_worker = lane.role() != ThreadRole::Recorder;
        if is_worker {
            session::lane_joins();
        }
        worker_count::raise_to(self, if is_worker { lane.number() + 1 } else { 1 });
        if let Some(record) = lane::current() {
            run::resume_in_new_session(self, record);
        }
    }

    /// Sees to it that so many events fit. False when there is no room: the session is over then, and the loss counted.
    #[inline(always)]
    pub(crate) fn room(&mut self, events: usize) -> bool {
        self.room_bytes(events * EVENT_BYTES)
    }

    #[inline(always)]
    pub(crate) fn room_bytes(&mut self, bytes: usize) -> bool {
        let state = self.state();
        let left = state.limit.addr() - state.position.addr();
        left >= bytes + END_BYTES || self.apart(move |writer| writer.refill(bytes))
    }

    /// Hands the batch over and takes an empty one.
    ///
    /// After the first refusal the lane has no room in this session, even if the collector gives batches back meanwhile: what
    /// the hook still had to say would contradict what was lost.
    fn refill(&mut self, bytes: usize) -> bool {
        let (number, stamp, tick) = (self.lane.number(), self.stamp(), self.last_tick());
        let state = self.state();
        if state.spent {
            return false;
        }
        let small = state.first_batch && bytes < 1024;
        let Some(mut batch) = session::take_batch(small) else {
            state.spent = true;
            state.lost += 1;
            session::end_for_want_of_room(stamp);
            return false;
        };
        self.hand_over();
        let state = self.state();
        state.first_batch = false;
        batch.head().worker = number;
        batch.head().session = stamp.word();
        state.batch = Some(batch);
        state.position = batch.payload();
        state.limit = batch.end();
        self.switch_worker(number, tick);
        true
    }

    /// Hands the batch over, if there is one.
    pub(crate) fn hand_over(&mut self) {
        if let Some(batch) = take_filled(self.state()) {
            session::push_full(batch);
        }
    }

    #[inline(always)]
    fn last_tick(&self) -> u64 {
        // Relaxed: only the owner stores here.
        self.lane.last_tick.load(Ordering::Relaxed)
    }

    /// A tick later than `cause` and than all events of the lane; now, clocks permitting.
    #[inline(always)]
    pub(crate) fn tick_after(&mut self, cause: u64) -> u64 {
        let now = self.now;
        if now > self.last_tick() && now > cause {
            now
        } else {
            self.apart(move |writer| writer.held_back_tick(cause))
        }
    }

    /// The same where the clock does not allow for now.
    fn held_back_tick(&mut self, cause: u64) -> u64 {
        let tick = cause.max(self.last_tick()) + 1;
        if tick - self.now > CLAMP_TICKS {
            self.state().clamps += 1;
        }
        tick
    }

    /// Lets the lane's next event come after `tick`.
    pub(crate) fn advance_to(&mut self, tick: u64) {
        let last_tick = self.last_tick();
        if tick > last_tick {
            // The next delta counts from the batch's last record, so an empty stretch of time is a batch of its own.
            self.switch_worker(self.lane.number(), tick);
            // Relaxed: only the owner stores here.
            self.lane.last_tick.store(tick, Ordering::Relaxed);
        }
    }

    /// Writes an event with a tick of [`Self::tick_after`]. There must be room.
    #[inline(always)]
    pub(crate) fn emit<E: Event>(&mut self, tick: u64, event: &E) {
        let last_tick = self.last_tick();
        debug_assert!(tick > last_tick, "ticks of a lane rise");
        let length = event.encode(tick - last_tick, self.place());
        self.commit(E::TYPE, length, tick);
    }

    /// Where the next record goes.
    #[inline(always)]
    fn place(&mut self) -> &mut [u8; EVENT_BYTES_MAX] {
        let state = self.state();
        debug_assert!(state.limit.addr() - state.position.addr() >= EVENT_BYTES_MAX);
        // SAFETY: the caller asked for room, so so many bytes of the lane's own batch are free.
        unsafe { &mut *state.position.cast() }
    }

    #[inline(always)]
    fn commit(&mut self, event_type: EventType, length: usize, tick: u64) {
        let state = self.state();
        state.position = state.position.wrapping_add(length);
        state.counts[event_type as usize % EVENT_TYPES] += 1;
        // Relaxed: only the owner stores here.
        self.lane.last_tick.store(tick, Ordering::Relaxed);
    }

    /// Asks for room, stamps the event later than `cause` and writes it. `None` when there is no room.
    #[inline]
    pub(crate) fn event<E: Event>(&mut self, cause: u64, event: &E) -> Option<u64> {
        if !self.room(1) {
            return None;
        }
        let tick = self.tick_after(cause);
        self.emit(tick, event);
        Some(tick)
    }

    /// Writes an event whose type is one of those that have GoBlock's shape.
    #[inline(always)]
    pub(crate) fn emit_stop(&mut self, tick: u64, event_type: EventType, stack: u32) {
        let delta = tick - self.last_tick();
        let event = GoBlock {
            stack: StackId(u64::from(stack)),
        };
        let place = self.place();
        let length = event.encode(delta, place);
        debug_assert_eq!(place[0], STOP_SHAPE | EventType::GoBlock as u8);
        place[0] = stop_of(event_type as u8);
        self.commit(event_type, length, tick);
    }

    /// Writes a GoBlock whose type and stack the collector will set: the stack id is padded to five bytes. Returns its place.
    pub(crate) fn emit_open_stop(&mut self, tick: u64, stack: u32) -> u32 {
        let delta = tick - self.last_tick();
        let place = self.place();
        let without = GoBlock { stack: StackId(0) };
        // The one-byte stack id 0 stands last.
        let length = without.encode(delta, place) - 1;
        write_padded(&mut place[length..length + PADDED_BYTES], stack);
        let state = self.state();
        let offset = state
            .batch
            .map_or(0, |batch| state.position.addr() - batch.payload().addr());
        self.commit(EventType::GoBlock, length + PADDED_BYTES, tick);
        offset as u32
    }

    /// Leaves the choice of an open stop to the collector. There must be room for an event.
    pub(crate) fn add_patch(&mut self, patch: Patch) {
        let state = self.state();
        let Some(batch) = &mut state.batch else {
            return;
        };
        batch.head().patches += 1;
        state.limit = state.limit.wrapping_sub(size_of::<Patch>());
        debug_assert!(state.limit >= state.position);
        // SAFETY: the limit was lowered by a patch's size, above the position, inside the lane's own batch.
        unsafe { state.limit.cast::<Patch>().write_unaligned(patch) };
    }

    /// Appends bytes. The caller asked for room.
    fn append(&mut self, bytes: &[u8]) {
        let state = self.state();
        debug_assert!(state.limit.addr() - state.position.addr() >= bytes.len());
        // SAFETY: so many bytes of the lane's own batch are free.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), state.position, bytes.len()) };
        state.position = state.position.wrapping_add(bytes.len());
    }

    /// Writes a user log's message behind its record. The caller asked for room for both.
    pub(crate) fn append_message(&mut self, message: &[u8]) {
        let mut length = [0; EVENT_BYTES_MAX];
        let end = exectrace_format::varint::write(&mut length, 0, message.len() as u64);
        self.append(&length[..end]);
        self.append(message);
    }

    /// Says that the next records are the given worker's, from `tick` on. There must be room.
    pub(crate) fn switch_worker(&mut self, number: u32, tick: u64) {
        let batch = Batch {
            worker: WorkerId(i64::from(number)),
            ticks: tick,
        };
        let length = batch.encode(0, self.place());
        let state = self.state();
        state.position = state.position.wrapping_add(length);
    }

    /// The next records are those of the thread's introducing lane.
    pub(crate) fn switch_to_introducing(&mut self) {
        self.switch_worker(
            worker_numbers::INTRODUCING + self.lane.number(),
            self.last_tick(),
        );
    }

    /// The next records are those of the thread's own lane again.
    pub(crate) fn switch_back(&mut self) {
        self.switch_worker(self.lane.number(), self.last_tick());
    }

    #[inline(always)]
    pub(crate) fn mark(&self) -> Mark {
        // SAFETY: as in `state`; the reference ends with this function.
        let state = unsafe { &*self.lane.state() };
        Mark {
            position: state.position,
            last_tick: self.last_tick(),
            // Relaxed: only the owner stores here.
            running: self.lane.running.load(Ordering::Relaxed),
            proc_running: state.proc_running,
        }
    }

    /// Forgets all records since `mark`, which was made after the last call for room.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        let lane = self.lane;
        let state = self.state();
        let written = state.position.addr() - mark.position.addr();
        // SAFETY: from the mark to the position stand records of the lane's own batch.
        let records = unsafe { std::slice::from_raw_parts(mark.position, written) };
        uncount(records, &mut state.counts);
        state.position = mark.position;
        state.proc_running = mark.proc_running;
        // Relaxed: only the owner stores here.
        lane.last_tick.store(mark.last_tick, Ordering::Relaxed);
        // Relaxed: as above.
        lane.running.store(mark.running, Ordering::Relaxed);
    }

    /// The stack that a walk finds, interned.
    #[inline(always)]
    pub(crate) fn stack(&mut self, walk: &Walk) -> Option<&'static StackEntry> {
        let stamp = self.stamp();
        let state = self.state();
        match state.walks.find(walk, stamp) {
            Some(stack) => Some(stack),
            None => state.walk_to_interned(walk, stamp),
        }
    }

    /// The id of the caller's stack; 0 if it has none.
    #[inline(always)]
    pub(crate) fn stack_id(&mut self) -> u32 {
        let walk = self.lane.walk(HookKind::Other);
        self.stack(&walk).map_or(0, |stack| stack.id())
    }

    /// The id of the stack that has the function at `entry` alone.
    #[inline]
    pub(crate) fn start_stack(&mut self, entry: u64) -> u32 {
        let stamp = self.stamp();
        tables::get().map_or(0, |tables| {
            tables.start_stack(entry, stamp, &mut self.state().stacks)
        })
    }

    /// The session uses a stack that was interned before.
    #[inline]
    pub(crate) fn use_stack(&mut self, stack: &'static StackEntry) -> u32 {
        if let Some(tables) = tables::get() {
            tables.stacks.mark_used(stack, self.stamp());
        }
        stack.id()
    }

    /// The id of a name; 0 if it is empty or the table is full. Long names are cut, and that is counted.
    pub(crate) fn string_id(&mut self, name: &[u8]) -> StringId {
        let stamp = self.stamp();
        let state = self.state();
        let kept = &name[..name.len().min(NAME_BYTES_MAX)];
        if kept.len() < name.len() {
            state.cut_texts += 1;
        }
        if kept.is_empty() {
            return StringId(0);
        }
        let hash = hash_of_bytes(kept);
        tables::get()
            .and_then(|tables| tables.strings.intern(kept, hash, stamp, &mut state.strings))
            .map_or(StringId(0), |entry| StringId(u64::from(entry.id())))
    }

    /// The lane's thread ends: its worker stops, its batch is handed over unless it is nearly empty, and nothing is left for the next thread that has
    /// the lane. A task that runs even now is one whose run was forgotten, or will be dropped when its hooks do nothing.
    pub(crate) fn thread_exits(lane: &'static Lane) {
        // Relaxed: stored by this thread.
        let joined = lane.session.load(Ordering::Relaxed);
        // Relaxed: a guess that the gate confirms.
        if joined == 0 || session_word::word().load(Ordering::Relaxed) != joined {
            return;
        }
        if let Some(mut writer) = Self::enter_lane(lane, true) {
            if writer.running() != 0 && writer.room(1) {
                run::suspend_for(&mut writer, EventType::GoPreempt);
            }
            if writer.state().sweeping {
                let event = GCSweepDone {
                    swept_bytes: 0,
                    reclaimed_bytes: 0,
                };
                writer.event(0, &event);
                writer.state().sweeping = false;
            }
            writer.stop_proc();
            // The lane's next thread may be as short-lived, and goes on where this one ended: the budget would soon be spent.
            if writer.is_half_full() {
                writer.hand_over();
                writer.state().first_batch = true;
            }
        }
    }

    /// Whether more than half of the batch is used.
    fn is_half_full(&mut self) -> bool {
        let state = self.state();
        let Some(batch) = state.batch else {
            return false;
        };
        let used = state.position.addr() - batch.payload().addr();
        used > state.limit.addr() - state.position.addr()
    }

    /// Writes ProcStop if the worker is running and has no task.
    pub(crate) fn stop_proc(&mut self) {
        if self.state().proc_running && self.running() == 0 {
            self.event(0, &ProcStop {});
            self.state().proc_running = false;
        }
    }
}

/// Beside the type in a stop's first byte: that one argument follows the time.
const STOP_SHAPE: u8 = 1 << 6;

/// The first byte of a stop of this type.
#[inline(always)]
pub(crate) fn stop_of(event_type: u8) -> u8 {
    STOP_SHAPE | event_type
}

/// Bytes of a padded stack id: enough for 32 bits.
pub(crate) const PADDED_BYTES: usize = 5;

/// Writes `value` as a number of five bytes, which readers take like the shortest form.
pub(crate) fn write_padded(place: &mut [u8], value: u32) {
    let mut value = value;
    let last = place.len() - 1;
    for (index, byte) in place.iter_mut().enumerate() {
        *byte = (value & 0x7f) as u8 | if index < last { 0x80 } else { 0 };
        value >>= 7;
    }
}

/// Takes the lane's batch out of its state, its length noted. For the owner inside its gate, or the stopper after its wait.
pub(crate) fn take_filled(state: &mut LaneState) -> Option<BatchPtr> {
    let mut batch = state.batch.take()?;
    batch.head().used = (state.position.addr() - batch.payload().addr()) as u32;
    batch.head().counts = std::mem::replace(&mut state.counts, [0; EVENT_TYPES]);
    state.position = std::ptr::null_mut();
    state.limit = std::ptr::null_mut();
    Some(batch)
}
