//! Ways to wait that a thread has by itself.

use std::time::Duration;

use exectrace::hook::{BlockReason, Blocked};

use super::thread_handle::PARKED;
use crate::wait_table::Place;

/// Sleeps: see [`std::thread::sleep`].
///
/// # Examples
///
/// ```
/// exectrace_std::thread::sleep(std::time::Duration::from_millis(1));
/// ```
pub fn sleep(dur: Duration) {
    let _blocked = (!dur.is_zero()).then(|| Blocked::new(BlockReason::Sleep));
    std::thread::sleep(dur);
}

/// Sleeps for so many milliseconds.
#[deprecated(note = "replaced by `thread::sleep`")]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(u64::from(ms)));
}

/// Waits until the thread is unparked: see [`std::thread::park`].
///
/// # Examples
///
/// ```
/// use exectrace_std::thread;
///
/// thread::current().unpark();
/// thread::park();
/// ```
pub fn park() {
    let _waiting = PARKED.wait_at(Place::own_parking(), Blocked::new(BlockReason::Other));
    std::thread::park();
}

/// Waits until the thread is unparked, at most so long: see [`std::thread::park_timeout`].
///
/// # Examples
///
/// ```
/// exectrace_std::thread::park_timeout(std::time::Duration::from_millis(1));
/// ```
pub fn park_timeout(dur: Duration) {
    let _waiting = PARKED.wait_at(Place::own_parking(), Blocked::new(BlockReason::Other));
    std::thread::park_timeout(dur);
}

/// Waits until the thread is unparked, at most so many milliseconds.
#[deprecated(note = "replaced by `thread::park_timeout`")]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(u64::from(ms)));
}

/// Lets other threads have the processor: see [`std::thread::yield_now`].
///
/// # Examples
///
/// ```
/// exectrace_std::thread::yield_now();
/// ```
pub fn yield_now() {
    let _yielding = Blocked::yielding();
    std::thread::yield_now();
}
