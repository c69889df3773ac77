//! The heap's size in a recording: an allocator that counts what another one hands out.
//!
//! ```text
//!  alloc, free ──► the thread's balance ──► the process's live bytes ──► HeapAlloc
//!                                   every 32 KiB              by whom it concerns, or by the collector
//! ```
//!
//! A thread's balance is a number of its own, so that an allocation costs an addition and a comparison. It goes into the
//! process's account when it leaves ±32 KiB, and when the thread ends. Then, if a session is running, an event is written:
//! at most one for each 64 KiB of change, and at most one a millisecond unless the change is a megabyte. A thread that has no
//! place in the recorder yet, or is inside a hook, leaves that to the collector, which looks every few milliseconds. So an
//! allocation never makes a lane, and a hook that the allocator runs in is left alone.
//!
//! The account is right from the first allocation of the process on, before `main` and after the thread's locals are gone: a
//! thread that is past its end counts each allocation at once. The end is noticed by a key of the threads' library, since it
//! needs no allocation to be registered and comes after the thread's locals.
#![expect(
    unsafe_code,
    reason = "a global allocator, and the key that notices a thread's end"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU32, AtomicU64, Ordering};

use exectrace_format::go_v1::HeapAlloc;

use crate::clock;
use crate::gc;
use crate::lane;
use crate::lane_writer::LaneWriter;
use crate::session_word;

/// A global allocator that lets recordings show how many bytes are live (HeapAlloc), on top of another one.
///
/// What it counts is what the program asks for, not what the inner allocator takes from the system for it. All allocators of
/// this kind in a process count together.
///
/// # Examples
///
/// ```
/// use exectrace::TracingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: TracingAllocator = TracingAllocator::system();
///
/// // Shown as the heap's goal.
/// ALLOCATOR.set_limit(512 << 20);
/// let before = ALLOCATOR.live_bytes();
/// let bytes = vec![0_u8; 1 << 20];
/// assert!(ALLOCATOR.live_bytes() >= before + (1 << 20));
/// drop(bytes);
/// ```
#[derive(Debug, Default)]
pub struct TracingAllocator<A = System> {
    inner: A,
}

/// A thread's balance goes into the process's account beyond so many bytes.
const BALANCE_MAX: isize = 32 * 1024;

/// Least change that is worth an event.
const STEP_BYTES: u64 = 64 * 1024;

/// A change that is worth one at any time.
const LEAP_BYTES: u64 = 1 << 20;

/// A millisecond or so, in ticks.
const PAUSE_TICKS: u64 = 1 << 18;

impl TracingAllocator<System> {
    /// On top of the system's allocator.
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> TracingAllocator<A> {
    /// On top of `inner`.
    pub const fn new(inner: A) -> Self {
        Self { inner }
    }

    /// The bytes that are live. What other threads have allocated or freed since they last told is missing: up to 32 KiB of
    /// each.
    pub fn live_bytes(&self) -> u64 {
        let own = match STAGE.get() {
            Stage::Counting => BALANCE.get(),
            Stage::New | Stage::Direct => 0,
        };
        // Relaxed: a figure for a report.
        unsigned(LIVE.load(Ordering::Relaxed) + own)
    }

    /// Says how far the heap may grow, for readers of a recording (HeapGoal); nothing is done about it. 0 takes it back.
    pub fn set_limit(&self, bytes: u64) {
        // Relaxed: a figure for a report.
        LIMIT.store(bytes, Ordering::Relaxed);
        gc::heap_goal(bytes);
    }
}

// SAFETY: every call is the inner allocator's, with the caller's own arguments; counting neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for TracingAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract, which is the same.
        let place = unsafe { self.inner.alloc(layout) };
        count_new(place, layout);
        place
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let place = unsafe { self.inner.alloc_zeroed(layout) };
        count_new(place, layout);
        place
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { self.inner.dealloc(place, layout) };
        count(-signed(layout.size()));
    }

    #[inline]
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size_bytes: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let place = unsafe { self.inner.realloc(place, layout, size_bytes) };
        if !place.is_null() {
            count(signed(size_bytes) - signed(layout.size()));
        }
        place
    }
}

#[inline(always)]
fn count_new(place: *mut u8, layout: Layout) {
    if !place.is_null() {
        count(signed(layout.size()));
    }
}

/// Sizes of layouts fit.
#[inline(always)]
fn signed(size_bytes: usize) -> isize {
    size_bytes as isize
}

/// What one thread frees may be in the account before what another one allocated.
fn unsigned(bytes: isize) -> u64 {
    bytes.max(0).unsigned_abs() as u64
}

/// How a thread counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has counted nothing yet.
    New,
    /// It keeps a balance.
    Counting,
    /// It is past its end, or its end cannot be noticed: each allocation goes into the account at once.
    Direct,
}

/// A balance that no allocation brings back within bounds, so that each one takes the slow way.
const OUT_OF_BOUNDS: isize = isize::MIN / 2;

thread_local! {
    // Without drop and lazy initialisation, so that they can be used at any time.
    static BALANCE: Cell<isize> = const { Cell::new(OUT_OF_BOUNDS) };
    static STAGE: Cell<Stage> = const { Cell::new(Stage::New) };
}

