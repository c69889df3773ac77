//! Lanes: a thread's place in the recorder.
//!
//! A lane has the thread's gate, batch, clock, current task and worker number. Lanes are never freed and stand on a push-only
//! list, so that a session can be stopped by walking them; a thread that exits leaves its lane, with its number and its last
//! tick, to the next thread that starts.
#![expect(
    unsafe_code,
    reason = "a lane's state belongs to one thread at a time by the gate's protocol"
)]

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

use crate::batch::{BatchPtr, Counts, EVENT_TYPES};
use crate::gate::{Gate, NO_SESSION, SessionStamp};
use crate::intern_table::Chunk;
use crate::lane_writer::LaneWriter;
use crate::local_stock::LocalStock;
use crate::memory::Arena;
use crate::stack_walk::{
    FRAMES_MAX, StackBounds, StackBuffer, Walk, is_given_up, own_bounds, stack_pointer,
};
use crate::tables::{self, StackEntry};
use crate::task_slab::{TaskRecord, pointer_of, record_of};
use crate::thread_role::ThreadRole;
use crate::thread_task::ThreadTask;
use crate::walk_cache::{HookKind, WalkCache};

/// Frames of a worker's stack between two runs; with what is inlined in them, some twenty functions of an optimised build.
const IDLE_FRAMES_MAX: usize = 8;

/// A thread's place in the recorder.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Lane {
    // Shared: stored by the owner, looked at by the stopper, the starter, the collector and the owner's signal handler.
    pub(crate) gate: Gate,
    /// Fixed after the lane is on the list; here since all hooks look at it.
    number: u32,
    /// Stamp of the session that the state below is set up for.
    pub(crate) session: AtomicU64,
    /// The word of that session if its hooks need neither fence nor the system's clock; else one that no session has.
    pub(crate) quick_session: AtomicU64,
    /// Tick of the last event.
    pub(crate) last_tick: AtomicU64,
    /// The task that the thread runs, kept also while no session is running.
    pub(crate) current: AtomicPtr<TaskRecord>,
    /// Id of the task whose start is in the batch and whose end is not.
    pub(crate) running: AtomicU64,
    /// Hooks that found the thread inside another hook.
    busy: AtomicU64,
    thread: AtomicI32,
    role: AtomicU8,
    /// Raised at each change of thread, name or role.
    described: AtomicU32,
    name: [AtomicU64; 2],
    stack_low: AtomicUsize,
    stack_high: AtomicUsize,
    /// Where the stacks of the task end that the thread runs; 0 if they go on to the thread's own start.
    stack_end: AtomicUsize,
    owned: AtomicBool,
    // Fixed after the lane is on the list.
    next: AtomicPtr<Lane>,
    // The owner's while the gate is raised; the stopper's after its wait.
    state: UnsafeCell<LaneState>,
    // The owner's, outside of signal handlers.
    /// For tasks that the thread makes.
    pub(crate) stock: LocalStock,
}

// SAFETY: all fields but `state` are atomics or constant; `state` is reached through `state`, whose callers keep the protocol.
unsafe impl Sync for Lane {}

/// What only a hook of the lane's thread touches, or the stopper.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct LaneState {
    // What all hooks touch, in one line of the cache.
    pub(crate) position: *mut u8,
    pub(crate) limit: *mut u8,
    pub(crate) batch: Option<BatchPtr>,
    /// A ProcStart is written and no ProcStop after it.
    pub(crate) proc_running: bool,
    /// A GCSweepStart is written and no GCSweepDone after it.
    pub(crate) sweeping: bool,
    pub(crate) first_batch: bool,
    /// A hook of the lane found no room; the session is over.
    pub(crate) spent: bool,
    /// Events in the batch by type.
    pub(crate) counts: Counts,
    /// Hooks that found no room.
    pub(crate) lost: u64,
    /// Times that were far ahead of the clock.
    pub(crate) clamps: u64,
    /// Log messages and names that were cut.
    pub(crate) cut_texts: u64,
    /// Stacks deeper than the limit.
    pub(crate) cut_stacks: u64,
    /// Begins and ends of regions beyond the most that can be open.
    pub(crate) dropped_regions: u64,
    pub(crate) stacks: Chunk,
    pub(crate) strings: Chunk,
    pub(crate) walked: StackBuffer,
    pub(crate) walks: WalkCache,
    /// CPU ticks by which tests set the thread's clock wrong.
    #[cfg(any(test, feature = "clock-skew"))]
    pub(crate) skew: u64,
}

