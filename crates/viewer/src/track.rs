//! One row of the timeline: intervals one after another, and what a screen can show of them.

mod mix;
mod pyramid;
mod runs;

pub(crate) use self::mix::{Mix, STATES};
pub(crate) use self::runs::Runs;

use self::pyramid::Pyramid;
use crate::grid::Grid;

/// A state as tracks show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Shade {
    /// Nothing is there.
    Nothing,
    /// A task runs.
    Running,
    /// It could, if it had a worker.
    Runnable,
    /// It waits for something.
    Waiting,
    /// It is in a system call.
    Syscall,
    /// What it does is not told.
    Undetermined,
    /// Something that has a begin and an end is between them.
    Open,
}

/// Bits of a shade beside a begin.
const SHADE_BITS: u32 = 3;

/// An interval of a track, which ends where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    begin_and_shade: u64,
    /// Which of the causes it has: of a worker's or thread's track which task ran.
    pub(crate) cause: u32,
    /// What else is to be known: of a running task its worker, of one in the queue who woke it; 0 for none.
    pub(crate) other: u32,
}

/// An interval with its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Its number on the track, the same in whatever window.
    pub(crate) index: u32,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) shade: Shade,
    pub(crate) cause: u32,
    pub(crate) other: u32,
}

/// One row of the timeline.
///
/// Intervals lie end to end, with [`Shade::Nothing`] where there is none. Of long tracks a pyramid of levels of detail is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    intervals: Vec<Packed>,
    /// Where the last one ends.
    end_ns: u64,
    pyramid: Option<Box<Pyramid>>,
    pub(crate) is_open_left: bool,
    pub(crate) is_open_right: bool,
}

/// A shorter track is looked at as a whole in less time than its pyramid would take.
const PYRAMID_INTERVALS_MIN: usize = 2_048;

impl Shade {
    /// In the order of their numbers.
    const ALL: [Self; 1 << SHADE_BITS] = [
        Self::Nothing,
        Self::Running,
        Self::Runnable,
        Self::Waiting,
        Self::Syscall,
        Self::Undetermined,
        Self::Open,
        Self::Nothing,
    ];
}

impl Packed {
    fn new(begin_ns: u64, shade: Shade, cause: u32, other: u32) -> Self {
        Self {
            begin_and_shade: begin_ns << SHADE_BITS | shade as u64,
            cause,
            other,
        }
    }

    fn begin_ns(self) -> u64 {
        self.begin_and_shade >> SHADE_BITS
    }

    fn shade(self) -> Shade {
        Shade::ALL[(self.begin_and_shade & ((1 << SHADE_BITS) - 1)) as usize]
    }
}

impl Drawn {
    pub(crate) fn ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}

impl Track {
    /// Appends an interval. One that begins before the last has ended, as only a damaged trace tells of, is taken from there on.
    pub(crate) fn push(&mut self, drawn: Drawn) {
        let begin_ns = drawn.begin_ns.max(self.end_ns);
        if begin_ns > self.end_ns && !self.intervals.is_empty() {
            let gap = Packed::new(self.end_ns, Shade::Nothing, 0, 0);
            self.intervals.push(gap);
        }
        let packed = Packed::new(begin_ns, drawn.shade, drawn.cause, drawn.other);
        self.intervals.push(packed);
        self.end_ns = drawn.end_ns.max(begin_ns);
    }

    /// How many intervals there are, those of nothing too.
    pub(crate) fn len(&self) -> usize {
        self.intervals.len()
    }

    /// From when to when there is anything.
    pub(crate) fn span_ns(&self) -> (u64, u64) {
        let begin_ns = self.intervals.first().map_or(0, |first| first.begin_ns());
        (begin_ns, self.end_ns)
    }

    /// The interval of a number; `None` also for one of nothing.
    pub(crate) fn interval(&self, index: usize) -> Option<Drawn> {
        let packed = *self.intervals.get(index)?;
        let drawn = self.drawn(index, packed);
        (drawn.shade != Shade::Nothing).then_some(drawn)
    }

    /// The interval at a time: of several the last that has begun.
    pub(crate) fn at(&self, ns: u64) -> Option<Drawn> {
        let after = self
            .intervals
            .partition_point(|packed| packed.begin_ns() <= ns);
        let drawn = self.interval(after.checked_sub(1)?)?;
        (ns <= drawn.end_ns).then_some(drawn)
    }

    /// Builds the levels of detail anew, if that is worth its time by now.
    pub(crate) fn settle(&mut self) {
        let covered = self.pyramid.as_ref().map_or(0, |pyramid| pyramid.covered());
        if self.len() >= PYRAMID_INTERVALS_MIN.max(2 * covered) {
            self.pyramid = Some(Box::new(Pyramid::of(self)));
        }
    }

    /// The same at the end of the trace: nothing comes after it.
    pub(crate) fn finish(&mut self) {
        self.intervals.shrink_to_fit();
        let covered = self.pyramid.as_ref().map_or(0, |pyramid| pyramid.covered());
        if self.len() >= PYRAMID_INTERVALS_MIN && covered < self.len() {
            self.pyramid = Some(Box::new(Pyramid::of(self)));
        }
    }

    /// What a screen can show: intervals at least as long as a bucket, and in each bucket what there is of shorter ones.
    pub(crate) fn runs(&self, grid: Grid) -> Runs {
        let mut runs = Runs::new(grid);
        let mut rest = 0;
        if let Some(pyramid) = self.pyramid.as_ref().filter(|it| it.serves(grid)) {
            pyramid.add_to(self, &mut runs);
            rest = pyramid.covered();
        }
        for drawn in self.overlapping(grid.begin_ns(), grid.end_ns(), rest) {
            runs.add(drawn);
        }
        runs
    }

    /// The intervals, from a number on, that a stretch of time has something of; those of no length too.
    pub(crate) fn overlapping(
        &self,
        from_ns: u64,
        to_ns: u64,
        index: usize,
    ) -> impl Iterator<Item = Drawn> {
        let rest = self.intervals.get(index..).unwrap_or_default();
        let begun = rest.partition_point(|packed| packed.begin_ns() < from_ns);
        // The one before may reach into the stretch.
        let start = index + begun.saturating_sub(1);
        let rest = self.intervals.get(start..).unwrap_or_default();
        let rest = rest
            .iter()
            .take_while(move |packed| packed.begin_ns() < to_ns);
        let drawn = rest
            .enumerate()
            .map(move |(place, packed)| self.drawn(start + place, *packed));
        drawn.filter(move |drawn| {
            let is_in = drawn.end_ns > from_ns || drawn.begin_ns >= from_ns;
            is_in && drawn.shade != Shade::Nothing
        })
    }

    fn drawn(&self, index: usize, packed: Packed) -> Drawn {
        let next = self.intervals.get(index + 1);
        Drawn {
            index: index as u32,
            begin_ns: packed.begin_ns(),
            end_ns: next.map_or(self.end_ns, |next| next.begin_ns()),
            shade: packed.shade(),
            cause: packed.cause,
            other: packed.other,
        }
    }
}

#[cfg(test)]
mod tests;
