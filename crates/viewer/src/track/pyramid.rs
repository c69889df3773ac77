//! Levels of detail.
//!
//! A level has buckets of one width, four times that of the level below. An interval shorter than a bucket counts in the mixes of
//! the one or two buckets that it touches; one at least as long is kept at the level where it is long for the last time. So what
//! a screen shows at a level's width is read off: the mixes of that level, and the long intervals of that level and those above,
//! of which a screen has no more than buckets. Widths between two levels are had by joining pairs of buckets.
//!
//! It is built while intervals come. A new one is put where it is long for the last time and into the mix of the next level,
//! no further: a mix goes up into the level above when the next bucket of its own level begins. What has not gone up yet is the
//! last mix of each level, which whoever reads a level adds. When a level has too many mixes beside the intervals it is
//! left out with those below, and a screen with narrower buckets than those of the next one looks at the intervals themselves, of
//! which it then has few in each.

use super::mixes::Mixes;
use super::{Drawn, IntervalList, Mix, Runs};
use crate::grid::Grid;

/// Each level's buckets are two to the power of this as wide as those of the level below.
const FAN_OUT_SHIFT: u32 = 2;

/// The narrowest buckets that the lowest level may have: a quarter of a microsecond.
const SHIFT_MIN: u32 = 8;

/// The widest, wider than any trace: what is longer is at home there.
const SHIFT_MAX: u32 = 60;

/// There are so many intervals for each bucket of the lowest level, at least.
const INTERVALS_A_BUCKET: usize = 16;

/// Fewer buckets are never too many.
const BUCKETS_MIN: usize = 128;

/// Whether levels have too many is looked at once in so many intervals.
const INTERVALS_A_LOOK: usize = 256;

/// The levels of detail of a track.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    /// They know of so many intervals.
    count: usize,
    /// From the narrowest buckets to the widest.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    /// A bucket is two to the power of this wide, in nanoseconds.
    shift: u32,
    /// Buckets with something of intervals that are shorter than a bucket, but for the last.
    mixes: Mixes,
    /// The last one, which has not gone up.
    last: Option<(u64, Mix)>,
    /// Intervals that are as long as a bucket of this level, and shorter than one of the next: once more, since they lie far apart on
    /// the track, where each would have to be fetched.
    long: IntervalList,
    /// Their numbers on the track.
    numbers: Vec<u32>,
}

impl Default for Pyramid {
    fn default() -> Self {
        let shifts = (SHIFT_MIN..=SHIFT_MAX).step_by(FAN_OUT_SHIFT as usize);
        Self {
            count: 0,
            levels: shifts.map(Level::new).collect(),
        }
    }
}

impl Pyramid {
    /// Takes in the next interval.
    pub(super) fn push(&mut self, drawn: &Drawn) {
        self.count += 1;
        let home = self.home(drawn.ns());
        if let Some(home) = home {
            self.levels[home].long.push(*drawn);
            self.levels[home].numbers.push(drawn.index);
        }
        let first = home.map_or(0, |home| home + 1);
        let Some(shift) = self.levels.get(first).map(|level| level.shift) else {
            return;
        };
        let begin = drawn.begin_ns >> shift;
        let end = begin.max(drawn.end_ns.saturating_sub(1) >> shift);
        for bucket in begin..=end {
            let mut mix = Mix::default();
            mix.add(drawn, bucket << shift, (bucket + 1) << shift);
            self.merge(first, bucket, &mix);
        }
        if self.count.is_multiple_of(INTERVALS_A_LOOK) {
            let most = BUCKETS_MIN.max(self.count / INTERVALS_A_BUCKET);
            let too_many = self.levels.iter().rposition(|it| it.len() > most);
            (0..too_many.map_or(0, |level| level + 1)).for_each(|_| self.leave_out_lowest());
        }
    }

    /// The level where an interval is long for the last time; `None` if it is shorter than all buckets.
    fn home(&self, ns: u64) -> Option<usize> {
        let lowest = self.levels[0].shift;
        let steps = ns.checked_ilog2()?.checked_sub(lowest)? / FAN_OUT_SHIFT;
        Some((steps as usize).min(self.levels.len() - 1))
    }

    /// Adds to a bucket of a level; what was its last mix goes up if that was another's.
    fn merge(&mut self, level: usize, bucket: u64, mix: &Mix) {
        let Level { mixes, last, .. } = &mut self.levels[level];
        match last {
            Some((at, known)) if *at == bucket => known.merge(mix),
            // What comes up late from below is of a bucket before, and goes up to where that has.
            Some((at, _)) if *at > bucket => {
                mixes.merge(bucket, mix);
                self.go_up(level, bucket, mix);
            }
            _ => {
                if let Some((bucket, mix)) = last.replace((bucket, *mix)) {
                    mixes.push(bucket, &mix);
                    self.go_up(level, bucket, &mix);
                }
            }
        }
    }

    fn go_up(&mut self, level: usize, bucket: u64, mix: &Mix) {
        if level + 1 < self.levels.len() {
            self.merge(level + 1, bucket >> FAN_OUT_SHIFT, mix);
        }
    }

    /// What is short for the lowest level is so for the next.
    fn leave_out_lowest(&mut self) {
        if let Some((bucket, mix)) = self.levels[0].last {
            self.go_up(0, bucket, &mix);
        }
        self.levels.remove(0);
    }

    /// Whether there is a level for the grid.
    pub(super) fn serves(&self, grid: Grid) -> bool {
        grid.shift >= self.levels[0].shift
    }

    /// What a screen shows, for which there is a level.
    pub(super) fn runs(&self, grid: Grid) -> Runs {
        let above = self.levels.partition_point(|it| it.shift <= grid.shift);
        let (below, above) = self.levels.split_at(above);
        let mut runs = Runs::new(grid);
        if let [below @ .., level] = below {
            let up = grid.shift - level.shift;
            let mixes = level.mixes_in(grid.first << up, (grid.first + grid.count) << up);
            let mixes = mixes.map(|(bucket, mix)| (bucket >> up, mix));
            runs.add_all(mixes, level.long_in(grid));
            // These have not gone up yet.
            for below in below {
                if let Some((bucket, mix)) = &below.last {
                    runs.merge_late(bucket >> (grid.shift - below.shift), mix);
                }
            }
        }
        for level in above {
            level.long_in(grid).for_each(|it| runs.add(it));
        }
        runs.intervals.sort_unstable_by_key(|drawn| drawn.index);
        runs
    }
}

impl Level {
    fn new(shift: u32) -> Self {
        Self {
            shift,
            mixes: Mixes::default(),
            last: None,
            long: IntervalList::default(),
            numbers: Vec::new(),
        }
    }

    /// How many buckets have mixes.
    fn len(&self) -> usize {
        self.mixes.len() + usize::from(self.last.is_some())
    }

    /// The mixes of buckets from one to before another.
    fn mixes_in(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, Mix)> {
        let last = self.last.filter(|(bucket, _)| (from..to).contains(bucket));
        self.mixes.between(from, to).chain(last)
    }

    /// Those of the intervals that are kept here which a screen shows something of.
    fn long_in(&self, grid: Grid) -> impl Iterator<Item = Drawn> {
        let long = self.long.intervals();
        let long = long.overlapping(grid.begin_ns(), grid.end_ns());
        long.map(|drawn| Drawn {
            index: self.numbers[drawn.index as usize],
            ..drawn
        })
    }
}