impl LaneState {
    /// Makes a walk that the cache does not know: the stack, if the session has used it and it is not cut.
    #[inline(never)]
    pub(crate) fn walk_to_seen(
        &mut self,
        walk: &Walk,
        stamp: SessionStamp,
    ) -> Option<&'static StackEntry> {
        self.walked.walk(walk);
        if self.walked.is_cut() {
            return None;
        }
        let stack = tables::seen_stack(&self.walked, stamp)?;
        self.note_walk(walk, stamp, stack);
        Some(stack)
    }

    /// Makes a walk that the cache does not know: the stack, interned.
    #[inline(never)]
    pub(crate) fn walk_to_interned(
        &mut self,
        walk: &Walk,
        stamp: SessionStamp,
    ) -> Option<&'static StackEntry> {
        self.walked.walk(walk);
        if self.walked.is_cut() {
            self.cut_stacks += 1;
        }
        let stack = tables::get()?.stack(&self.walked, stamp, &mut self.stacks)?;
        self.note_walk(walk, stamp, stack);
        Some(stack)
    }

    fn note_walk(&mut self, walk: &Walk, stamp: SessionStamp, stack: &'static StackEntry) {
        if let Some(frames) = self.walked.frames(walk) {
            self.walks.note(walk, frames, stamp, stack);
        }
    }
}

impl Lane {
    /// The state, which the caller must have to itself: the owner inside its gate, or the stopper after its wait.
    #[inline(always)]
    pub(crate) fn state(&self) -> *mut LaneState {
        self.state.get()
    }

    /// The worker number.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The kernel's id of the thread.
    #[inline]
    pub(crate) fn thread(&self) -> u64 {
        // Relaxed: stored by the owner before its first event.
        u64::from(self.thread.load(Ordering::Relaxed).unsigned_abs())
    }

    /// Whether the lane is the thread's at this time. Certain when that thread itself asks, in a signal handler say.
    ///
    /// # Signal safety
    /// Two loads.
    pub(crate) fn is_of(&self, thread: u64) -> bool {
        // Relaxed: both are stored by the thread that asks.
        self.thread() == thread && self.owned.load(Ordering::Relaxed)
    }

    /// Where the thread's stack lies.
    #[inline]
    pub(crate) fn stack_bounds(&self) -> StackBounds {
        StackBounds {
            // Relaxed: stored by the owner, who alone walks its stack.
            low: self.stack_low.load(Ordering::Relaxed),
            // Relaxed: as above.
            high: self.stack_high.load(Ordering::Relaxed),
        }
    }

    /// The bounds for a hook's walk: up to where the stacks of the thread's task end, if the hook is called from below.
    #[inline(always)]
    fn walk_bounds(&self) -> StackBounds {
        let mut bounds = self.stack_bounds();
        // Relaxed: stored by the owner, who alone walks its stack.
        let end = self.stack_end.load(Ordering::Relaxed);
        if stack_pointer() < end && end < bounds.high {
            bounds.high = end;
        }
        bounds
    }

    /// The most frames of a hook's walk. Between two runs of tasks a worker is in its runtime's own loop, which looks the same
    /// from everywhere: the innermost frames tell which driver woke a task, or that one that ended did.
    #[inline(always)]
    fn walk_frames_max(&self) -> usize {
        // Relaxed: stored by the owner, who alone walks its stack.
        let is_between_runs = self.current.load(Ordering::Relaxed).is_null();
        if is_given_up() {
            0
        } else if is_between_runs && self.role() == ThreadRole::Worker {
            IDLE_FRAMES_MAX
        } else {
            FRAMES_MAX
        }
    }

    /// The walk of a hook's stack, from the function that this is inlined into.
    #[inline(always)]
    pub(crate) fn walk(&self, hook: HookKind) -> Walk {
        Walk::here(hook, self.walk_bounds(), self.walk_frames_max())
    }

