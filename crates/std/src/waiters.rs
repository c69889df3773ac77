//! What an object has for those who wait for it: their number.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::ThreadId;

use exectrace::hook::{Blocked, adopt_thread};

use crate::wait_table::{Place, WAITING};

/// The number of threads that wait for an object and that a session sees; their tasks stand in the [`WAITING`] table.
///
/// Wakes come before what they announce, so that a thread cannot run again before its wake is written. A waker that misses
/// the latest waiter leaves it to go on by itself.
#[derive(Debug)]
pub(crate) struct Waiters {
    count: AtomicU32,
}

impl Waiters {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self {
            count: AtomicU32::new(0),
        }
    }

    /// Whether nobody waits, as far as a session sees.
    #[inline(always)]
    pub(crate) fn are_none(&self) -> bool {
        // Relaxed: a guess; see the type.
        self.count.load(Ordering::Relaxed) == 0
    }

    /// The calling thread, blocked as said, waits here until the answer is dropped.
    #[inline]
    pub(crate) fn wait(&self, blocked: Blocked) -> Waiting<'_> {
        self.wait_at(self.place(), blocked)
    }

    /// As [`Self::wait`], for a count that many places share.
    #[inline]
    pub(crate) fn wait_at(&self, place: Place, blocked: Blocked) -> Waiting<'_> {
        Waiting::register(self, place, blocked)
    }

    /// The longest waiting thread is about to get in.
    #[inline(always)]
    pub(crate) fn wake_first(&self) {
        if !self.are_none() {
            wake(self.place(), Which::First);
        }
    }

    /// One more thread is about to go on.
    #[inline(always)]
    pub(crate) fn wake_next(&self) {
        if !self.are_none() {
            wake(self.place(), Which::Next);
        }
    }

    /// All threads are about to go on.
    #[inline(always)]
    pub(crate) fn wake_all(&self) {
        if !self.are_none() {
            wake(self.place(), Which::All);
        }
    }

    /// All threads at one of the places that share the count are about to go on.
    #[inline(always)]
    pub(crate) fn wake_at(&self, place: impl FnOnce() -> Place) {
        if !self.are_none() {
            wake(place(), Which::All);
        }
    }

    fn place(&self) -> Place {
        Place::Object(std::ptr::from_ref(self).addr())
    }
}

impl Place {
    /// Where the calling thread is parked.
    pub(crate) fn own_parking() -> Self {
        Self::Parked(own_id())
    }

    /// Where others wait for the calling thread's end.
    pub(crate) fn own_end() -> Self {
        Self::EndOf(own_id())
    }
}

fn own_id() -> ThreadId {
    std::thread::current().id()
}

enum Which {
    First,
    Next,
    All,
}

/// Not inlined, so that a stack shows it above the operation that wakes.
#[cold]
#[inline(never)]
fn wake(place: Place, which: Which) {
    if !exectrace::is_enabled() {
        return;
    }
    // A wake by nobody is for threads that nobody knows.
    adopt_thread();
    match which {
        Which::First => WAITING.wake_first(place),
        Which::Next => WAITING.wake_next(place),
        Which::All => WAITING.wake_all(place),
    }
}

/// The calling thread waits, from here until this is dropped.
#[derive(Debug)]
#[must_use = "the thread counts as waiting until this is dropped"]
pub(crate) struct Waiting<'w> {
    waiters: &'w Waiters,
    place: Place,
    /// The task's id, if it stands in the table.
    task: Option<u64>,
    timed_out: bool,
    /// Dropped after the task has left the table: a late wake must not reach a thread that runs.
    _blocked: Blocked,
}

impl<'w> Waiting<'w> {
    fn register(waiters: &'w Waiters, place: Place, blocked: Blocked) -> Self {
        let task = blocked.task().map(|task| {
            let id = task.id();
            WAITING.add(place, task);
            // Relaxed: a guess for wakers.
            waiters.count.fetch_add(1, Ordering::Relaxed);
            id
        });
        Self {
            waiters,
            place,
            task,
            timed_out: false,
            _blocked: blocked,
        }
    }

    /// The wait is over, perhaps because nobody ended it in time.
    pub(crate) fn over(mut self, timed_out: bool) {
        self.timed_out = timed_out;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(task) = self.task {
            // Relaxed: a guess for wakers.
            self.waiters.count.fetch_sub(1, Ordering::Relaxed);
            WAITING.remove(self.place, task, !self.timed_out);
        }
    }
}
