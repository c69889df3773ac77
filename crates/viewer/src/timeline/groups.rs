//! Tasks that run the same function, as one row: how many are in which state, over time.
//!
//! An interval may be as long as the trace, so it is not added to each bucket that it covers: the bucket where it begins and the
//! one where it ends get what of it is in them, and that it goes on from the one to the other is a difference, summed up when
//! somebody looks.

use super::members::Members;
use crate::grid::Grid;
use crate::track::{Drawn, Mix, Runs, STATES};

/// The narrowest buckets that are kept, about a microsecond.
const SHIFT_MIN: u32 = 10;

/// So many buckets are kept of a group, a screen's; when there are more they become twice as wide.
const BUCKETS_MIN: usize = 4_096;

/// Of a group that has many intervals a bucket is kept for so many: a narrow window, whose intervals are looked at one by one, has
/// not many more.
const INTERVALS_A_BUCKET: usize = 32;

/// Tasks that run the same function.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The function; empty if nothing tells it.
    pub(crate) name: String,
    /// Their lives.
    pub(crate) members: Members,
    /// So many intervals they have.
    pub(crate) intervals: usize,
    sums: Sums,
}

/// What there is of many tracks together.
#[derive(Clone, Debug)]
struct Sums {
    shift: u32,
    /// Buckets in which something begins or ends, in order.
    buckets: Vec<(u64, Sum)>,
}

/// What there is in a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    /// What of intervals that do not cover it is in it.
    mix: Mix,
    /// How many more intervals cover it than cover the bucket before it, by shade.
    more: [i32; STATES],
}

impl Group {
    /// One of tasks that run a function.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Takes in the next interval of a member.
    pub(super) fn push(&mut self, drawn: &Drawn) {
        self.intervals += 1;
        self.sums.push(drawn);
        let most = BUCKETS_MIN.max(self.intervals / INTERVALS_A_BUCKET);
        while self.sums.buckets.len() > most {
            self.sums.widen();
        }
    }

    /// What a screen can show: the sums of all members in each bucket. `intervals` are those that a member has in a stretch of time.
    pub(crate) fn runs<I: Iterator<Item = Drawn>>(
        &self,
        grid: Grid,
        intervals: impl Fn(u32, u64, u64) -> I,
    ) -> Runs {
        if grid.shift >= self.sums.shift {
            return self.sums.runs(grid);
        }
        // Where more is seen than was kept few intervals are in the window.
        let mut sums = Sums::new(grid.shift);
        for member in self.members.near(grid.begin_ns(), grid.end_ns()) {
            for drawn in intervals(member, grid.begin_ns(), grid.end_ns()) {
                sums.push(&drawn);
            }
        }
        sums.runs(grid)
    }
}

impl Default for Sums {
    fn default() -> Self {
        Self::new(SHIFT_MIN)
    }
}

impl Sums {
    fn new(shift: u32) -> Self {
        Self {
            shift,
            buckets: Vec::new(),
        }
    }

    fn push(&mut self, drawn: &Drawn) {
        let shift = self.shift;
        let begin = drawn.begin_ns >> shift;
        let end = begin.max(drawn.end_ns.saturating_sub(1) >> shift);
        let bounds = |bucket: u64| (bucket << shift, (bucket + 1) << shift);
        let (from_ns, to_ns) = bounds(begin);
        self.sum_mut(begin).mix.add(drawn, from_ns, to_ns);
        if end > begin {
            let (from_ns, to_ns) = bounds(end);
            self.sum_mut(end).mix.add(drawn, from_ns, to_ns);
        }
        if end > begin + 1 {
            let place = drawn.shade.place();
            self.sum_mut(begin + 1).more[place] += 1;
            self.sum_mut(end).more[place] -= 1;
        }
    }

    /// The sum of a bucket. Usually it is one of the last.
    fn sum_mut(&mut self, bucket: u64) -> &mut Sum {
        let known = self.buckets.iter().rev().take(4);
        let near = known.take_while(|(at, _)| *at >= bucket).count();
        let place = if near < 4 {
            self.buckets.len() - near
        } else {
            self.buckets.partition_point(|(at, _)| *at < bucket)
        };
        let is_there = self.buckets.get(place).is_some_and(|(at, _)| *at == bucket);
        if !is_there {
            self.buckets.insert(place, (bucket, Sum::default()));
        }
        &mut self.buckets[place].1
    }