    /// Sets where the stacks of the thread's task end; returns the former place.
    #[inline(always)]
    pub(crate) fn set_stack_end(&self, end: usize) -> usize {
        // Relaxed: as above.
        let former = self.stack_end.load(Ordering::Relaxed);
        // Relaxed: as above.
        self.stack_end.store(end, Ordering::Relaxed);
        former
    }

    /// As [`Self::set_stack_end`], for those who do not ask for the former one.
    #[inline(always)]
    pub(crate) fn end_stacks_at(&self, end: usize) {
        // Relaxed: as above.
        self.stack_end.store(end, Ordering::Relaxed);
    }

    /// Sets the bounds of the stack that the thread runs on; returns the former ones.
    pub(crate) fn set_stack_bounds(&self, bounds: StackBounds) -> StackBounds {
        let former = self.stack_bounds();
        // Relaxed: only the owner walks its stack. An empty stretch in between lets a signal walk nothing.
        self.stack_high.store(0, Ordering::Relaxed);
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        // Relaxed: as above.
        self.stack_low.store(bounds.low, Ordering::Relaxed);
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        // Relaxed: as above.
        self.stack_high.store(bounds.high, Ordering::Relaxed);
        former
    }

    /// The name that the thread had when it was last described.
    pub(crate) fn name(&self) -> Vec<u8> {
        let mut name = Vec::with_capacity(16);
        for word in &self.name {
            // Relaxed: a torn name is corrected with the next description.
            name.extend_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        let length = name.iter().position(|&byte| byte == 0);
        name.truncate(length.unwrap_or(name.len()));
        name
    }

    /// Sets the task that the lane's thread runs; returns the former one. Cheap enough for every poll, session or not.
    #[inline(always)]
    pub(crate) fn replace_current(
        &self,
        task: Option<&'static TaskRecord>,
    ) -> Option<&'static TaskRecord> {
        // Relaxed: only the thread itself and its signal handler look.
        let former = self.current.load(Ordering::Relaxed);
        self.set_current(task);
        record_of(former)
    }

    /// As [`Self::replace_current`], for those who do not ask for the former one.
    #[inline(always)]
    pub(crate) fn set_current(&self, task: Option<&'static TaskRecord>) {
        // Relaxed: as above.
        self.current.store(pointer_of(task), Ordering::Relaxed);
    }

    /// Whether the lane's thread runs no task. The stacks of its hooks go up to its own start then.
    #[inline(always)]
    pub(crate) fn has_no_current(&self) -> bool {
        // Relaxed: as above.
        self.current.load(Ordering::Relaxed).is_null()
    }

    /// What the thread is there for.
    pub(crate) fn role(&self) -> ThreadRole {
        // Relaxed: a change raises `described`.
        ThreadRole::from_code(self.role.load(Ordering::Relaxed))
    }

    /// A number that changes with thread, name and role.
    pub(crate) fn described(&self) -> u32 {
        // Acquire: shows name and role; pairs with the Release in `describe`.
        self.described.load(Ordering::Acquire)
    }

    /// Whether the lane has written an event of the session.
    pub(crate) fn has_joined(&self, stamp: SessionStamp) -> bool {
        // Relaxed: a lane that joins right now is seen at the next look.
        self.session.load(Ordering::Relaxed) == stamp.word()
    }

    /// Hooks that found the thread inside another hook, since the last call.
    pub(crate) fn take_busy(&self) -> u64 {
        // Relaxed: a figure for a report.
        self.busy.swap(0, Ordering::Relaxed)
    }

    #[cold]
    pub(crate) fn count_busy(&self) {
        // Relaxed: a figure for a report.
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    fn describe(&self, thread: i32, name: [u8; 16]) {
        // Relaxed: published by the Release below.
        self.thread.store(thread, Ordering::Relaxed);
        let (words, _) = name.as_chunks::<8>();
        for (to, from) in self.name.iter().zip(words) {
            // Relaxed: as above.
            to.store(u64::from_ne_bytes(*from), Ordering::Relaxed);
        }
        // Release: pairs with the Acquire in `described`.
        self.described.fetch_add(1, Ordering::Release);
    }
}

/// All lanes, the newest first.
static LANES: AtomicPtr<Lane> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);
/// How often a thread got a lane.
static CLAIMS: AtomicU32 = AtomicU32::new(0);

