//! Tasks that run the same function, as one row: how many are in which state, over time.

use super::Timeline;
use crate::grid::Grid;
use crate::track::{Mix, Runs, Track};

/// So many buckets are kept of a group: a screen's.
const BUCKETS: u64 = 4_096;

/// Tasks that run the same function.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The function; empty if nothing tells it.
    pub(crate) name: String,
    /// Their lives, in the order of their first events.
    pub(crate) members: Vec<u32>,
    /// What there is of them all, in buckets of one width over the whole trace.
    shift: u32,
    mixes: Vec<Mix>,
    /// So many intervals are in them.
    pub(crate) intervals: usize,
}

impl Group {
    /// One of tasks that run a function.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Adds up what there is of all members, up to the end of the trace.
    fn settle(&mut self, tracks: &[super::TaskRow], end_ns: u64) {
        let shift = (end_ns / BUCKETS).max(1).ilog2() + 1;
        let grid = Grid::whole(end_ns, shift);
        self.mixes.clear();
        self.mixes.resize(grid.count as usize, Mix::default());
        self.shift = shift;
        self.intervals = 0;
        for &member in &self.members {
            let Some(row) = tracks.get(member as usize) else {
                continue;
            };
            self.intervals += row.track.len();
            add(&row.track, grid, &mut self.mixes);
        }
    }

    /// What a screen can show: the sums of all members in each bucket.
    pub(crate) fn runs(&self, timeline: &Timeline, grid: Grid) -> Runs {
        let mut runs = Runs::new(grid);
        if self.mixes.is_empty() || grid.shift < self.shift {
            let mut mixes = vec![Mix::default(); grid.count as usize];
            for &member in &self.members {
                if let Some(row) = timeline.tasks.get(member as usize) {
                    add(&row.track, grid, &mut mixes);
                }
            }
            runs.mixes = numbered(grid.first, &mixes);
            return runs;
        }
        let up = grid.shift - self.shift;
        let from = (grid.first << up) as usize;
        let to = ((grid.first + grid.count) << up) as usize;
        let mixes = self.mixes.get(from..to.min(self.mixes.len()));
        let mixes = numbered(grid.first << up, mixes.unwrap_or_default());
        let mixes = mixes.iter().map(|(bucket, mix)| (bucket >> up, mix));
        runs.add_all(mixes, std::iter::empty());
        runs
    }
}

/// Those that are not empty, with their numbers.
fn numbered(first: u64, mixes: &[Mix]) -> Vec<(u64, Mix)> {
    let mixes = (first..).zip(mixes.iter().copied());
    mixes.filter(|(_, mix)| mix.longest.is_some()).collect()
}

/// Adds what there is of a track to buckets, whatever the length of its intervals.
fn add(track: &Track, grid: Grid, mixes: &mut [Mix]) {
    for drawn in track.overlapping(grid.begin_ns(), grid.end_ns(), 0) {
        let begin = (drawn.begin_ns >> grid.shift).max(grid.first);
        let end = (drawn.end_ns.saturating_sub(1) >> grid.shift).max(begin);
        let last = end.min(grid.first + grid.count - 1);
        for bucket in begin..=last {
            let (from_ns, to_ns) = (bucket << grid.shift, (bucket + 1) << grid.shift);
            mixes[(bucket - grid.first) as usize].add(&drawn, from_ns, to_ns);
        }
    }
}

impl Timeline {
    /// Puts each task into its group, and adds up what there is of each.
    pub(crate) fn settle_groups(&mut self) {
        for group in &mut self.groups {
            group.members.clear();
        }
        for (life, task) in (0..).zip(&self.tasks) {
            self.groups[task.group as usize].members.push(life);
        }
        for group in &mut self.groups {
            group.settle(&self.tasks, self.end_ns);
        }
    }
}
