//! Values by time, in a bounded number of buckets whose width is not known in advance.

use exectrace_reader::Timestamp;

/// How many buckets there are at most; at the end at least half as many, if the time was long enough.
const BUCKETS_MAX: usize = 128;
/// How wide they are at first.
const WIDTH_NS: i64 = 1_024;

/// What a bucket holds.
pub(crate) trait Bucket: Copy + Default {
    /// Takes in the bucket after it.
    fn merge(&mut self, later: Self);
}

/// Buckets of equal width from a begin on. When time goes beyond the last one, each two become one.
#[derive(Clone, Debug)]
pub(crate) struct TimeBuckets<T> {
    begin: Timestamp,
    width_ns: i64,
    buckets: Vec<T>,
}

impl<T: Bucket> TimeBuckets<T> {
    pub(crate) fn new(begin: Timestamp) -> Self {
        Self {
            begin,
            width_ns: WIDTH_NS,
            buckets: Vec::new(),
        }
    }

    pub(crate) fn width_ns(&self) -> i64 {
        self.width_ns
    }

    /// All up to the last that was used.
    pub(crate) fn buckets(&self) -> &[T] {
        &self.buckets
    }

    /// The bucket of a time; one before the begin is in the first.
    pub(crate) fn at(&mut self, time: Timestamp) -> &mut T {
        let place = self.place(time);
        &mut self.buckets[place]
    }

    /// Gives each bucket that a stretch of time touches how much of it is in it.
    pub(crate) fn spread(
        &mut self,
        begin: Timestamp,
        end: Timestamp,
        mut add: impl FnMut(&mut T, i64),
    ) {
        if end <= begin {
            return;
        }
        self.place(end);
        let first = self.place(begin);
        let since_ns = (first as i64).saturating_mul(self.width_ns);
        let mut from = self.begin.0.saturating_add(since_ns);
        for bucket in &mut self.buckets[first..] {
            let to = from.saturating_add(self.width_ns);
            let part = end.0.min(to).saturating_sub(begin.0.max(from));
            if part <= 0 {
                break;
            }
            add(bucket, part);
            from = to;
        }
    }

    fn place(&mut self, time: Timestamp) -> usize {
        let since_ns = time.since_ns(self.begin).max(0);
        while since_ns / self.width_ns >= BUCKETS_MAX as i64 {
            self.halve();
        }
        let place = (since_ns / self.width_ns) as usize;
        if place >= self.buckets.len() {
            self.buckets.resize(place + 1, T::default());
        }
        place
    }

    fn halve(&mut self) {
        let pairs = self.buckets.chunks(2).map(|pair| {
            let mut bucket = pair[0];
            if let Some(&later) = pair.get(1) {
                bucket.merge(later);
            }
            bucket
        });
        self.buckets = pairs.collect();
        self.width_ns = self.width_ns.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spread_is_all_there_whatever_the_width() {
        let mut buckets = TimeBuckets::<i64>::new(Timestamp(100));
        let mut sum = 0;
        for (begin, end) in [
            (100, 110),
            (50, 100),
            (1_000, 200_000),
            (7, 7),
            (300_000, 90_000_000),
        ] {
            buckets.spread(Timestamp(begin), Timestamp(end), |bucket, ns| *bucket += ns);
            // What lies before the begin is in none.
            sum += (end - begin.max(100)).max(0);
        }
        assert_eq!(buckets.buckets().iter().sum::<i64>(), sum);
        assert!(
            buckets.buckets().len() > BUCKETS_MAX / 2 && buckets.buckets().len() <= BUCKETS_MAX
        );
        let full = buckets.width_ns();
        assert!(buckets.buckets()[10..80].iter().all(|&ns| ns == full));
    }

    #[test]
    fn times_far_away_end() {
        let mut buckets = TimeBuckets::<i64>::new(Timestamp(0));
        *buckets.at(Timestamp(i64::MAX)) += 1;
        *buckets.at(Timestamp(i64::MIN)) += 1;
        assert_eq!(buckets.buckets().iter().sum::<i64>(), 2);
    }
}
