//! What there is of many tracks together, over time, while they grow.
//!
//! An interval may be as long as the trace, so it is not added to each bucket that it covers: the bucket where it begins and the
//! one where it ends get what of it is in them, and that it goes on from the one to the other is a difference, summed up when
//! somebody looks.

use crate::grid::Grid;
use crate::track::{Drawn, Mix, Runs, STATES};

/// The narrowest buckets that are kept, about a microsecond.
const SHIFT_MIN: u32 = 10;

/// What there is of many tracks together.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) shift: u32,
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

/// A bucket, once nothing will come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// What of intervals that do not cover it is in it.
    pub(super) mix: Mix,
    /// How many intervals cover it, and all after it until the next that is kept, by shade.
    pub(super) covering: [i32; STATES],
}

impl Default for Sums {
    fn default() -> Self {
        Self::new(SHIFT_MIN)
    }
}

impl Sums {
    pub(super) fn new(shift: u32) -> Self {
        Self {
            shift,
            buckets: Vec::new(),
        }
    }

    /// How many buckets are kept.
    pub(super) fn len(&self) -> usize {
        self.buckets.len()
    }

    pub(super) fn push(&mut self, drawn: &Drawn) {
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
    pub(super) fn widen(&mut self) {
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

    /// The buckets as they are, summed up.
    pub(super) fn known(&self) -> impl Iterator<Item = (u64, Known)> {
        let mut covering = [0_i32; STATES];
        self.buckets.iter().map(move |(bucket, sum)| {
            for (sum, more) in covering.iter_mut().zip(sum.more) {
                *sum += more;
            }
            let mix = sum.mix;
            (*bucket, Known { mix, covering })
        })
    }

    /// What a screen can show, whose buckets are as wide or wider.
    pub(super) fn runs(&self, grid: Grid) -> Runs {
        let mut joining = Joining::new(self.shift, Known::default(), grid);
        let end = grid.end_ns() >> self.shift;
        let inside = self.known().take_while(|(bucket, _)| *bucket < end);
        inside.for_each(|(bucket, known)| joining.push(bucket, &known));
        joining.runs()
    }
}

/// Puts buckets together into those of a screen, as wide or wider.
pub(super) struct Joining {
    runs: Runs,
    width_ns: u64,
    /// Two to the power of this are a bucket of the screen.
    up: u32,
    /// The buckets that the screen shows, to before the second.
    from: u64,
    to: u64,
    /// The one behind the last that was told, and what covers it and those after it.
    next: u64,
    covering: [i32; STATES],
}

impl Joining {
    /// `before` is the last of those buckets that are before the ones that will be told.
    pub(super) fn new(shift: u32, before: Known, grid: Grid) -> Self {
        let up = grid.shift - shift;
        Self {
            runs: Runs::new(grid),
            width_ns: 1 << shift,
            up,
            from: grid.first << up,
            to: (grid.first + grid.count) << up,
            next: 0,
            covering: before.covering,
        }
    }

    /// Takes in the next bucket, which does not lie behind the screen.
    #[inline]
    pub(super) fn push(&mut self, bucket: u64, known: &Known) {
        self.cover_to(bucket);
        self.next = bucket + 1;
        self.covering = known.covering;
        if bucket >= self.from {
            let mut mix = known.mix;
            mix.add_covered(self.covering, self.width_ns);
            if !mix.is_empty() {
                self.runs.merge_late(bucket >> self.up, &mix);
            }
        }
    }

    /// What the screen shows.
    pub(super) fn runs(mut self) -> Runs {
        self.cover_to(self.to);
        self.runs
    }

    fn cover_to(&mut self, bucket: u64) {
        let (from, to) = (self.next.max(self.from), bucket.max(self.from));
        self.runs
            .cover(from, to, self.covering, self.width_ns, self.up);
    }
}

#[cfg(test)]
pub(super) mod tests {
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

    /// Intervals that overlap, of all lengths.
    pub(crate) fn intervals() -> impl Strategy<Value = Vec<Drawn>> {
        let part = (0_u64..1 << 16, 0_u64..1 << 15, 0_usize..6);
        let drawn = part.prop_map(|(begin_ns, ns, shade)| Drawn {
            index: 0,
            begin_ns,
            end_ns: begin_ns + ns,
            shade: Shade::ALL[shade],
            cause: 0,
            other: 0,
        });
        prop::collection::vec(drawn, 1..80)
    }

    /// What a screen shows is what the intervals are.
    pub(crate) fn check(runs: &Runs, intervals: &[Drawn]) {
        let grid = runs.grid();
        let mut told = vec![([0; STATES], 0); grid.count as usize];
        let mut last = None;
        let mut count = 0;
        runs.for_each(|bucket, mix| {
            assert_ne!(*mix, Mix::default());
            assert!(last < Some(bucket), "{last:?}, {bucket}");
            last = Some(bucket);
            count += 1;
            told[(bucket - grid.first) as usize] = (mix.ns, mix.count);
        });
        assert_eq!(count, runs.len());
        assert_eq!(told, plainly(intervals, grid), "{grid:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sums_are_those_of_the_intervals(
            intervals in intervals(),
            widened in 0_u32..8,
            shift in 0_u32..12,
            from in 0_u64..1 << 16,
        ) {
            let mut sums = Sums::new(2);
            intervals.iter().for_each(|drawn| sums.push(drawn));
            for _ in 0..widened {
                sums.widen();
            }
            let shift = sums.shift + shift;
            check(&sums.runs(Grid { shift, first: from >> shift, count: 40 }), &intervals);
        }
    }
}
