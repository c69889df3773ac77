//! A stretch of a trace.

use serde::Serialize;

use crate::timeline::Timeline;

/// A stretch of a trace, in nanoseconds since its first event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Span {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
}

impl Span {
    /// All that a trace has.
    pub(super) fn whole(timeline: &Timeline) -> Self {
        Self {
            from_ns: 0,
            to_ns: timeline.end_ns.max(1),
        }
    }

    pub(super) fn ns(self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// The same with half of it before and behind it, as far as time goes.
    pub(super) fn with_margins(self) -> Self {
        // As the page computes it: the first half is rounded down, and the second up.
        let half_ns = self.ns().div_ceil(2);
        Self {
            from_ns: self.from_ns.saturating_sub(half_ns),
            to_ns: self.to_ns + half_ns,
        }
    }

    /// The least stretch around it from a multiple of `step_ns` to another.
    pub(super) fn outwards(self, step_ns: u64) -> Self {
        Self {
            from_ns: self.from_ns / step_ns * step_ns,
            to_ns: self.to_ns.next_multiple_of(step_ns),
        }
    }

    /// What of it is in another one; `None` if nothing is.
    pub(super) fn within(self, other: Self) -> Option<Self> {
        let both = Self {
            from_ns: self.from_ns.max(other.from_ns),
            to_ns: self.to_ns.min(other.to_ns),
        };
        (both.from_ns < both.to_ns).then_some(both)
    }
}