/// Bytes in the process's account.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// What the last event said.
static TOLD: AtomicU64 = AtomicU64::new(0);
static TOLD_TICK: AtomicU64 = AtomicU64::new(0);
/// How far the heap may grow; 0 if nobody said.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// An allocator of this kind is in use.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// # Signal safety
/// Thread-locals without initialisation and atomics alone. Where a handler that allocates interrupts a count of its thread, up
/// to 32 KiB may be counted twice or not at all.
#[inline(always)]
fn count(bytes: isize) {
    let balance = BALANCE.get().wrapping_add(bytes);
    BALANCE.set(balance);
    let is_within = balance.wrapping_add(BALANCE_MAX).cast_unsigned() <= 2 * BALANCE_MAX as usize;
    if !is_within {
        settle(balance, bytes);
    }
}

/// The balance has left its bounds by `bytes`, or there is none.
#[cold]
#[inline(never)]
fn settle(balance: isize, bytes: isize) {
    match STAGE.get() {
        Stage::Counting => {
            BALANCE.set(0);
            enter_into_account(balance);
        }
        Stage::Direct => {
            BALANCE.set(OUT_OF_BOUNDS);
            enter_into_account(bytes);
        }
        Stage::New => {
            BALANCE.set(OUT_OF_BOUNDS);
            // Should noticing the end allocate, that is counted at once.
            STAGE.set(Stage::Direct);
            if notice_end() {
                STAGE.set(Stage::Counting);
                BALANCE.set(0);
            }
            // Relaxed: seen by the collector sooner or later.
            IN_USE.store(true, Ordering::Relaxed);
            enter_into_account(bytes);
        }
    }
}

fn enter_into_account(bytes: isize) {
    // Relaxed: a figure for a report; nothing is published with it.
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if session_word::is_on() {
        tell_of_change(unsigned(live));
    }
}

/// Writes an event if the change is worth one, and the thread is free to.
fn tell_of_change(live: u64) {
    // Relaxed: of several threads one wins below.
    let told = TOLD.load(Ordering::Relaxed);
    let change = live.abs_diff(told);
    if change < STEP_BYTES {
        return;
    }
    let Some(lane) = lane::existing() else {
        return;
    };
    let now = clock::now();
    // Relaxed: a guess will do.
    let since = now.saturating_sub(TOLD_TICK.load(Ordering::Relaxed));
    if (change < LEAP_BYTES && since < PAUSE_TICKS) || lane.gate.is_inside() {
        return;
    }
    // Relaxed: only who has it writes.
    let won = TOLD.compare_exchange(told, live, Ordering::Relaxed, Ordering::Relaxed);
    if won.is_ok() {
        // Relaxed: as above.
        TOLD_TICK.store(now, Ordering::Relaxed);
        write(live);
    }
}

fn write(live: u64) {
    if let Some(mut writer) = LaneWriter::enter() {
        writer.event(0, &HeapAlloc { live_bytes: live });
    }
}

/// A session has begun: the collector tells what is live, and the limit.
pub(crate) fn tell_at_start() {
    // Relaxed: as in `tell`.
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit != 0 {
        gc::heap_goal(limit);
    }
    // Relaxed: of the last session; a step away from what is live, so that it is told anew.
    let live = unsigned(LIVE.load(Ordering::Relaxed));
    // Relaxed: as above.
    TOLD.store(live.wrapping_add(STEP_BYTES), Ordering::Relaxed);
    tell();
}

/// The collector tells what nobody told.
pub(crate) fn tell() {
    if !is_in_use() {
        return;
    }
    // Relaxed: figures for a report.
    let live = unsigned(LIVE.load(Ordering::Relaxed));
    // Relaxed: as above.
    let told = TOLD.load(Ordering::Relaxed);
    if live.abs_diff(told) >= STEP_BYTES {
        // Relaxed: as above.
        TOLD.store(live, Ordering::Relaxed);
        write(live);
    }
}

/// Whether the program's allocator counts.
pub(crate) fn is_in_use() -> bool {
    // Relaxed: nothing is published with it.
    IN_USE.load(Ordering::Relaxed)
}

/// Sees to it that the thread's end is noticed. False where the system has no more keys.
fn notice_end() -> bool {
    let Some(key) = end_key() else {
        return false;
    };
    // Any value but null: the key's destructor is not called for that.
    let value = std::ptr::dangling::<c_void>();
    // SAFETY: the key is there for good.
    unsafe { libc::pthread_setspecific(key, value) == 0 }
}

/// The key whose destructor notices a thread's end.
fn end_key() -> Option<libc::pthread_key_t> {
    /// The key + 1; 0 while there is none.
    static KEY: AtomicU32 = AtomicU32::new(0);
    // Relaxed: the number is all there is.
    if let Some(key) = KEY.load(Ordering::Relaxed).checked_sub(1) {
        return Some(key);
    }
    let mut key = 0;
    // SAFETY: the key's place is a local, and the destructor lives as long as the process.
    if unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) } != 0 {
        return None;
    }
    // Relaxed: as above.
    match KEY.compare_exchange(0, key + 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Some(key),
        Err(other) => {
            // SAFETY: another thread was faster, and nobody knows of this key.
            unsafe { libc::pthread_key_delete(key) };
            Some(other - 1)
        }
    }
}

/// The thread's locals are gone, and soon it is.
extern "C" fn thread_ends(_: *mut c_void) {
    let balance = BALANCE.replace(OUT_OF_BOUNDS);
    STAGE.set(Stage::Direct);
    enter_into_account(balance);
}
