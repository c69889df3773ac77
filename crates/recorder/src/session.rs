//! What hooks, session handles and the collector share: the pool of batches, the list of full ones, and who may start.
#![expect(unsafe_code, reason = "a pointer to the pool of the running session")]

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use crate::batch::{BatchPool, BatchPtr, FullBatches};
use crate::gate::{Mode, SessionStamp};
use crate::lane::{self, Lane};
use crate::lane_writer::{LaneWriter, take_filled};
use crate::membarrier;
use crate::session_word;

static POOL: AtomicPtr<BatchPool> = AtomicPtr::new(std::ptr::null_mut());
static FULL: FullBatches = FullBatches::new();
/// A session is running, or its collector is still at work.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Lanes that joined the session.
static JOINED: AtomicU64 = AtomicU64::new(0);

/// A free batch. `None` when the budget is spent.
pub(crate) fn take_batch(small: bool) -> Option<BatchPtr> {
    // Acquire: shows the pool; pairs with the Release in `open`.
    let pool = POOL.load(Ordering::Acquire);
    // SAFETY: the pool of a session lives until no hook can be inside it any more: see `close`.
    unsafe { pool.as_ref() }?.take(small)
}

/// Hands a batch to the collector.
pub(crate) fn push_full(batch: BatchPtr) {
    FULL.push(batch);
}

/// Full batches, in the order of their hand-over.
pub(crate) fn take_full() -> Vec<BatchPtr> {
    FULL.take_all()
}

/// A hook found no room: the session is over before the hook returns, so that nothing contradicts what is lost.
#[cold]
pub(crate) fn end_for_want_of_room(stamp: SessionStamp) {
    // Relaxed: the collector sees it sooner or later and closes with fences of its own.
    let _ = session_word::word().compare_exchange(
        stamp.word(),
        0,
        Ordering::Relaxed,
        Ordering::Relaxed,
    );
}

/// A lane other than the collector's writes its first event of the session.
pub(crate) fn lane_joins() {
    // Relaxed: a figure for a report.
    JOINED.fetch_add(1, Ordering::Relaxed);
}

/// How many lanes have joined so far.
pub(crate) fn joined() -> u64 {
    // Relaxed: it only grows.
    JOINED.load(Ordering::Relaxed)
}

/// The right to run the one session of the process.
#[derive(Debug)]
pub(crate) struct Turn(());

impl Turn {
    /// `None` while another session has it.
    pub(crate) fn take() -> Option<Self> {
        // Acquire: takes over what the last session left; pairs with the Release in `drop`.
        let taken = TAKEN.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        // Not made before it is known to be ours: its drop would give away another one's.
        taken.is_ok().then(|| Self(()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Release: hands the statics over to the next session; pairs with the Acquire in `take`.
        TAKEN.store(false, Ordering::Release);
    }
}

/// Opens the session for hooks: all is ready. Returns its stamp.
pub(crate) fn open(pool: &'static BatchPool, now: u64, mode: Mode) -> SessionStamp {
    JOINED.store(0, Ordering::Relaxed); // Relaxed: published with the session word.
    // Release: pairs with the Acquire in `take_batch`.
    POOL.store(std::ptr::from_ref(pool).cast_mut(), Ordering::Release);
    // Relaxed: a lane whose thread is beyond its last event of a session gets no new one before the next.
    let latest = lane::all()
        .map(|lane| lane.last_tick.load(Ordering::Relaxed))
        .max();
    let start_tick = now.max(latest.unwrap_or(0)) + 64;
    let stamp = SessionStamp::new(start_tick, mode);
    // Release: shows the hooks all that was made ready; pairs with the Acquire in `Gate::enter`.
    session_word::word().store(stamp.word(), Ordering::Release);
    stamp
}

/// What the lanes held when the session was closed.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    pub(crate) batches: Vec<BatchPtr>,
    pub(crate) lost_events: u64,
    pub(crate) leaked_batches: u64,
    pub(crate) clamps: u64,
    pub(crate) cut_texts: u64,
    pub(crate) cut_stacks: u64,
    pub(crate) dropped_regions: u64,
    pub(crate) busy: u64,
}

/// Closes the session: afterwards no hook is in it, and the lanes' batches are taken. Not to be called inside a hook.
pub(crate) fn close(stamp: SessionStamp) -> Closing {
    // SeqCst: the stopper's side of the fence pair of the gate.
    session_word::word().swap(0, Ordering::SeqCst);
    membarrier::fence_all_threads();
    let mut closing = Closing::default();
    for lane in lane::all() {
        closing.busy += lane.take_busy();
        if !lane.gate.wait_until_out(|looks| wait_for(lane, looks)) {
            closing.leaked_batches += 1;
            continue;
        }
        // Relaxed: acquired with the gate.
        if lane.session.load(Ordering::Relaxed) != stamp.word() {
            continue;
        }
        LaneWriter::write_end(lane);
        // SAFETY: the session is over and the lane is out of its hook, so that its state is ours until a new session opens.
        let state = unsafe { &mut *lane.state() };
        closing.lost_events += state.lost;
        closing.clamps += state.clamps;
        closing.cut_texts += state.cut_texts;
        closing.cut_stacks += state.cut_stacks;
        closing.dropped_regions += state.dropped_regions;
        closing.batches.extend(take_filled(state));
    }
    if closing.leaked_batches == 0 {
        // Release: no hook can be inside the pool any more.
        POOL.store(std::ptr::null_mut(), Ordering::Release);
    }
    closing
}

/// Gives the memory of a session's batches back. Only after [`close`] left no batch behind, and when all are given back.
pub(crate) fn free_pool(pool: &'static BatchPool) {
    // SAFETY: `open` was given a leaked box, no hook can reach it any more, and the collector holds no batch of it.
    drop(unsafe { Box::from_raw(std::ptr::from_ref(pool).cast_mut()) });
}

/// Between two looks at a lane that is in a hook: false when there is no hope that it leaves.
fn wait_for(lane: &Lane, looks: u32) -> bool {
    const SPINS: u32 = 100;
    const SLEEP_US: u64 = 50;
    /// 10 s of sleeps.
    const LOOKS_MAX: u32 = SPINS + 200_000;
    if looks < SPINS {
        std::hint::spin_loop();
        return true;
    }
    if looks % 1024 == SPINS && !thread_exists(lane.thread()) {
        return false;
    }
    std::thread::sleep(std::time::Duration::from_micros(SLEEP_US));
    looks < LOOKS_MAX
}

fn thread_exists(thread: u64) -> bool {
    let process = std::process::id();
    // SAFETY: signal 0 is not sent; the call only asks.
    let answer = unsafe { libc::syscall(libc::SYS_tgkill, process, thread, 0) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}
