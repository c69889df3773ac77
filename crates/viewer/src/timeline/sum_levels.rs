//! Levels of detail of many tracks together: from the buckets that were kept while they grew, each level's twice as wide as those of
//! the level below. A screen reads one level, where its window begins, so what it takes does not hang on how long the trace is.

use super::sums::{self, Known, Sums};
use crate::grid::Grid;
use crate::track::Runs;

/// A level with fewer buckets than this has none above it: it is read as a whole.
const BUCKETS_MIN: usize = 1_024;

/// All levels, once nothing will come.
#[derive(Clone, Debug)]
pub(super) struct SumLevels {
    /// From the narrowest buckets to the widest.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    shift: u32,
    buckets: Vec<(u64, Known)>,
}

impl SumLevels {
    pub(super) fn of(mut sums: Sums) -> Self {
        let mut levels = vec![Level::of(&sums)];
        while sums.len() > BUCKETS_MIN {
            sums.widen();
            levels.push(Level::of(&sums));
        }
        Self { levels }
    }

    /// How wide the narrowest buckets are, as a power of two.
    pub(super) fn shift(&self) -> u32 {
        self.levels[0].shift
    }

    /// What a screen can show, whose buckets are as wide as the narrowest or wider.
    pub(super) fn runs(&self, grid: Grid) -> Runs {
        let above = self
            .levels
            .partition_point(|level| level.shift <= grid.shift);
        let level = &self.levels[above.saturating_sub(1)];
        let from_ns = grid.begin_ns();
        let start = level
            .buckets
            .partition_point(|(bucket, _)| bucket << level.shift < from_ns);
        let (before, buckets) = level.buckets.split_at(start);
        let before = before.last().map_or(Known::default(), |(_, known)| *known);
        sums::runs(level.shift, before, buckets.iter().copied(), grid)
    }
}

impl Level {
    fn of(sums: &Sums) -> Self {
        let mut buckets = Vec::with_capacity(sums.len());
        buckets.extend(sums.known());
        Self {
            shift: sums.shift,
            buckets,
        }
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
        fn all_levels_show_what_the_intervals_are(
            intervals in intervals(),
            shift in 0_u32..16,
            from in 0_u64..1 << 17,
        ) {
            let mut sums = Sums::new(2);
            intervals.iter().for_each(|drawn| sums.push(drawn));
            let mut levels = SumLevels { levels: vec![Level::of(&sums)] };
            for _ in 0..10 {
                sums.widen();
                levels.levels.push(Level::of(&sums));
            }
            let shift = levels.shift() + shift;
            check(&levels.runs(Grid { shift, first: from >> shift, count: 40 }), &intervals);
        }
    }

    #[test]
    fn a_long_one_has_levels_until_one_is_short() {
        let mut sums = Sums::new(10);
        for number in 0..10_000_u64 {
            sums.push(&crate::track::Drawn {
                index: 0,
                begin_ns: number << 11,
                end_ns: (number << 11) + 9,
                shade: crate::track::Shade::Running,
                cause: 0,
                other: 0,
            });
        }
        let levels = SumLevels::of(sums);
        let lengths: Vec<_> = levels.levels.iter().map(|it| it.buckets.len()).collect();
        assert_eq!(lengths, [10_000, 10_000, 5_000, 2_500, 1_250, 625]);
    }
}
