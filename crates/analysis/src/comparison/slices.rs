//! Amounts by time for very many rows, each of which touches only a part of the time.
//!
//! There are millions of rows, and most have two or three slices: so all slices lie in one list, 16 bytes each, those of a row
//! chained from the latest on.

use exectrace_reader::Timestamp;

/// How many buckets of time there are at most; at the end more than half as many, if the time was long enough.
const BUCKETS_MAX: i64 = 1 << BUCKET_BITS;
/// How wide they are at first: blocks of time are to have several.
const WIDTH_NS: i64 = 1 << 20;

/// How many bits of a slice tell its bucket; the rest tells of which kind it is.
const BUCKET_BITS: u32 = 7;

/// The largest kind: what is beyond counts as that.
pub(super) const KIND_MAX: u32 = u32::MAX >> BUCKET_BITS;

/// The place of no slice.
const NONE: u32 = u32::MAX;

/// Rows of amounts by buckets of time from a begin on. When time goes beyond the last bucket, each two become one.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    begin: Timestamp,
    width_ns: i64,
    /// The latest slice of each row.
    latest: Vec<u32>,
    all: Vec<Chained>,
    /// Slices that are no more, chained, too.
    free: u32,
}

/// What a row has in a bucket, of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) kind: u32,
    pub(super) bucket: u8,
    pub(super) amount: i64,
}

/// A slice, and which one came before it.
#[derive(Clone, Copy, Debug)]
struct Chained {
    amount: i64,
    kind_and_bucket: u32,
    before: u32,
}

impl Default for Slices {
    fn default() -> Self {
        Self {
            begin: Timestamp(0),
            width_ns: WIDTH_NS,
            latest: Vec::new(),
            all: Vec::new(),
            free: NONE,
        }
    }
}

impl Chained {
    fn bucket(&self) -> u8 {
        (self.kind_and_bucket & ((1 << BUCKET_BITS) - 1)) as u8
    }

    fn kind(&self) -> u32 {
        self.kind_and_bucket >> BUCKET_BITS
    }

    fn set(&mut self, kind: u32, bucket: u8) {
        self.kind_and_bucket = kind.min(KIND_MAX) << BUCKET_BITS | u32::from(bucket);
    }
}

impl Slices {
    /// Says since when time counts: before anything is added.
    pub(super) fn begin(&mut self, begin: Timestamp) {
        self.begin = begin;
    }

    /// Adds to the bucket of a time.
    ///
    /// # Panics
    ///
    /// When there are four billion slices, which do not fit into memory.
    pub(super) fn add(&mut self, row: usize, kind: u32, time: Timestamp, amount: i64) {
        let bucket = self.bucket(time);
        if self.latest.len() <= row {
            self.latest.resize(row + 1, NONE);
        }
        // What a row has comes nearly in order, so that its bucket is among the last ones.
        let kind = kind.min(KIND_MAX);
        let mut place = self.latest[row];
        while place != NONE {
            let slice = &mut self.all[place as usize];
            if slice.bucket() < bucket {
                break;
            }
            if slice.bucket() == bucket && slice.kind() == kind {
                slice.amount = slice.amount.saturating_add(amount);
                return;
            }
            place = slice.before;
        }
        let mut slice = Chained {
            amount,
            kind_and_bucket: 0,
            before: self.latest[row],
        };
        slice.set(kind, bucket);
        self.latest[row] = self.keep(slice);
    }

    /// Says how far time goes; the answer is how wide buckets are that reach so far.
    pub(super) fn until(&mut self, end: Timestamp) -> i64 {
        self.bucket(end);
        self.width_ns
    }

