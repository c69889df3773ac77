//! Tasks that run the same function, as one row: how many are in which state, over time.

use super::members::Members;
use super::sum_levels::SumLevels;
use super::sums::Sums;
use super::window_sums::WindowSums;
use crate::grid::Grid;
use crate::track::{Drawn, Runs};

/// So many buckets are kept of a group, a screen's; when there are more they become twice as wide.
const BUCKETS_MIN: usize = 4_096;

/// Of a group that has more intervals a bucket is kept for so few, up to so many buckets, so that most of the trace can be seen without
/// a look at each of its intervals.
const INTERVALS_A_FINE_BUCKET: usize = 8;
const FINE_BUCKETS_MAX: usize = 16_384;

/// Of a group that has many intervals a bucket is kept for so many: a narrow window, whose intervals are looked at one by one, has
/// not many more.
const INTERVALS_A_BUCKET: usize = 32;

/// Fewer intervals are put into order, since a place for each bucket of a window would take longer.
const FEW: usize = 256;

/// Tasks that run the same function.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The function; empty if nothing tells it.
    pub(crate) name: String,
    /// Their lives.
    pub(crate) members: Members,
    /// So many intervals they have.
    pub(crate) intervals: usize,
    state: Summed,
}

/// What is known of all members together.
#[derive(Debug)]
enum Summed {
    /// Others may come.
    Growing(Sums),
    /// None will.
    Whole(SumLevels),
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
        let Summed::Growing(sums) = &mut self.state else {
            return;
        };
        self.intervals += 1;
        sums.push(drawn);
        while sums.len() > buckets_max(self.intervals) {
            sums.widen();
        }
    }

    /// No interval will come.
    pub(super) fn finish(&mut self) {
        if let Summed::Growing(sums) = &mut self.state {
            self.state = Summed::Whole(SumLevels::of(std::mem::take(sums)));
        }
    }

    /// What a screen can show: the sums of all members in each bucket. `intervals` are those that a member has in a stretch of time.
    pub(crate) fn runs<I: Iterator<Item = Drawn>>(
        &self,
        grid: Grid,
        intervals: impl Fn(u32, u64, u64) -> I,
    ) -> Runs {
        match &self.state {
            Summed::Growing(sums) if grid.shift >= sums.shift => return sums.runs(grid),
            Summed::Whole(levels) if grid.shift >= levels.shift() => return levels.runs(grid),
            _ => {}
        }
        // Where more is seen than was kept few intervals are in the window.
        self.runs_of_members(grid, intervals)
    }

    /// The same from the members' intervals alone.
    pub(super) fn runs_of_members<I: Iterator<Item = Drawn>>(
        &self,
        grid: Grid,
        intervals: impl Fn(u32, u64, u64) -> I,
    ) -> Runs {
        let (from_ns, to_ns) = (grid.begin_ns(), grid.end_ns());
        let members = self.members.near(from_ns, to_ns);
        let mut few = Vec::new();
        let mut many: Option<WindowSums> = None;
        for member in members {
            for drawn in intervals(member, from_ns, to_ns) {
                match &mut many {
                    Some(sums) => sums.push(&drawn),
                    None => few.push(drawn),
                }
            }
            if many.is_none() && few.len() > FEW {
                let sums = many.insert(WindowSums::new(grid));
                few.iter().for_each(|drawn| sums.push(drawn));
            }
        }
        if let Some(sums) = many {
            return sums.runs();
        }
        let mut sums = Sums::new(grid.shift);
        few.iter().for_each(|drawn| sums.push(drawn));
        sums.runs(grid)
    }
}

/// How many buckets are kept of a group that has so many intervals.
fn buckets_max(intervals: usize) -> usize {
    let fine = FINE_BUCKETS_MAX.min(intervals / INTERVALS_A_FINE_BUCKET);
    BUCKETS_MIN.max(fine).max(intervals / INTERVALS_A_BUCKET)
}

impl Default for Summed {
    fn default() -> Self {
        Self::Growing(Sums::default())
    }
}
