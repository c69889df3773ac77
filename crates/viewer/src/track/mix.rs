//! What there is of short intervals in a bucket.

use super::{Drawn, Shade};

/// How many shades a mix tells apart.
pub(crate) const STATES: usize = Shade::ALL.len();

/// What there is of short intervals in a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mix {
    /// The time in the bucket, by shade.
    pub(crate) ns: [u64; STATES],
    /// How many begin in it.
    pub(crate) count: u32,
    /// How long the longest is that has something in it, in all.
    pub(crate) longest_ns: u64,
    /// The shade of that one; of several the first in order.
    pub(crate) longest: Option<Shade>,
}

impl Mix {
    /// Adds what of an interval lies between two times, the bounds of the bucket.
    pub(crate) fn add(&mut self, drawn: &Drawn, from_ns: u64, to_ns: u64) {
        let (begin_ns, end_ns) = (drawn.begin_ns.max(from_ns), drawn.end_ns.min(to_ns));
        self.ns[drawn.shade.place()] += end_ns.saturating_sub(begin_ns);
        self.count += u32::from(drawn.begin_ns >= from_ns);
        self.note_longest(drawn.ns(), Some(drawn.shade));
    }

    /// Adds an interval that lies in the bucket.
    #[inline]
    pub(super) fn add_whole(&mut self, drawn: &Drawn) {
        self.ns[drawn.shade.place()] += drawn.ns();
        self.count += 1;
        self.note_longest(drawn.ns(), Some(drawn.shade));
    }

    /// There is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.longest.is_none() && self.ns.iter().all(|ns| *ns == 0)
    }

    /// Adds what there is in a part of the bucket, or what was known of other intervals.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (sum, ns) in self.ns.iter_mut().zip(other.ns) {
            *sum += ns;
        }
        self.count += other.count;
        self.note_longest(other.longest_ns, other.longest);
    }

    /// Adds what covers so much of the bucket, by shade.
    pub(crate) fn add_covered(&mut self, count: [i32; STATES], width_ns: u64) {
        for (sum, count) in self.ns.iter_mut().zip(count) {
            *sum += u64::try_from(count).unwrap_or(0) * width_ns;
        }
    }

    #[inline]
    fn note_longest(&mut self, ns: u64, shade: Option<Shade>) {
        let is_first = self.longest.is_none();
        let is_longer = ns > self.longest_ns || (ns == self.longest_ns && shade < self.longest);
        if shade.is_some() && (is_first || is_longer) {
            self.longest_ns = ns;
            self.longest = shade;
        }
    }
}
