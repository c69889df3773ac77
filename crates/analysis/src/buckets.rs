//! Sums over time whose length is not known before its end.

use exectrace_reader::Timestamp;

/// How many buckets there are at most, and half of it at least once there is enough time.
const COUNT_MAX: usize = 256;

/// How long a bucket is at first, in nanoseconds.
const FIRST_NS: i64 = 1 << 10;

/// Times of `N` kinds, by when they were: when there is no more room, two buckets become one.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<const N: usize> {
    begin: Option<Timestamp>,
    bucket_ns: i64,
    sums_ns: Vec<[i64; N]>,
}

impl<const N: usize> Default for Buckets<N> {
    fn default() -> Self {
        Self {
            begin: None,
            bucket_ns: FIRST_NS,
            sums_ns: Vec::new(),
        }
    }
}

impl<const N: usize> Buckets<N> {
    /// Adds a stretch; `begin` is where all times begin.
    pub(crate) fn add(&mut self, kind: usize, from: Timestamp, to: Timestamp, begin: Timestamp) {
        let begin = *self.begin.get_or_insert(begin);
        let (mut from_ns, to_ns) = (from.since_ns(begin).max(0), to.since_ns(begin).max(0));
        while to_ns / self.bucket_ns >= COUNT_MAX as i64 {
            self.widen();
        }
        while from_ns < to_ns {
            let bucket = (from_ns / self.bucket_ns) as usize;
            let end_ns = (bucket as i64 + 1)
                .saturating_mul(self.bucket_ns)
                .min(to_ns);
            if self.sums_ns.len() <= bucket {
                self.sums_ns.resize(bucket + 1, [0; N]);
            }
            let sum = &mut self.sums_ns[bucket][kind];
            *sum = sum.saturating_add(end_ns - from_ns);
            from_ns = end_ns;
        }
    }

    fn widen(&mut self) {
        self.bucket_ns *= 2;
        let halves = self.sums_ns.chunks(2);
        let joined = halves.map(|pair| {
            std::array::from_fn(|kind| {
                pair.iter()
                    .fold(0_i64, |sum, one| sum.saturating_add(one[kind]))
            })
        });
        self.sums_ns = joined.collect();
    }

    /// How long a bucket is.
    pub(crate) fn bucket_ns(&self) -> i64 {
        self.bucket_ns
    }

    /// The buckets, from the begin on.
    pub(crate) fn into_sums(self) -> Vec<[i64; N]> {
        self.sums_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_however_long_it_becomes() {
        let mut buckets = Buckets::<2>::default();
        let begin = Timestamp(7);
        let mut sum_ns = [0, 0];
        for round in 0..40_u32 {
            let from = Timestamp(7 + i64::from(round) * 3);
            let to = Timestamp(from.0 + (1 << round));
            buckets.add((round % 2) as usize, from, to, begin);
            sum_ns[(round % 2) as usize] += 1_i64 << round;
        }
        assert!(buckets.sums_ns.len() <= COUNT_MAX && buckets.sums_ns.len() > COUNT_MAX / 2);
        let sums = buckets.into_sums();
        for kind in 0..2 {
            let sum: i64 = sums.iter().map(|sums| sums[kind]).sum();
            assert_eq!(sum, sum_ns[kind]);
        }
    }

    #[test]
    fn times_of_any_length_fit() {
        let mut buckets = Buckets::<1>::default();
        buckets.add(
            0,
            Timestamp(i64::MIN),
            Timestamp(i64::MAX),
            Timestamp(i64::MIN),
        );
        assert!(buckets.into_sums().len() <= COUNT_MAX);
    }
}
