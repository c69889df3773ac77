//! What a tolerant reader keeps account of.

use exectrace_format::{ThreadId, WorkerId};

use crate::loss::Gap;
use crate::{Error, Loss, Repair, Repairs, Timestamp};

/// What is lost and what was put right, as far as the file was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    pub(crate) loss: Loss,
    pub(crate) repairs: Repairs,
}

/// How many events a gap held.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Events {
    /// So many.
    Exactly(u64),
    /// At least so many.
    AtLeast(u64),
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
    ) {
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
        });
    }

    /// Something was put right.
    #[cold]
    pub(crate) fn repair(&mut self, repair: Repair, error: Error) {
        self.repairs.add(repair, error);
    }

    /// A clock went back by so much.
    #[cold]
    #[expect(dead_code, reason = "format v2 has no clocks to repair; v1 is next")]
    pub(crate) fn skew(&mut self, error: Error, skew_ns: u64, thread: ThreadId, worker: WorkerId) {
        self.repairs.add_skew(error, skew_ns, thread, worker);
    }
}
