//! Levels of detail.
//!
//! A level has buckets of one width, four times that of the level below. An interval shorter than a bucket counts in the mixes of
//! the one or two buckets that it touches; one at least as long is kept by its number, at the level where it is long for the
//! last time. So what a screen shows at a level's width is read off: the mixes of that level, and the long intervals of that
//! level and those above, of which a screen has no more than buckets. Widths between two levels are had by joining pairs of
//! buckets.
//!
//! The lowest level is the narrowest whose mixes are few beside the intervals; a screen with narrower buckets has so few
//! intervals in each that it looks at the intervals themselves.

use std::mem;

use super::{Drawn, Mix, Runs, Track};
use crate::grid::Grid;

/// Each level's buckets are two to the power of this as wide as those of the level below.
const FAN_OUT_SHIFT: u32 = 2;

/// There are so many intervals for each bucket of the lowest level, at least.
const INTERVALS_A_BUCKET: usize = 8;

/// The levels of detail of a track, as far as it went when they were built.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    /// They know of so many intervals.
    covered: usize,
    /// From the narrowest buckets to the widest.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    /// A bucket is two to the power of this wide, in nanoseconds.
    shift: u32,
    /// Buckets with something of intervals that are shorter than a bucket, in order.
    mixes: Vec<(u64, Mix)>,
    /// The numbers of intervals that are as long as a bucket of this level, and shorter than one of the next.
    long: Vec<u32>,
}

impl Pyramid {
    /// Builds the levels of a track that has intervals.
    pub(super) fn of(track: &Track) -> Self {
        let (_, end_ns) = track.span_ns();
        let mut level = Level::lowest(track, lowest_shift(track));
        let mut levels = Vec::new();
        // The last one has a single bucket.
        while end_ns >> level.shift > 0 {
            let next = level.next(track);
            levels.push(mem::replace(&mut level, next));
        }
        levels.push(level);
        Self {
            covered: track.len(),
            levels,
        }
    }

    pub(super) fn covered(&self) -> usize {
        self.covered
    }

    /// Whether there is a level for the grid.
    pub(super) fn serves(&self, grid: Grid) -> bool {
        self.levels.first().is_some_and(|it| grid.shift >= it.shift)
    }

    /// Adds what the levels know to what a screen shows, for which there is a level.
    pub(super) fn add_to(&self, track: &Track, runs: &mut Runs) {
        let grid = runs.grid();
        let above = self.levels.partition_point(|it| it.shift <= grid.shift);
        let (below, above) = self.levels.split_at(above);
        let Some(level) = below.last() else {
            return;
        };
        let up = grid.shift - level.shift;
        let mixes = level.mixes_in(grid.first << up, (grid.first + grid.count) << up);
        let mixes = mixes.map(|(bucket, mix)| (bucket >> up, mix));
        runs.add_all(mixes, level.long_in(track, grid));
        for level in above {
            level.long_in(track, grid).for_each(|drawn| runs.add(drawn));
        }
        runs.intervals.sort_unstable_by_key(|drawn| drawn.index);
    }
}

impl Level {
    /// The first one, which still keeps all that is long.
    fn lowest(track: &Track, shift: u32) -> Self {
        let (_, end_ns) = track.span_ns();
        let mut runs = Runs::new(Grid::whole(end_ns, shift));
        for drawn in track.overlapping(0, u64::MAX, 0) {
            runs.add(drawn);
        }
        Self::of(runs)
    }

    /// The one above it, to which the intervals go up that are long there.
    fn next(&mut self, track: &Track) -> Self {
        let shift = self.shift + FAN_OUT_SHIFT;
        let (_, end_ns) = track.span_ns();
        let mut runs = Runs::new(Grid::whole(end_ns, shift));
        let mixes = self.mixes.iter();
        let mixes = mixes.map(|(bucket, mix)| (bucket >> FAN_OUT_SHIFT, mix));
        let long = self.long.iter();
        let long = long.filter_map(|index| track.interval(*index as usize));
        runs.add_all(mixes, long);
        let next = Self::of(runs);
        // Both are in order.
        let mut gone = next.long.iter().peekable();
        self.long.retain(|index| gone.next_if_eq(&index).is_none());
        self.long.shrink_to_fit();
        next
    }

    fn of(runs: Runs) -> Self {
        let shift = runs.grid().shift;
        let mut mixes = runs.mixes;
        mixes.shrink_to_fit();
        Self {
            shift,
            mixes,
            long: runs.intervals.iter().map(|drawn| drawn.index).collect(),
        }
    }

    /// The mixes of buckets from one to before another.
    fn mixes_in(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, &Mix)> {
        let start = self.mixes.partition_point(|(bucket, _)| *bucket < from);
        let mixes = self.mixes[start..].iter();
        let mixes = mixes.take_while(move |(bucket, _)| *bucket < to);
        mixes.map(|(bucket, mix)| (*bucket, mix))
    }

    /// Those of the intervals that are kept here which a screen shows something of.
    fn long_in(&self, track: &Track, grid: Grid) -> impl Iterator<Item = Drawn> {
        let (from_ns, to_ns) = (grid.begin_ns(), grid.end_ns());
        let drawn = |index: &u32| track.interval(*index as usize);
        let start = self
            .long
            .partition_point(|index| drawn(index).is_some_and(|drawn| drawn.end_ns <= from_ns));
        let drawn = self.long[start..].iter().map_while(drawn);
        drawn.take_while(move |drawn| drawn.begin_ns < to_ns)
    }
}

/// The narrowest buckets of which, and of all wider ones, few have something of intervals that are shorter than they are.
fn lowest_shift(track: &Track) -> u32 {
    let (begin_ns, end_ns) = track.span_ns();
    let most = track.len() / INTERVALS_A_BUCKET;
    // There are no more than these in all.
    let ns = (end_ns - begin_ns) / most.max(1) as u64;
    let mut shift = ns.max(1).ilog2() + 1;
    while shift > 0 {
        let buckets = short_buckets(track, shift - 1);
        if buckets > most {
            break;
        }
        shift -= 1;
        if buckets == 0 {
            break;
        }
    }
    shift
}

/// How many buckets have something of intervals that are shorter than they are.
fn short_buckets(track: &Track, shift: u32) -> usize {
    let mut buckets = 0;
    let mut next = 0;
    let intervals = track.overlapping(0, u64::MAX, 0);
    for drawn in intervals.filter(|drawn| drawn.ns() >> shift == 0) {
        let begin = (drawn.begin_ns >> shift).max(next);
        let end = (drawn.end_ns.saturating_sub(1) >> shift).max(drawn.begin_ns >> shift) + 1;
        buckets += end.saturating_sub(begin) as usize;
        next = next.max(end);
    }
    buckets
}
