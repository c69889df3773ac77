//! The handle of a thread that can be joined.

use std::fmt;
use std::thread::Result;

use exectrace::hook::{BlockReason, Blocked};

use super::thread_handle::Thread;
use crate::wait_table::Place;
use crate::waiters::{Waiters, Waiting};

/// How many threads wait for the end of others, as far as a session sees.
pub(super) static JOINING: Waiters = Waiters::new();

/// [`std::thread::JoinHandle`]; a join that waits is traced as GoBlockSync, ended by the thread that it waits for.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread::{self, JoinHandle};
///
/// let thread: JoinHandle<u32> = thread::spawn(|| 1);
/// assert_ne!(thread.thread().id(), thread::current().id());
/// assert_eq!(thread.join().unwrap(), 1);
/// ```
pub struct JoinHandle<T> {
    inner: std::thread::JoinHandle<T>,
    thread: Thread,
}

impl<T> JoinHandle<T> {
    pub(super) fn new(inner: std::thread::JoinHandle<T>) -> Self {
        let thread = Thread::new(inner.thread().clone());
        Self { inner, thread }
    }

    /// The thread: see [`std::thread::JoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the thread's end: see [`std::thread::JoinHandle::join`].
    ///
    /// # Errors
    ///
    /// If the thread panicked: with what it panicked.
    ///
    /// # Panics
    ///
    /// It may panic if a thread joins itself.
    #[inline(never)]
    pub fn join(self) -> Result<T> {
        let _waiting = (!self.inner.is_finished()).then(|| wait_for_end(&self.thread));
        self.inner.join()
    }

    /// Whether the thread's closure has ended: see [`std::thread::JoinHandle::is_finished`].
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

/// The calling thread waits for the end of `thread`.
pub(super) fn wait_for_end(thread: &Thread) -> Waiting<'static> {
    JOINING.wait_at(Place::EndOf(thread.id()), Blocked::new(BlockReason::Sync))
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

#[cfg(unix)]
impl<T> std::os::unix::thread::JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> std::os::unix::thread::RawPthread {
        self.inner.as_pthread_t()
    }

    fn into_pthread_t(self) -> std::os::unix::thread::RawPthread {
        self.inner.into_pthread_t()
    }
}
