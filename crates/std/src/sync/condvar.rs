//! The condition variable.

use std::sync::{LockResult, WaitTimeoutResult};
use std::time::{Duration, Instant};

use exectrace::hook::{BlockReason, Blocked};

use super::lock_result::map;
use super::mutex::MutexGuard;
use crate::waiters::Waiters;

/// [`std::sync::Condvar`], its waits traced as GoBlockCond and each notification as the wake of those that it lets go.
///
/// A wait lasts until the thread has the mutex back: the standard library does not tell the two apart.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::{Condvar, Mutex};
/// use exectrace_std::thread;
///
/// let (count, changed) = (Mutex::new(0), Condvar::new());
/// thread::scope(|scope| {
///     scope.spawn(|| {
///         *count.lock().unwrap() = 3;
///         changed.notify_all();
///     });
///     let count = count.lock().unwrap();
///     assert_eq!(*changed.wait_while(count, |count| *count == 0).unwrap(), 3);
/// });
/// ```
pub struct Condvar {
    waiters: Waiters,
    inner: std::sync::Condvar,
}

impl Condvar {
    /// A condition that nobody waits for: see [`std::sync::Condvar::new`].
    #[inline]
    pub const fn new() -> Self {
        Self {
            waiters: Waiters::new(),
            inner: std::sync::Condvar::new(),
        }
    }

    /// Frees the mutex and waits to be notified: see [`std::sync::Condvar::wait`].
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned when the thread has it back; the guard is in the error.
    ///
    /// # Panics
    ///
    /// It may panic if it is used with more than one mutex.
    #[inline(never)]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        // The wake of the mutex's next holder is by the thread while it still runs.
        let (mutex, inner) = guard.about_to_unlock();
        let waiting = self.waiters.wait(Blocked::new(BlockReason::Cond));
        let result = self.inner.wait(inner);
        waiting.over(false);
        map(result, |inner| MutexGuard::new(mutex, inner))
    }

    /// Waits while the condition holds: see [`std::sync::Condvar::wait_while`].
    ///
    /// # Errors
    ///
    /// As [`Self::wait`].
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`Self::wait`], for so many milliseconds at most.
    ///
    /// # Errors
    ///
    /// As [`Self::wait`].
    #[deprecated(note = "replaced by `Condvar::wait_timeout`")]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let result = self.wait_timeout(guard, Duration::from_millis(u64::from(ms)));
        map(result, |(guard, result)| (guard, !result.timed_out()))
    }

    /// As [`Self::wait`], for a time at most: see [`std::sync::Condvar::wait_timeout`].
    ///
    /// # Errors
    ///
    /// As [`Self::wait`].
    #[inline(never)]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (mutex, inner) = guard.about_to_unlock();
        let waiting = self.waiters.wait(Blocked::new(BlockReason::Cond));
        let result = self.inner.wait_timeout(inner, dur);
        let timed_out = match &result {
            Ok((_, result)) => result.timed_out(),
            Err(poisoned) => poisoned.get_ref().1.timed_out(),
        };
        waiting.over(timed_out);
        map(result, |(inner, result)| {
            (MutexGuard::new(mutex, inner), result)
        })
    }

    /// Waits while the condition holds, for a time at most: see [`std::sync::Condvar::wait_timeout_while`].
    ///
    /// # Errors
    ///
    /// As [`Self::wait`].
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, wait_result(false)));
            }
            let Some(rest) = dur.checked_sub(start.elapsed()) else {
                return Ok((guard, wait_result(true)));
            };
            guard = self.wait_timeout(guard, rest)?.0;
        }
    }

    /// Lets one of the waiting threads go on: see [`std::sync::Condvar::notify_one`].
    #[inline]
    pub fn notify_one(&self) {
        self.waiters.wake_next();
        self.inner.notify_one();
    }

    /// Lets all waiting threads go on: see [`std::sync::Condvar::notify_all`].
    #[inline]
    pub fn notify_all(&self) {
        self.waiters.wake_all();
        self.inner.notify_all();
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Condvar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

/// The standard library makes this value only at the end of a wait, so one is held for no time.
fn wait_result(timed_out: bool) -> WaitTimeoutResult {
    let mutex = std::sync::Mutex::new(());
    let wait = std::sync::Condvar::new().wait_timeout_while(
        mutex
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()),
        Duration::ZERO,
        |()| timed_out,
    );
    match wait {
        Ok((_, result)) => result,
        Err(poisoned) => poisoned.into_inner().1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_waits_are_what_was_asked_for() {
        assert!(wait_result(true).timed_out());
        assert!(!wait_result(false).timed_out());
    }
}
