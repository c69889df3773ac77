//! The signal handler: writes down where its thread is, and nothing else.
#![expect(
    unsafe_code,
    reason = "what the kernel hands to a signal handler, and errno"
)]

use std::sync::atomic::Ordering;

use super::code::{self, RememberedCode};
use super::interrupted::Interrupted;
use super::sample::Sample;
use super::shards::{self, Shards, Workplace};
use super::signal_action;
use super::slot::{self, Slot};
use super::stack_memory::StackMemory;
use super::walk::walk;
use crate::clock;
use crate::gate::SessionStamp;
use crate::lane::Lane;
use crate::session_word;
use crate::stack_walk::StackBounds;
use crate::task_slab::{TaskRecord, record_of};

/// One signal stands for no more periods than this; what is beyond it counts as lost. A thread that had the signal blocked for
/// long would put all that time where it unblocked it.
const WEIGHT_MAX: u64 = 100;

/// The handler of `SIGPROF`.
///
/// # Signal safety
/// This is the handler. It neither allocates nor locks nor panics, touches no thread-local of ours, neither batches nor
/// tables, and leaves `errno` as it was.
pub(super) extern "C" fn on_signal(
    signal: libc::c_int,
    details: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    let errno = errno();
    // SAFETY: the address is that of the thread's own `errno`.
    let saved = unsafe { errno.read() };
    // SAFETY: the kernel put the details where the argument says.
    match unsafe { TimerSignal::of(details) } {
        Some(timer) => {
            // SAFETY: the argument is a signal handler's.
            let at = unsafe { Interrupted::of(context) };
            take_sample(&timer, at);
        }
        // SAFETY: the arguments are a signal handler's.
        None => unsafe { signal_action::pass_on(signal, details, context) },
    }
    // SAFETY: as above.
    unsafe { errno.write(saved) };
}

/// # Signal safety
/// An address in the thread's fixed part.
fn errno() -> *mut libc::c_int {
    // SAFETY: the call takes no arguments.
    unsafe { libc::__errno_location() }
}

/// A signal of one of our timers.
struct TimerSignal {
    slot: &'static Slot,
    generation: u32,
    /// Periods that it stands for.
    periods: u64,
}

/// What the kernel says about a timer's signal, as it lies in memory on 64-bit processors.
#[repr(C)]
struct TimerDetails {
    signal: libc::c_int,
    errno: libc::c_int,
    code: libc::c_int,
    _padding: libc::c_int,
    timer: libc::c_int,
    overrun: libc::c_int,
    value: usize,
}

impl TimerSignal {
    /// `None` if somebody else sent it.
    ///
    /// # Safety
    /// `details` is a signal handler's argument.
    ///
    /// # Signal safety
    /// Loads.
    unsafe fn of(details: *const libc::siginfo_t) -> Option<Self> {
        let details = details.cast::<TimerDetails>();
        // SAFETY: the kernel's structure is longer than this part of it, and aligned.
        let details = unsafe { &*details };
        if details.code != libc::SI_TIMER {
            return None;
        }
        let (slot, generation) = slot::of_signal(details.value)?;
        let overrun = u64::try_from(details.overrun).unwrap_or(0);
        Some(Self {
            slot,
            generation,
            periods: overrun + 1,
        })
    }
}

/// # Signal safety
/// Atomic operations, loads and system calls that read.
fn take_sample(timer: &TimerSignal, at: Interrupted) {
    let Some(shards) = shards::get() else {
        return;
    };
    shards.handler_enters();
    if timer.slot.is_armed(timer.generation) {
        shards.count_produced(timer.periods);
        let weight = timer.periods.min(WEIGHT_MAX);
        let lost = timer.periods - weight;
        let is_written = write_sample(shards, timer.slot, at, weight as u32);
        if lost > 0 || !is_written {
            shards.count_lost(if is_written { lost } else { timer.periods });
        }
    }
    shards.handler_leaves();
}

/// # Signal safety
/// As [`take_sample`].
fn write_sample(shards: &Shards, slot: &Slot, at: Interrupted, weight: u32) -> bool {
    let place = Place::of(slot.lane());
    let thread = slot.thread();
    let written = shards.with_one(thread as usize, |workplace| {
        let Workplace {
            writer,
            pcs,
            window,
            cache,
        } = workplace;
        code::of_process().note_running(at.pc);
        let mut code = RememberedCode::new(code::of_process(), cache);
        // SAFETY: the bounds are those that the lane of this very thread has for the stack that it runs on now.
        let mut memory = unsafe { StackMemory::new(at.sp, place.bounds, window) };
        let depth = walk(at, &mut code, &mut memory, pcs);
        let sample = Sample {
            tick: place.tick,
            worker: place.worker,
            running: place.running,
            task: place.task,
            user_task: place.user_task,
            weight,
            thread,
            stack: &pcs[..depth],
        };
        depth > 0 && sample.write(writer)
    });
    written.unwrap_or(false)
}

/// Where the thread stands in the recorder.
struct Place {
    tick: u64,
    worker: i64,
    running: u64,
    task: u64,
    user_task: u64,
    bounds: StackBounds,
}

impl Place {
    /// # Signal safety
    /// Reads the clock, and atomic loads.
    fn of(lane: Option<&Lane>) -> Self {
        let mut place = Self {
            tick: clock::now(),
            worker: -1,
            running: 0,
            task: 0,
            user_task: 0,
            bounds: StackBounds::default(),
        };
        let Some(lane) = lane else {
            return place;
        };
        place.bounds = lane.stack_bounds();
        // Relaxed: stored by this thread.
        let record = record_of(lane.current.load(Ordering::Relaxed));
        if let Some(record) = record {
            place.task = record.id();
            place.user_task = record.user_task.id();
        }
        // Relaxed: the lane's own word, below, is what has been set up.
        let session = session_word::word().load(Ordering::Relaxed);
        // Relaxed: stored by this thread.
        if session != 0 && lane.session.load(Ordering::Relaxed) == session {
            // Relaxed: as above.
            place.tick = place.tick.max(lane.last_tick.load(Ordering::Relaxed));
            place.worker = i64::from(lane.number());
            place.running = running_task(lane, record, SessionStamp::of_word(session));
        }
        place
    }
}

/// The task whose start is in the lane's batch for good.
///
/// # Signal safety
/// Atomic loads.
fn running_task(lane: &Lane, record: Option<&TaskRecord>, stamp: SessionStamp) -> u64 {
    // Relaxed: stored by this thread.
    let running = lane.running.load(Ordering::Relaxed);
    if !lane.gate.is_inside() {
        return running;
    }
    // Inside a hook the start may be taken back, until the task's word says that it runs.
    let is_settled = record
        .is_some_and(|record| record.id() == running && record.word.is_running(stamp.start_tick()));
    if is_settled { running } else { 0 }
}
