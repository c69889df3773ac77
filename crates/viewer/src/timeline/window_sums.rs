//! What a window has of many tracks together, from their intervals: a place a bucket, so that they may come in any order.

use crate::grid::Grid;
use crate::track::{Drawn, Mix, Runs, STATES};

/// Sums of the buckets of a window.
pub(super) struct WindowSums {
    grid: Grid,
    buckets: Vec<Bucket>,
}

#[derive(Clone, Copy, Default)]
struct Bucket {
    /// What of intervals that do not cover it is in it.
    mix: Mix,
    /// How many more intervals cover it than cover the bucket before it, by shade.
    more: [i32; STATES],
}

impl WindowSums {
    pub(super) fn new(grid: Grid) -> Self {
        Self {
            grid,
            buckets: vec![Bucket::default(); grid.count as usize],
        }
    }

    /// Adds what the window has of an interval.
    pub(super) fn push(&mut self, drawn: &Drawn) {
        let Grid { shift, first, .. } = self.grid;
        let begin = drawn.begin_ns >> shift;
        let end = begin.max(drawn.end_ns.saturating_sub(1) >> shift);
        for bucket in [begin, end].into_iter().take(1 + usize::from(end > begin)) {
            if let Some(sum) = self.bucket_mut(bucket) {
                let (from_ns, to_ns) = (bucket << shift, (bucket + 1) << shift);
                sum.mix.add(drawn, from_ns, to_ns);
            }
        }
        let place = drawn.shade.place();
        let covered = (begin + 1).max(first);
        if covered < end {
            if let Some(sum) = self.bucket_mut(covered) {
                sum.more[place] += 1;
            }
            if let Some(sum) = self.bucket_mut(end) {
                sum.more[place] -= 1;
            }
        }
    }

    /// The sum of a bucket, if the window has it.
    fn bucket_mut(&mut self, bucket: u64) -> Option<&mut Bucket> {
        let place = bucket.checked_sub(self.grid.first)?;
        self.buckets.get_mut(place as usize)
    }

    /// What a screen can show.
    pub(super) fn runs(self) -> Runs {
        let width_ns = self.grid.bucket_ns();
        let mut runs = Runs::new(self.grid);
        let mut covering = [0_i32; STATES];
        // Since when nothing has changed.
        let mut since = self.grid.first;
        for (bucket, mut sum) in (self.grid.first..).zip(self.buckets) {
            if sum.more == [0; STATES] && sum.mix.is_empty() {
                continue;
            }
            runs.cover(since, bucket, covering, width_ns, 0);
            since = bucket + 1;
            for (sum, more) in covering.iter_mut().zip(sum.more) {
                *sum += more;
            }
            sum.mix.add_covered(covering, width_ns);
            if !sum.mix.is_empty() {
                runs.mixes.push((bucket, sum.mix));
            }
        }
        let end = self.grid.first + self.grid.count;
        runs.cover(since, end, covering, width_ns, 0);
        runs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::sums::tests::{check, intervals};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_window_has_what_the_intervals_are(
            intervals in intervals(),
            shift in 0_u32..16,
            from in 0_u64..1 << 17,
        ) {
            let grid = Grid { shift, first: from >> shift, count: 40 };
            let mut sums = WindowSums::new(grid);
            intervals.iter().for_each(|drawn| sums.push(drawn));
            check(&sums.runs(), &intervals);
        }
    }
}
