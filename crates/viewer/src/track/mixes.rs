//! Mixes of buckets in order: of long tracks there are millions, so they take few bytes, as long as their numbers allow that.

use super::{Mix, STATES, Shade};

/// Mixes by the numbers of their buckets.
#[derive(Clone, Debug)]
pub(super) enum Mixes {
    /// All numbers fit.
    Packed(Vec<Packed>),
    Plain(Vec<(u64, Mix)>),
}

/// A bucket and its mix, of numbers of 32 bits: times of four seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    bucket: u32,
    count: u32,
    longest_ns: u32,
    ns: [u32; STATES],
    longest: Option<Shade>,
}

// A plain one takes 72.
const _: () = assert!(size_of::<Packed>() == 40);

impl Default for Mixes {
    fn default() -> Self {
        Self::Packed(Vec::new())
    }
}

impl Mixes {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Packed(mixes) => mixes.len(),
            Self::Plain(mixes) => mixes.len(),
        }
    }

    /// Appends the mix of a bucket that lies behind all others.
    pub(super) fn push(&mut self, bucket: u64, mix: &Mix) {
        self.insert(self.len(), bucket, mix);
    }

    /// Adds to the mix of a bucket, wherever it lies.
    pub(super) fn merge(&mut self, bucket: u64, mix: &Mix) {
        let place = self.count_before(bucket);
        match self.get(place) {
            Some((at, mut known)) if at == bucket => {
                known.merge(mix);
                self.set(place, bucket, &known);
            }
            _ => self.insert(place, bucket, mix),
        }
    }

    /// Those of buckets from one to before another.
    pub(super) fn between(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, Mix)> {
        let places = self.count_before(from)..self.len();
        let mixes = places.map_while(|place| self.get(place));
        mixes.take_while(move |(bucket, _)| *bucket < to)
    }

    fn get(&self, place: usize) -> Option<(u64, Mix)> {
        match self {
            Self::Packed(mixes) => mixes.get(place).map(Packed::unpacked),
            Self::Plain(mixes) => mixes.get(place).copied(),
        }
    }

    fn set(&mut self, place: usize, bucket: u64, mix: &Mix) {
        match self {
            Self::Packed(mixes) => match Packed::of(bucket, mix) {
                Some(packed) => mixes[place] = packed,
                None => self.plain()[place] = (bucket, *mix),
            },
            Self::Plain(mixes) => mixes[place] = (bucket, *mix),
        }
    }

    fn insert(&mut self, place: usize, bucket: u64, mix: &Mix) {
        match self {
            Self::Packed(mixes) => match Packed::of(bucket, mix) {
                Some(packed) => mixes.insert(place, packed),
                None => self.plain().insert(place, (bucket, *mix)),
            },
            Self::Plain(mixes) => mixes.insert(place, (bucket, *mix)),
        }
    }

    /// All of them, however large their numbers.
    fn plain(&mut self) -> &mut Vec<(u64, Mix)> {
        if let Self::Packed(mixes) = self {
            *self = Self::Plain(mixes.iter().map(Packed::unpacked).collect());
        }
        match self {
            Self::Plain(mixes) => mixes,
            Self::Packed(_) => unreachable!("they were unpacked"),
        }
    }

    /// How many lie before a bucket.
    fn count_before(&self, bucket: u64) -> usize {
        match self {
            Self::Packed(mixes) => mixes.partition_point(|mix| u64::from(mix.bucket) < bucket),
            Self::Plain(mixes) => mixes.partition_point(|(at, _)| *at < bucket),
        }
    }
}

impl Packed {
    fn of(bucket: u64, mix: &Mix) -> Option<Self> {
        let mut ns = [0; STATES];
        for (packed, ns) in ns.iter_mut().zip(mix.ns) {
            *packed = u32::try_from(ns).ok()?;
        }
        Some(Self {
            bucket: u32::try_from(bucket).ok()?,
            count: mix.count,
            longest_ns: u32::try_from(mix.longest_ns).ok()?,
            ns,
            longest: mix.longest,
        })
    }

    fn unpacked(&self) -> (u64, Mix) {
        let mix = Mix {
            ns: self.ns.map(u64::from),
            count: self.count,
            longest_ns: self.longest_ns.into(),
            longest: self.longest,
        };
        (self.bucket.into(), mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_stay_what_they_are_when_larger_numbers_come() {
        let mix = |ns: u64| Mix {
            ns: [0, ns, 0, 1, 0, 0],
            count: 1,
            longest_ns: ns,
            longest: Some(Shade::Runnable),
        };
        for large in [(7, u64::from(u32::MAX) + 1), (u64::from(u32::MAX) + 1, 5)] {
            let mut mixes = Mixes::default();
            let mut expected = Vec::new();
            for (bucket, ns) in [(2, 3), (4, 9), large, (1 << 40, 8)] {
                mixes.push(bucket, &mix(ns));
                expected.push((bucket, mix(ns)));
            }
            // Late, into one that is there and between others; then so much that the sum is large.
            for (place, bucket, ns) in [(1, 4, 1), (1, 3, 6), (0, 2, u64::from(u32::MAX))] {
                mixes.merge(bucket, &mix(ns));
                if expected[place].0 == bucket {
                    expected[place].1.merge(&mix(ns));
                } else {
                    expected.insert(place, (bucket, mix(ns)));
                }
                assert!(mixes.between(0, u64::MAX).eq(expected.iter().copied()));
            }
            assert_eq!(mixes.len(), expected.len());
            assert!(mixes.between(3, 5).eq(expected[1..3].iter().copied()));
        }
    }

    #[test]
    fn a_sum_that_grows_too_large_unpacks_all() {
        let mut mixes = Mixes::default();
        let half = Mix {
            ns: [1 << 31; STATES],
            count: 1,
            longest_ns: 1 << 31,
            longest: Some(Shade::Open),
        };
        (0..3).for_each(|bucket| mixes.push(bucket, &half));
        assert!(matches!(mixes, Mixes::Packed(_)));
        mixes.merge(1, &half);
        assert!(matches!(mixes, Mixes::Plain(_)));
        let sums = mixes.between(0, 3).map(|(_, mix)| mix.ns[0]);
        assert!(sums.eq([1 << 31, 1 << 32, 1 << 31]));
    }
}