    /// What a row has, the latest first.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = Slice> {
        let at = |place: u32| self.all.get(place as usize);
        let latest = self.latest.get(row).and_then(|&place| at(place));
        let chain = std::iter::successors(latest, move |slice| at(slice.before));
        chain.map(|slice| Slice {
            kind: slice.kind(),
            bucket: slice.bucket(),
            amount: slice.amount,
        })
    }

    fn keep(&mut self, slice: Chained) -> u32 {
        if let Some(free) = self.all.get_mut(self.free as usize) {
            let place = std::mem::replace(&mut self.free, free.before);
            *free = slice;
            return place;
        }
        let place = u32::try_from(self.all.len()).ok();
        let place = place.filter(|&place| place != NONE);
        self.all.push(slice);
        place.expect("fewer slices than 32 bits count")
    }

    fn bucket(&mut self, time: Timestamp) -> u8 {
        let since_ns = time.since_ns(self.begin).max(0);
        while since_ns / self.width_ns >= BUCKETS_MAX {
            self.halve();
        }
        (since_ns / self.width_ns) as u8
    }

    fn halve(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        let mut kept = Vec::new();
        for row in 0..self.latest.len() {
            self.halve_row(self.latest[row], &mut kept);
        }
    }

    /// Makes one slice of those of a kind that have one bucket now: the latest of them.
    fn halve_row(&mut self, latest: u32, kept: &mut Vec<u32>) {
        // Those of the last bucket that was seen.
        kept.clear();
        let (mut place, mut last) = (latest, NONE);
        while place != NONE {
            let slice = &mut self.all[place as usize];
            let (kind, bucket) = (slice.kind(), slice.bucket() / 2);
            slice.set(kind, bucket);
            let Chained { amount, before, .. } = *slice;
            kept.retain(|&kept| self.all[kept as usize].bucket() == bucket);
            let same = kept
                .iter()
                .find(|&&kept| self.all[kept as usize].kind() == kind);
            if let Some(&same) = same {
                let same = &mut self.all[same as usize];
                same.amount = same.amount.saturating_add(amount);
                self.all[last as usize].before = before;
                self.all[place as usize].before = std::mem::replace(&mut self.free, place);
            } else {
                kept.push(place);
                last = place;
            }
            place = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stays_there_whatever_the_width() {
        let mut slices = Slices::default();
        slices.begin(Timestamp(100));
        let mut sums = [0, 0];
        for place in 0..1_000 {
            let kind = usize::from(place % 3 == 0);
            slices.add(3, kind as u32, Timestamp(100 + place * 7_000_000), place);
            slices.add(1, 0, Timestamp(100 + place * 7_000_000), 1);
            sums[kind] += place;
        }
        let width_ns = slices.until(Timestamp(8_000_000_000));
        assert!(width_ns * BUCKETS_MAX > 8_000_000_000 && width_ns * BUCKETS_MAX < 17_000_000_000);
        for (kind, sum) in (0..).zip(sums) {
            let of_kind = slices.row(3).filter(|slice| slice.kind == kind);
            assert_eq!(of_kind.map(|slice| slice.amount).sum::<i64>(), sum);
        }
        assert_eq!(slices.row(1).map(|slice| slice.amount).sum::<i64>(), 1_000);
        assert_eq!(slices.row(0).count() + slices.row(4).count(), 0);
        // One of each kind in a bucket, and no more room than for some that were there at once.
        let mut seen: Vec<(u32, u8)> = slices.row(3).map(|it| (it.kind, it.bucket)).collect();
        let count = seen.len();
        assert!(count > 64 && count <= 2 * BUCKETS_MAX as usize);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(slices.all.len() <= 3 * BUCKETS_MAX as usize);
    }

    #[test]
    fn times_far_away_end() {
        let mut slices = Slices::default();
        slices.add(0, 0, Timestamp(i64::MIN), 1);
        slices.add(0, u32::MAX, Timestamp(i64::MAX), 1);
        slices.until(Timestamp(i64::MAX));
        let kept: Vec<(u32, i64)> = slices.row(0).map(|it| (it.kind, it.amount)).collect();
        assert_eq!(kept, [(KIND_MAX, 1), (0, 1)]);
    }
}
