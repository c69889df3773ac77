//! What a screen can show of a track.

use super::{Drawn, Mix, STATES};
use crate::grid::Grid;

/// What a screen can show of a track: intervals that are long enough to be seen, and mixes of those that are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    grid: Grid,
    /// Intervals at least as long as a bucket, in order.
    pub(crate) intervals: Vec<Drawn>,
    /// Buckets with something of shorter ones, in order, by their numbers from the begin of the trace.
    pub(crate) mixes: Vec<(u64, Mix)>,
}

impl Runs {
    pub(crate) fn new(grid: Grid) -> Self {
        Self {
            grid,
            intervals: Vec::new(),
            mixes: Vec::new(),
        }
    }

    pub(crate) fn grid(&self) -> Grid {
        self.grid
    }

    /// Adds an interval that the window has something of.
    pub(crate) fn add(&mut self, drawn: Drawn) {
        if drawn.ns() >= self.grid.bucket_ns() {
            self.intervals.push(drawn);
        } else {
            self.add_short(&drawn);
        }
    }

    /// Adds what is known of buckets, and intervals, both in order of time.
    pub(crate) fn add_all<'a>(
        &mut self,
        mixes: impl Iterator<Item = (u64, &'a Mix)>,
        intervals: impl Iterator<Item = Drawn>,
    ) {
        let mut mixes = mixes.peekable();
        for drawn in intervals {
            // In order, or each bucket would have to be put between others.
            let begin = drawn.begin_ns >> self.grid.shift;
            while let Some((bucket, mix)) = mixes.next_if(|(bucket, _)| *bucket <= begin) {
                self.merge(bucket, mix);
            }
            self.add(drawn);
        }
        for (bucket, mix) in mixes {
            self.merge(bucket, mix);
        }
    }

    /// Adds what is known of a bucket, if the window has it.
    pub(crate) fn merge_late(&mut self, bucket: u64, mix: &Mix) {
        if (self.grid.first..self.grid.first + self.grid.count).contains(&bucket) {
            self.merge(bucket, mix);
        }
    }

    /// Adds what covers narrow buckets from one to before another, two to the power of `up` of which are one of these, by shade.
    pub(crate) fn cover(
        &mut self,
        mut from: u64,
        to: u64,
        count: [i32; STATES],
        width_ns: u64,
        up: u32,
    ) {
        if count == [0; STATES] {
            return;
        }
        while from < to {
            let bucket = from >> up;
            let end = to.min((bucket + 1) << up);
            let mut mix = Mix::default();
            mix.add_covered(count, (end - from) * width_ns);
            self.merge_late(bucket, &mix);
            from = end;
        }
    }

    /// Adds a short interval to the one or two buckets that have something of it.
    fn add_short(&mut self, drawn: &Drawn) {
        let Grid {
            shift,
            first,
            count,
        } = self.grid;
        let begin = drawn.begin_ns >> shift;
        // Where a bucket begins another ends: nothing of the interval is in the one that it only touches.
        let end = begin.max(drawn.end_ns.saturating_sub(1) >> shift);
        let bounds = first..first + count;
        for bucket in (begin..=end).filter(|bucket| bounds.contains(bucket)) {
            let (from_ns, to_ns) = (bucket << shift, (bucket + 1) << shift);
            self.mix_mut(bucket).add(drawn, from_ns, to_ns);
        }
    }

    /// Adds what is known of a bucket, or of a part of it.
    fn merge(&mut self, bucket: u64, mix: &Mix) {
        self.mix_mut(bucket).merge(mix);
    }

    /// The mix of a bucket. Usually it is the last one, or comes after it.
    fn mix_mut(&mut self, bucket: u64) -> &mut Mix {
        let place = match self.mixes.last() {
            Some((last, _)) if *last == bucket => self.mixes.len() - 1,
            Some((last, _)) if *last > bucket => {
                let found = self.mixes.binary_search_by_key(&bucket, |(at, _)| *at);
                found.unwrap_or_else(|place| {
                    self.mixes.insert(place, (bucket, Mix::default()));
                    place
                })
            }
            _ => {
                self.mixes.push((bucket, Mix::default()));
                self.mixes.len() - 1
            }
        };
        &mut self.mixes[place].1
    }
}
