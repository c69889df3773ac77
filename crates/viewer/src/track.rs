//! One row of the timeline: intervals one after another, and what a screen can show of them.

mod interval_list;
mod mix;
mod mixes;
mod pyramid;
mod runs;
mod shade;

pub(crate) use self::interval_list::{IntervalList, Intervals};
pub(crate) use self::mix::{Mix, STATES};
pub(crate) use self::runs::Runs;
pub(crate) use self::shade::Shade;

use self::pyramid::Pyramid;
use crate::grid::Grid;

/// An interval of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Its number on the track, the same in whatever window.
    pub(crate) index: u32,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) shade: Shade,
    /// Which of the causes it has; of a worker's or thread's track the life that ran.
    pub(crate) cause: u32,
    /// What else is to be known: of a running task its worker, of one in the queue who woke it; 0 for none.
    pub(crate) other: u32,
}

/// One row of the timeline. Of a long one levels of detail are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    list: IntervalList,
    pyramid: Option<Box<Pyramid>>,
}

/// A shorter track is looked at as a whole in less time than its pyramid would take.
pub(crate) const PYRAMID_INTERVALS_MIN: u32 = 1_024;

impl Drawn {
    pub(crate) fn ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}

impl Track {
    /// Appends an interval, and gives it as it is then.
    pub(crate) fn push(&mut self, drawn: Drawn) -> Drawn {
        let drawn = self.list.push(drawn);
        if let Some(pyramid) = &mut self.pyramid {
            pyramid.push(&drawn);
        } else if self.list.len() == PYRAMID_INTERVALS_MIN {
            let mut pyramid = Pyramid::default();
            self.intervals().iter().for_each(|it| pyramid.push(&it));
            self.pyramid = Some(Box::new(pyramid));
        }
        drawn
    }

    /// Nothing comes after what there is.
    pub(crate) fn finish(&mut self) {
        self.list.shrink();
    }

    pub(crate) fn intervals(&self) -> Intervals<'_> {
        self.list.intervals()
    }

    /// What a screen can show: intervals at least as long as a bucket, and in each bucket what there is of shorter ones.
    pub(crate) fn runs(&self, grid: Grid) -> Runs {
        match &self.pyramid {
            Some(pyramid) if pyramid.serves(grid) => pyramid.runs(grid),
            _ => runs(self.intervals(), grid),
        }
    }
}

/// What a screen can show, from the intervals alone.
pub(crate) fn runs(intervals: Intervals<'_>, grid: Grid) -> Runs {
    let mut runs = Runs::new(grid);
    for drawn in intervals.overlapping(grid.begin_ns(), grid.end_ns()) {
        runs.add(drawn);
    }
    runs
}

#[cfg(test)]
mod tests;
