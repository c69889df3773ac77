//! Who waits for a read-write lock, and who reads.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::waiters::Waiters;

/// The two queues of a read-write lock, and how many of its readers came while a session was running.
///
/// Only the last reader lets a writer in, so readers are counted; but only while a session is running, since it costs as much
/// as the lock itself.
#[derive(Debug)]
pub(super) struct RwQueues {
    pub(super) readers: Waiters,
    pub(super) writers: Waiters,
    reading: AtomicU32,
}

impl RwQueues {
    #[inline]
    pub(super) const fn new() -> Self {
        Self {
            readers: Waiters::new(),
            writers: Waiters::new(),
            reading: AtomicU32::new(0),
        }
    }

    /// A reader has the lock.
    #[inline]
    pub(super) fn begin_read(&self) -> ReadRelease<'_> {
        let counted = exectrace::is_enabled();
        if counted {
            // Relaxed: a number that only wakes go by.
            self.reading.fetch_add(1, Ordering::Relaxed);
        }
        ReadRelease {
            queues: self,
            counted,
        }
    }

    /// A writer has the lock.
    #[inline]
    pub(super) fn begin_write(&self) -> WriteRelease<'_> {
        WriteRelease(self)
    }
}

/// A reader's hold on the lock. Its drop announces the release, so it comes before that.
#[derive(Debug)]
pub(super) struct ReadRelease<'a> {
    queues: &'a RwQueues,
    counted: bool,
}

impl Drop for ReadRelease<'_> {
    #[inline]
    fn drop(&mut self) {
        let reading = &self.queues.reading;
        let others = if self.counted {
            // Relaxed: a number that only wakes go by.
            reading.fetch_sub(1, Ordering::Relaxed) - 1
        } else if self.queues.writers.are_none() {
            return;
        } else {
            // Relaxed: as above.
            reading.load(Ordering::Relaxed)
        };
        if others == 0 {
            self.queues.writers.wake_first();
        }
    }
}

/// A writer's hold on the lock. Its drop announces the release, so it comes before that.
#[derive(Debug)]
pub(super) struct WriteRelease<'a>(&'a RwQueues);

impl Drop for WriteRelease<'_> {
    #[inline]
    fn drop(&mut self) {
        // A writer that waits goes before all readers.
        if self.0.writers.are_none() {
            self.0.readers.wake_all();
        } else {
            self.0.writers.wake_first();
        }
    }
}