/// Walks all lanes.
pub(crate) fn all() -> impl Iterator<Item = &'static Lane> {
    // Acquire: shows the lanes; pairs with the Release in `make`.
    let mut next = LANES.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        let pointer = NonNull::new(next)?;
        // SAFETY: lanes are never freed.
        let lane: &'static Lane = unsafe { pointer.as_ref() };
        // Relaxed: constant once the lane is on the list.
        next = lane.next.load(Ordering::Relaxed);
        Some(lane)
    })
}

/// How often a thread got a lane so far: who looked for a lane in vain need not look again before this changes.
///
/// # Signal safety
/// One load.
pub(crate) fn claims() -> u32 {
    // Relaxed: what the calling thread itself claimed is counted.
    CLAIMS.load(Ordering::Relaxed)
}

/// What the thread-local pointer holds when the thread is past its exit: no lane is there.
const GONE: usize = 1;

thread_local! {
    static LANE: Cell<*const Lane> = const { Cell::new(std::ptr::null()) };
    static EXIT: LaneExit = const { LaneExit { task: RefCell::new(None) } };
}

/// Ends the thread's own task and gives the lane back when the thread ends.
struct LaneExit {
    task: RefCell<Option<ThreadTask>>,
}

impl Drop for LaneExit {
    fn drop(&mut self) {
        drop(self.task.get_mut().take());
        let Some(lane) = existing() else {
            return;
        };
        LaneWriter::thread_exits(lane);
        // Relaxed: the lane's thread is about to end.
        lane.current.store(std::ptr::null_mut(), Ordering::Relaxed);
        LANE.set(std::ptr::without_provenance(GONE));
        // Release: the next owner finds the lane as we leave it; pairs with the Acquire in `claim`.
        lane.owned.store(false, Ordering::Release);
    }
}

/// The calling thread's lane, if it has one.
#[inline(always)]
pub(crate) fn existing() -> Option<&'static Lane> {
    let pointer = LANE.get();
    if pointer.addr() <= GONE {
        return None;
    }
    // SAFETY: lanes are never freed.
    Some(unsafe { &*pointer })
}

/// The calling thread's lane, made or taken over if it has none. `None` when the thread is past its exit or memory is refused.
#[inline(always)]
pub(crate) fn own() -> Option<&'static Lane> {
    existing().or_else(claim)
}

#[cold]
fn claim() -> Option<&'static Lane> {
    if LANE.get().addr() == GONE {
        return None;
    }
    // The exit guard comes first: where it can no longer be had, the thread is past its exit.
    EXIT.try_with(|_| ()).ok()?;
    // Acquire: takes the lane over as its last owner left it; pairs with the Release at its exit.
    let left = all().find(|lane| {
        // Relaxed: the swap decides.
        !lane.owned.load(Ordering::Relaxed)
            && lane
                .owned
                .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    });
    let lane = match left {
        Some(lane) => lane,
        None => make()?,
    };
    lane.set_stack_bounds(own_bounds());
    lane.set_stack_end(0);
    // Relaxed: only this thread and the collector look.
    lane.role.store(ThreadRole::Plain.code(), Ordering::Relaxed);
    let (thread, name) = crate::thread_role::own_id_and_name();
    lane.describe(thread, name);
    // Relaxed: a hint for the thread's own signal handler.
    CLAIMS.fetch_add(1, Ordering::Relaxed);
    LANE.set(lane);
    Some(lane)
}

