//! Points in time, as traces have them.

use std::fmt;

/// Nanoseconds since a zero that the trace has chosen.
///
/// In format v1 that is the first event; in v2 the zero of the machine's monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(
    /// The nanoseconds.
    pub i64,
);

impl Timestamp {
    /// Nanoseconds from `earlier` to here; negative if it is later.
    #[must_use]
    pub fn since_ns(self, earlier: Self) -> i64 {
        self.0.wrapping_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.0)
    }
}