    /// Makes buckets twice as wide.
    fn widen(&mut self) {
        let width = 1_u64 << self.shift;
        let mut wide = Self::new(self.shift + 1);
        let mut more = [0_i32; STATES];
        let mut next = 0;
        for (bucket, sum) in &self.buckets {
            // What covers the buckets since the last one covers the second half of a wide one, whole ones, and a first half.
            wide.cover(next, *bucket, more, width);
            let mix = &mut wide.sum_mut(bucket >> 1).mix;
            mix.merge(&sum.mix);
            for (sum, more) in more.iter_mut().zip(sum.more) {
                *sum += more;
            }
            mix.add_covered(more, width);
            next = bucket + 1;
        }
        wide.buckets.retain(|(_, sum)| *sum != Sum::default());
        *self = wide;
    }

    /// Adds what covers narrow buckets from one to before another, half as wide as these.
    fn cover(&mut self, mut from: u64, mut to: u64, more: [i32; STATES], width: u64) {
        if more == [0; STATES] || from >= to {
            return;
        }
        if !from.is_multiple_of(2) {
            self.sum_mut(from >> 1).mix.add_covered(more, width);
            from += 1;
        }
        if from < to && !to.is_multiple_of(2) {
            to -= 1;
            self.sum_mut(to >> 1).mix.add_covered(more, width);
        }
        if from < to {
            for (sum, more) in self.sum_mut(from >> 1).more.iter_mut().zip(more) {
                *sum += more;
            }
            for (sum, more) in self.sum_mut(to >> 1).more.iter_mut().zip(more) {
                *sum -= more;
            }
        }
    }

    /// What a screen can show, whose buckets are as wide or wider.
    fn runs(&self, grid: Grid) -> Runs {
        let up = grid.shift - self.shift;
        let (from, to) = (grid.first << up, (grid.first + grid.count) << up);
        let width = 1_u64 << self.shift;
        let mut runs = Runs::new(grid);
        let mut more = [0_i32; STATES];
        let mut next = 0;
        let end = (to, Sum::default());
        let inside = self.buckets.iter().take_while(|(bucket, _)| *bucket < to);
        for (bucket, sum) in inside.chain([&end]) {
            runs.cover(next.max(from), (*bucket).max(from), more, width, up);
            for (sum, more) in more.iter_mut().zip(sum.more) {
                *sum += more;
            }
            if (from..to).contains(bucket) {
                let mut mix = sum.mix;
                mix.add_covered(more, width);
                runs.merge_late(bucket >> up, &mix);
            }
            next = bucket + 1;
        }
        runs.mixes.retain(|(_, mix)| *mix != Mix::default());
        runs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::track::Shade;

    /// The time in each bucket, and how many begin, from the intervals alone.
    fn plainly(intervals: &[Drawn], grid: Grid) -> Vec<([u64; STATES], u32)> {
        let buckets = grid.first..grid.first + grid.count;
        let mut sums = Vec::new();
        for bucket in buckets {
            let (from_ns, to_ns) = (bucket << grid.shift, (bucket + 1) << grid.shift);
            let mut sum = ([0; STATES], 0);
            for drawn in intervals {
                let (begin_ns, end_ns) = (drawn.begin_ns.max(from_ns), drawn.end_ns.min(to_ns));
                sum.0[drawn.shade.place()] += end_ns.saturating_sub(begin_ns);
                sum.1 += u32::from((from_ns..to_ns).contains(&drawn.begin_ns));
            }
            sums.push(sum);
        }
        sums
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sums_are_those_of_the_intervals(
            parts in prop::collection::vec((0_u64..1 << 16, 0_u64..1 << 15, 0_usize..6), 1..80),
            widened in 0_u32..8,
            shift in 0_u32..12,
            from in 0_u64..1 << 16,
        ) {
            let mut sums = Sums::new(2);
            let mut intervals = Vec::new();
            for (begin_ns, ns, shade) in parts {
                let drawn = Drawn { index: 0, begin_ns, end_ns: begin_ns + ns, shade: Shade::ALL[shade], cause: 0, other: 0 };
                sums.push(&drawn);
                intervals.push(drawn);
            }
            for _ in 0..widened {
                sums.widen();
            }
            let shift = sums.shift + shift;
            let grid = Grid { shift, first: from >> shift, count: 40 };
            let runs = sums.runs(grid);
            let mut told = vec![([0; STATES], 0); 40];
            for (bucket, mix) in &runs.mixes {
                told[(bucket - grid.first) as usize] = (mix.ns, mix.count);
            }
            prop_assert_eq!(told, plainly(&intervals, grid));
        }
    }
}
