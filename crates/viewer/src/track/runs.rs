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
    /// Buckets that the same intervals cover, and that have nothing else: the first, how many, and what each has; in order.
    covered: Vec<(u64, u64, Mix)>,
}

impl Runs {
    pub(crate) fn new(grid: Grid) -> Self {
        Self {
            grid,
            intervals: Vec::new(),
            mixes: Vec::new(),
            covered: Vec::new(),
        }
    }

    /// How many buckets have something of short intervals, or of any where there are no others.
    pub(crate) fn len(&self) -> usize {
        let covered = self.covered.iter();
        self.mixes.len() + covered.map(|(_, count, _)| *count as usize).sum::<usize>()
    }

    /// Looks at each of these, in order.
    pub(crate) fn for_each(&self, mut look: impl FnMut(u64, &Mix)) {
        self.for_each_stretch(|first, count, mix| {
            (first..first + count).for_each(|bucket| look(bucket, mix));
        });
    }

    /// Looks at each of these, in order, and at all that follow on each other and have the same at once: the first, how many, and
    /// what each has.
    pub(crate) fn for_each_stretch(&self, mut look: impl FnMut(u64, u64, &Mix)) {
        let mut covered = self.covered.iter().peekable();
        for (bucket, mix) in &self.mixes {
            while let Some((first, count, mix)) = covered.next_if(|(first, ..)| first < bucket) {
                look(*first, *count, mix);
            }
            look(*bucket, 1, mix);
        }
        covered.for_each(|(first, count, mix)| look(*first, *count, mix));
    }

    /// The most time in a bucket.
    pub(crate) fn most_ns(&self) -> u64 {
        let mixes = self.mixes.iter().map(|(_, mix)| mix);
        let mixes = mixes.chain(self.covered.iter().map(|(_, _, mix)| mix));
        mixes.map(|mix| mix.ns.iter().sum()).max().unwrap_or(0)
    }

    pub(crate) fn grid(&self) -> Grid {
        self.grid
    }

    /// Adds an interval that the window has something of.
    #[inline]
    pub(crate) fn add(&mut self, drawn: Drawn) {
        let bucket_ns = self.grid.bucket_ns();
        if drawn.ns() >= bucket_ns {
            self.intervals.push(drawn);
            return;
        }
        // Usually it lies in the last bucket.
        if let Some((bucket, mix)) = self.mixes.last_mut() {
            let from_ns = *bucket << self.grid.shift;
            if drawn.begin_ns.wrapping_sub(from_ns) < bucket_ns
                && drawn.end_ns - from_ns <= bucket_ns
            {
                mix.add_whole(&drawn);
                return;
            }
        }
        self.add_short(&drawn);
    }

    /// Adds what is known of buckets, and intervals, both in order of time.
    pub(crate) fn add_all(
        &mut self,
        mixes: impl Iterator<Item = (u64, Mix)>,
        intervals: impl Iterator<Item = Drawn>,
    ) {
        let mut mixes = mixes.peekable();
        for drawn in intervals {
            // In order, or each bucket would have to be put between others.
            let begin = drawn.begin_ns >> self.grid.shift;
            while let Some((bucket, mix)) = mixes.next_if(|(bucket, _)| *bucket <= begin) {
                self.merge(bucket, &mix);
            }
            self.add(drawn);
        }
        for (bucket, mix) in mixes {
            self.merge(bucket, &mix);
        }
    }

    /// Adds what is known of a bucket, if the window has it.
    pub(crate) fn merge_late(&mut self, bucket: u64, mix: &Mix) {
        if (self.grid.first..self.grid.first + self.grid.count).contains(&bucket) {
            self.merge(bucket, mix);
        }
    }

    /// Adds what covers narrow buckets from one to before another, two to the power of `up` of which are one of these, by shade. All
    /// are in the window.
    pub(crate) fn cover(
        &mut self,
        from: u64,
        to: u64,
        count: [i32; STATES],
        width_ns: u64,
        up: u32,
    ) {
        if count == [0; STATES] || from >= to {
            return;
        }
        // Wide buckets that are covered whole have nothing else.
        let (first, end) = (from.div_ceil(1 << up), to >> up);
        if first < end {
            let mut whole = Mix::default();
            whole.add_covered(count, width_ns << up);
            self.covered.push((first, end - first, whole));
        }
        let parts = if first <= end {
            [from..first << up, end << up..to]
        } else {
            [from..to, to..to]
        };
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            self.mix_mut(part.start >> up)
                .add_covered(count, (part.end - part.start) * width_ns);
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

    /// Adds what is known of a bucket, or of a part of it. Usually nothing else is known of it, or it is the last one.
    fn merge(&mut self, bucket: u64, mix: &Mix) {
        if self.mixes.last().is_none_or(|(last, _)| *last < bucket) {
            self.mixes.push((bucket, *mix));
        } else {
            self.mix_mut(bucket).merge(mix);
        }
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
