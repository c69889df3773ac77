//! The handle of a scope's thread that can be joined.

use std::fmt;
use std::thread::Result;

use super::join_handle::wait_for_end;
use super::thread_handle::Thread;

/// [`std::thread::ScopedJoinHandle`]; a join that waits is traced as GoBlockSync, ended by the thread that it waits for.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread;
///
/// let words = ["a", "bc"];
/// let length = thread::scope(|scope| {
///     let thread = scope.spawn(|| words.concat().len());
///     thread.join().unwrap()
/// });
/// assert_eq!(length, 3);
/// ```
pub struct ScopedJoinHandle<'scope, T> {
    inner: std::thread::ScopedJoinHandle<'scope, T>,
    thread: Thread,
}

impl<'scope, T> ScopedJoinHandle<'scope, T> {
    pub(super) fn new(inner: std::thread::ScopedJoinHandle<'scope, T>) -> Self {
        let thread = Thread::new(inner.thread().clone());
        Self { inner, thread }
    }

    /// The thread: see [`std::thread::ScopedJoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the thread's end: see [`std::thread::ScopedJoinHandle::join`].
    ///
    /// # Errors
    ///
    /// If the thread panicked: with what it panicked.
    #[inline(never)]
    pub fn join(self) -> Result<T> {
        let _waiting = (!self.inner.is_finished()).then(|| wait_for_end(&self.thread));
        self.inner.join()
    }

    /// Whether the thread's closure has ended: see [`std::thread::ScopedJoinHandle::is_finished`].
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
