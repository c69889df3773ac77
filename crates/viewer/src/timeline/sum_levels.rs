//! Levels of detail of many tracks together: from the buckets that were kept while they grew, each level's buckets are twice as wide as
//! those of the level below, or wider. A screen reads one level, where its window begins, so what it takes does not hang on how long the trace is.

use std::ops::Range;

use super::numbers::Numbers;
use super::sums::{Joining, Known, Sums};
use crate::grid::Grid;
use crate::track::{Runs, STATES, Shade};

/// A level with fewer buckets than this has none above it: it is read as a whole.
const BUCKETS_MIN: usize = 1_024;

/// Where little is going on wider buckets are hardly fewer. So much of the buckets of the level below a level has at most, in
/// eighths: else it is left out, and a screen reads those.
const KEPT_EIGHTHS: usize = 7;

/// So many buckets are put together at once, which stay in a processor's nearest cache.
const ROWS_AT_ONCE: usize = 128;

/// All levels, once nothing will come.
#[derive(Clone, Debug)]
pub(super) struct SumLevels {
    /// From the narrowest buckets to the widest.
    levels: Vec<Level>,
}

/// Buckets of one width, a column for each of what is known of them: most need few bits, and a group has tasks in few states.
#[derive(Clone, Debug)]
struct Level {
    shift: u32,
    buckets: Numbers,
    count: Numbers,
    longest_ns: Numbers,
    longest: Vec<Option<Shade>>,
    ns: [Numbers; STATES],
    covering: [Numbers; STATES],
}

impl SumLevels {
    pub(super) fn of(mut sums: Sums) -> Self {
        let mut levels = vec![Level::of(&sums)];
        let mut kept = sums.len();
        while sums.len() > BUCKETS_MIN {
            sums.widen();
            if sums.len() * 8 <= kept * KEPT_EIGHTHS || sums.len() <= BUCKETS_MIN {
                levels.push(Level::of(&sums));
                kept = sums.len();
            }
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
        let start = level.buckets.count_below(grid.begin_ns() >> level.shift);
        let end = level.buckets.count_below(grid.end_ns() >> level.shift);
        let before = start.checked_sub(1);
        let mut rows = Vec::new();
        let before = before.map_or(Known::default(), |place| {
            level.rows(place..start, &mut rows);
            rows[0].1
        });
        let mut joining = Joining::new(level.shift, before, grid);
        for from in (start..end).step_by(ROWS_AT_ONCE) {
            level.rows(from..end.min(from + ROWS_AT_ONCE), &mut rows);
            rows.iter()
                .for_each(|(bucket, known)| joining.push(*bucket, known));
        }
        joining.runs()
    }
}

impl Level {
    fn of(sums: &Sums) -> Self {
        let mut level = Self {
            shift: sums.shift,
            buckets: Numbers::default(),
            count: Numbers::default(),
            longest_ns: Numbers::default(),
            longest: Vec::with_capacity(sums.len()),
            ns: Default::default(),
            covering: Default::default(),
        };
        for (bucket, known) in sums.known() {
            level.push(bucket, &known);
        }
        let columns = level.ns.iter_mut().chain(&mut level.covering);
        let others = [&mut level.buckets, &mut level.count, &mut level.longest_ns];
        columns.chain(others).for_each(Numbers::shrink);
        level
    }

    fn push(&mut self, bucket: u64, Known { mix, covering }: &Known) {
        self.buckets.push(bucket);
        self.count.push(u64::from(mix.count));
        self.longest_ns.push(mix.longest_ns);
        self.longest.push(mix.longest);
        for (column, ns) in self.ns.iter_mut().zip(mix.ns) {
            column.push(ns);
        }
        for (column, count) in self.covering.iter_mut().zip(covering) {
            // A count of intervals; none is less than none.
            column.push(u64::try_from(*count).unwrap_or(0));
        }
    }

    /// Makes rows those of the buckets of some places, a column after the other.
    fn rows(&self, places: Range<usize>, rows: &mut Vec<(u64, Known)>) {
        rows.clear();
        rows.resize(places.len(), (0, Known::default()));
        self.buckets
            .each(&places, |row, bucket| rows[row].0 = bucket);
        self.count
            .each(&places, |row, count| rows[row].1.mix.count = count as u32);
        self.longest_ns
            .each(&places, |row, ns| rows[row].1.mix.longest_ns = ns);
        for ((_, known), longest) in rows.iter_mut().zip(&self.longest[places.clone()]) {
            known.mix.longest = *longest;
        }
        for (shade, column) in self.ns.iter().enumerate() {
            column.each(&places, |row, ns| rows[row].1.mix.ns[shade] = ns);
        }
        for (shade, column) in self.covering.iter().enumerate() {
            column.each(&places, |row, count| {
                rows[row].1.covering[shade] = count as i32
            });
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
        // Of the first step nothing comes.
        assert_eq!(lengths, [10_000, 5_000, 2_500, 1_250, 625]);
    }
}
