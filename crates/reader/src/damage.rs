//! What a tolerant reader keeps account of.

use exectrace_format::{ThreadId, WorkerId};

use crate::id_map::IdMap;
use crate::loss::Gap;
use crate::{Error, Loss, Repair, Repairs, Timestamp};

/// What is lost and what was put right, as far as the file was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    pub(crate) loss: Loss,
    pub(crate) repairs: Repairs,
    /// Gaps that last until the next event of their thread, by thread: their places among those that are kept, if they are.
    open: IdMap<Vec<usize>>,
}

/// How many events a gap held.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Events {
    /// So many.
    Exactly(u64),
    /// At least so many.
    AtLeast(u64),
}

impl Events {
    /// Those of two gaps.
    pub(crate) fn and(self, other: Self) -> Self {
        use Events::{AtLeast, Exactly};
        match (self, other) {
            (Exactly(a), Exactly(b)) => Exactly(a + b),
            (Exactly(a) | AtLeast(a), Exactly(b) | AtLeast(b)) => AtLeast(a + b),
        }
    }
}

impl Damage {
    /// Bytes are lost, and what they told.
    #[cold]
    pub(crate) fn lose(
        &mut self,
        error: Error,
        bytes: u64,
        events: Events,
        time: Option<(Timestamp, Timestamp)>,
    ) -> Option<usize> {
        let (events, is_exact) = match events {
            Events::Exactly(events) => (events, true),
            Events::AtLeast(events) => (events, false),
        };
        self.loss.add(Gap {
            error,
            bytes,
            events,
            is_exact,
            time,
        })
    }

    /// From then on bytes of a thread are lost.
    #[cold]
    pub(crate) fn lose_from(
        &mut self,
        error: Error,
        bytes: u64,
        thread: ThreadId,
        from: Timestamp,
    ) {
        let kept = self.lose(error, bytes, Events::AtLeast(1), Some((from, from)));
        self.open.entry(thread.0).or_default().extend(kept);
    }

    /// The thread goes on at that time; all do without one.
    #[cold]
    pub(crate) fn go_on(&mut self, thread: Option<ThreadId>, at: Timestamp) {
        match thread {
            None => {
                for (_, kept) in self.open.drain() {
                    self.loss.last_until(&kept, at);
                }
            }
            Some(thread) => {
                if let Some(kept) = self.open.remove(&thread.0) {
                    self.loss.last_until(&kept, at);
                }
            }
        }
    }

    /// Whether gaps wait for the next event of a thread.
    #[inline]
    pub(crate) fn has_open_gaps(&self) -> bool {
        !self.open.is_empty()
    }

    /// Places gaps in time that were told in another unit.
    #[cold]
    pub(crate) fn place_in_time(&mut self, to_time: impl Fn(Timestamp) -> Timestamp) {
        self.loss
            .change_times(|time| time.map(|(from, to)| (to_time(from), to_time(to))));
    }

    /// Nobody knows when the gaps were.
    #[cold]
    pub(crate) fn forget_times(&mut self) {
        self.loss.change_times(|_| None);
    }

    /// Something was put right.
    #[cold]
    pub(crate) fn repair(&mut self, repair: Repair, error: Error) {
        self.repairs.add(repair, error);
    }

    /// A clock went back by so much.
    #[cold]
    pub(crate) fn skew(&mut self, error: Error, skew_ns: u64, thread: ThreadId, worker: WorkerId) {
        self.repairs.add_skew(error, skew_ns, thread, worker);
    }
}