/// Lanes come from an arena of their own, so that making one does not go through the global allocator.
fn make() -> Option<&'static Lane> {
    const LANES_PER_ARENA: usize = 4096;
    static ARENA: std::sync::OnceLock<Option<Arena>> = std::sync::OnceLock::new();
    let arena = ARENA.get_or_init(|| Arena::new(size_of::<Lane>() * LANES_PER_ARENA));
    let place: NonNull<Lane> = arena.as_ref()?.take(size_of::<Lane>())?.cast();
    let lane = Lane {
        gate: Gate::new(),
        session: AtomicU64::new(0),
        quick_session: AtomicU64::new(NO_SESSION),
        last_tick: AtomicU64::new(0),
        current: AtomicPtr::new(std::ptr::null_mut()),
        running: AtomicU64::new(0),
        busy: AtomicU64::new(0),
        thread: AtomicI32::new(0),
        role: AtomicU8::new(0),
        described: AtomicU32::new(0),
        name: [const { AtomicU64::new(0) }; 2],
        stack_low: AtomicUsize::new(0),
        stack_high: AtomicUsize::new(0),
        stack_end: AtomicUsize::new(0),
        owned: AtomicBool::new(true),
        stock: LocalStock::new(),
        // Relaxed: only the numbers must differ.
        number: COUNT.fetch_add(1, Ordering::Relaxed),
        next: AtomicPtr::new(std::ptr::null_mut()),
        state: UnsafeCell::new(LaneState {
            batch: None,
            position: std::ptr::null_mut(),
            limit: std::ptr::null_mut(),
            counts: [0; EVENT_TYPES],
            first_batch: true,
            proc_running: false,
            sweeping: false,
            spent: false,
            lost: 0,
            clamps: 0,
            cut_texts: 0,
            cut_stacks: 0,
            dropped_regions: 0,
            stacks: Chunk::empty(),
            strings: Chunk::empty(),
            walked: StackBuffer::new(),
            walks: WalkCache::new(),
            #[cfg(any(test, feature = "clock-skew"))]
            skew: 0,
        }),
    };
    // SAFETY: the arena gave memory for one lane, aligned since the base is and all sizes are the same.
    unsafe { place.write(lane) };
    // SAFETY: lanes are never freed.
    let lane: &'static Lane = unsafe { place.as_ref() };
    let mut top = LANES.load(Ordering::Relaxed); // Relaxed: only used to link.
    loop {
        lane.next.store(top, Ordering::Relaxed); // Relaxed: published by the swap.
        // Release: publishes the lane; pairs with the Acquire in `all`.
        match LANES.compare_exchange_weak(top, place.as_ptr(), Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => return Some(lane),
            Err(now) => top = now,
        }
    }
}

/// Says what the calling thread is there for. Its name is read again.
pub(crate) fn set_role(role: ThreadRole) {
    let Some(lane) = own() else {
        return;
    };
    // Relaxed: published by `describe`.
    lane.role.store(role.code(), Ordering::Relaxed);
    let (thread, name) = crate::thread_role::own_id_and_name();
    lane.describe(thread, name);
}

/// The calling thread runs `task` no longer, if it did.
pub(crate) fn forget_current(task: &TaskRecord) {
    if let Some(lane) = existing()
        // Relaxed: only the thread itself and its signal handler look.
        && std::ptr::eq(lane.current.load(Ordering::Relaxed), task)
    {
        // Relaxed: as above.
        lane.current.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}

/// The task that the calling thread runs.
#[inline]
pub(crate) fn current() -> Option<&'static TaskRecord> {
    // Relaxed: stored by this thread.
    record_of(existing()?.current.load(Ordering::Relaxed))
}

/// Gives the calling thread a task of its own, which ends with the thread. False when it has one, or is past its exit.
pub(crate) fn keep_thread_task(make: impl FnOnce() -> ThreadTask) -> bool {
    let kept = EXIT.try_with(|exit| {
        let Ok(mut task) = exit.task.try_borrow_mut() else {
            return false;
        };
        if task.is_some() {
            return false;
        }
        *task = Some(make());
        true
    });
    kept.unwrap_or(false)
}

/// Sets the calling thread's clock wrong by so many ticks, for tests.
#[cfg(any(test, feature = "clock-skew"))]
pub(crate) fn set_skew(ticks: i64) {
    if let Some(lane) = own()
        && !lane.gate.is_inside()
    {
        // SAFETY: the thread is outside of its hooks, and the stopper does not look at the skew.
        unsafe { (*lane.state()).skew = ticks.cast_unsigned() };
    }
}
