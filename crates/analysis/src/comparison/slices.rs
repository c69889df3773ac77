//! Amounts by time for very many rows, each of which touches only a part of the time.

use exectrace_reader::Timestamp;

/// How many buckets of time there are at most; at the end more than half as many, if the time was long enough.
const BUCKETS_MAX: i64 = 128;
/// How wide they are at first: blocks of time are to have several.
const WIDTH_NS: i64 = 1 << 20;

/// Rows of amounts by buckets of time from a begin on. When time goes beyond the last bucket, each two become one.
#[derive(Clone, Debug)]
pub(super) struct Slices<T> {
    begin: Timestamp,
    width_ns: i64,
    rows: Vec<Vec<Slice<T>>>,
}

/// What a row has in a bucket, of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice<T> {
    pub(super) kind: T,
    pub(super) bucket: u8,
    pub(super) amount: i64,
}

impl<T> Default for Slices<T> {
    fn default() -> Self {
        Self {
            begin: Timestamp(0),
            width_ns: WIDTH_NS,
            rows: Vec::new(),
        }
    }
}

impl<T: Copy + Eq> Slices<T> {
    /// Says since when time counts: before anything is added.
    pub(super) fn begin(&mut self, begin: Timestamp) {
        self.begin = begin;
    }

    /// Adds to the bucket of a time.
    pub(super) fn add(&mut self, row: usize, kind: T, time: Timestamp, amount: i64) {
        let bucket = self.bucket(time);
        self.add_to(row, kind, bucket, amount);
    }

    /// The rows, and how wide buckets are that reach as far as a time.
    pub(super) fn until(mut self, end: Timestamp) -> (Vec<Vec<Slice<T>>>, i64) {
        self.bucket(end);
        (self.rows, self.width_ns)
    }

    fn bucket(&mut self, time: Timestamp) -> u8 {
        let since_ns = time.since_ns(self.begin).max(0);
        while since_ns / self.width_ns >= BUCKETS_MAX {
            self.halve();
        }
        (since_ns / self.width_ns) as u8
    }

    fn add_to(&mut self, row: usize, kind: T, bucket: u8, amount: i64) {
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let slices = &mut self.rows[row];
        // What a row has comes nearly in order, so that its bucket is among the last ones.
        let lately = slices.iter_mut().rev();
        let mut lately = lately.take_while(|slice| slice.bucket >= bucket);
        match lately.find(|slice| slice.bucket == bucket && slice.kind == kind) {
            Some(slice) => slice.amount = slice.amount.saturating_add(amount),
            None => slices.push(Slice {
                kind,
                bucket,
                amount,
            }),
        }
    }

    fn halve(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        for place in 0..self.rows.len() {
            for slice in std::mem::take(&mut self.rows[place]) {
                self.add_to(place, slice.kind, slice.bucket / 2, slice.amount);
            }
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
            slices.add(3, kind, Timestamp(100 + place * 7_000_000), place);
            sums[kind] += place;
        }
        let (rows, width_ns) = slices.until(Timestamp(8_000_000_000));
        assert!(width_ns * BUCKETS_MAX > 8_000_000_000 && width_ns * BUCKETS_MAX < 17_000_000_000);
        assert_eq!(rows.len(), 4);
        for (kind, sum) in sums.into_iter().enumerate() {
            let of_kind = rows[3].iter().filter(|slice| slice.kind == kind);
            assert_eq!(of_kind.map(|slice| slice.amount).sum::<i64>(), sum);
        }
        // One of each kind in a bucket.
        assert!(rows[3].len() > 64 && rows[3].len() <= 2 * BUCKETS_MAX as usize);
    }

    #[test]
    fn times_far_away_end() {
        let mut slices = Slices::default();
        slices.add(0, (), Timestamp(i64::MIN), 1);
        slices.add(0, (), Timestamp(i64::MAX), 1);
        let (rows, _) = slices.until(Timestamp(i64::MAX));
        assert_eq!(rows[0].iter().map(|slice| slice.amount).sum::<i64>(), 2);
    }
}
