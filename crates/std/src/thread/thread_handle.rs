//! A handle to a thread.

use std::fmt;
use std::thread::ThreadId;

use crate::wait_table::Place;
use crate::waiters::Waiters;

/// How many threads are parked, as far as a session sees.
pub(super) static PARKED: Waiters = Waiters::new();

/// [`std::thread::Thread`]; an unpark that ends a park is shown as its wake.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread;
///
/// let parked = thread::spawn(thread::park);
/// parked.thread().unpark();
/// parked.join().unwrap();
/// ```
#[derive(Clone)]
pub struct Thread {
    inner: std::thread::Thread,
}

impl Thread {
    pub(super) fn new(inner: std::thread::Thread) -> Self {
        Self { inner }
    }

    /// Lets the thread go on if it is parked, or not park when it next would: see [`std::thread::Thread::unpark`].
    #[inline]
    pub fn unpark(&self) {
        PARKED.wake_at(|| Place::Parked(self.id()));
        self.inner.unpark();
    }

    /// The thread's id: see [`std::thread::Thread::id`].
    #[must_use]
    pub fn id(&self) -> ThreadId {
        self.inner.id()
    }

    /// The thread's name: see [`std::thread::Thread::name`].
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.inner.name()
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A handle to the calling thread: see [`std::thread::current`].
///
/// # Examples
///
/// ```
/// let thread = exectrace_std::thread::current();
/// assert_eq!(thread.id(), std::thread::current().id());
/// ```
#[must_use]
pub fn current() -> Thread {
    Thread::new(std::thread::current())
}
