//! How long the quickest of many short stretches took.
//!
//! A round of a tenth of a second always has its interruptions on a machine with much else to do; a stretch of some microseconds
//! seldom has one. All that a workload does happens on one worker, one of whose tasks calls [`lap`].

use std::cell::Cell;
use std::time::Instant;

/// Operations of a stretch, about.
const OPERATIONS: u64 = 128;

thread_local! {
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
    static QUICKEST_NS: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

/// Forgets what the calling thread did before.
pub(crate) fn start_laps() {
    LAST.set(None);
    QUICKEST_NS.set(f64::INFINITY);
}

/// Called with each number of a row that rises or falls by one, `operations` operations after the last call.
#[inline(always)]
pub(crate) fn lap(number: u64, operations: u64) {
    if number.is_multiple_of(OPERATIONS / operations) {
        note(Instant::now());
    }
}

#[inline(never)]
fn note(now: Instant) {
    if let Some(last) = LAST.replace(Some(now)) {
        let each_ns = (now - last).as_nanos() as f64 / OPERATIONS as f64;
        QUICKEST_NS.set(QUICKEST_NS.get().min(each_ns));
    }
}

/// Nanoseconds of an operation in the quickest stretch.
pub(crate) fn quickest_lap() -> f64 {
    QUICKEST_NS.get()
}
