//! The barrier.

use std::fmt;
use std::sync::BarrierWaitResult;
use std::sync::atomic::{AtomicUsize, Ordering};

use exectrace::hook::{BlockReason, Blocked};

use crate::waiters::Waiters;

/// [`std::sync::Barrier`], its waits traced as GoBlockSync, ended by the last thread to arrive.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::Barrier;
/// use exectrace_std::thread;
///
/// let barrier = Barrier::new(2);
/// thread::scope(|scope| {
///     let other = scope.spawn(|| barrier.wait().is_leader());
///     assert_ne!(barrier.wait().is_leader(), other.join().unwrap());
/// });
/// ```
pub struct Barrier {
    waiters: Waiters,
    /// Threads that have come and of which no leader has gone yet. Counted also while no session is running: one may begin in
    /// the middle of a wait.
    arrived: AtomicUsize,
    parties: usize,
    inner: std::sync::Barrier,
}

impl Barrier {
    /// A barrier for so many threads: see [`std::sync::Barrier::new`].
    #[inline]
    pub const fn new(n: usize) -> Self {
        Self {
            waiters: Waiters::new(),
            arrived: AtomicUsize::new(0),
            // A barrier for none lets everyone pass, as one for one does.
            parties: if n == 0 { 1 } else { n },
            inner: std::sync::Barrier::new(n),
        }
    }

    /// Waits for the other threads: see [`std::sync::Barrier::wait`].
    #[inline(never)]
    pub fn wait(&self) -> BarrierWaitResult {
        // Relaxed: only who is last must differ, and that it is told before it arrives.
        let arrived = self.arrived.fetch_add(1, Ordering::Relaxed) + 1;
        let waiting = if arrived.is_multiple_of(self.parties) {
            self.waiters.wake_all();
            None
        } else {
            Some(self.waiters.wait(Blocked::new(BlockReason::Sync)))
        };
        let result = self.inner.wait();
        drop(waiting);
        if result.is_leader() {
            // Relaxed: as above. All of them have been counted, since one leads them.
            self.arrived.fetch_sub(self.parties, Ordering::Relaxed);
        }
        result
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
