//! What a screen shows, as typed arrays: little-endian numbers, each array on a multiple of eight bytes, so that a page looks at
//! them where they are.

use crate::grid::Grid;
use crate::track::{Mix, Runs, STATES};

/// What an answer begins with: `XTR1`.
const MAGIC: u32 = u32::from_le_bytes(*b"XTR1");

/// Most answers are shorter.
const BYTES_USUALLY: usize = 1 << 18;

/// What a row takes, with what is missing to eight bytes, an interval of it, and a mix.
const HEAD_BYTES: usize = 16 + 9 * 8;
const INTERVAL_BYTES: usize = 8 + 8 + 4 + 4 + 1;
const MIX_BYTES: usize = 4 + 4 + 4 + 1 + 8;

/// A share that fills a bucket.
const FULL: u64 = 255;

/// What an answer begins with.
pub(crate) struct Header {
    pub(crate) tracks: u32,
    pub(crate) grid: Grid,
    pub(crate) revision: u32,
}

/// The begin of an answer.
pub(crate) fn begin(header: &Header) -> Vec<u8> {
    let grid = header.grid;
    let mut bytes = Vec::with_capacity(BYTES_USUALLY);
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend(header.tracks.to_le_bytes());
    bytes.extend((grid.begin_ns() as f64).to_le_bytes());
    bytes.extend((grid.bucket_ns() as f64).to_le_bytes());
    bytes.extend((grid.count as u32).to_le_bytes());
    bytes.extend(header.revision.to_le_bytes());
    bytes
}

/// Appends what there is of a row; `full_ns` in a bucket is all of its height.
pub(crate) fn append(bytes: &mut Vec<u8>, runs: &Runs, full_ns: u64) {
    let (intervals, mixes) = (&runs.intervals, runs.len());
    bytes.reserve(HEAD_BYTES + intervals.len() * INTERVAL_BYTES + mixes * MIX_BYTES);
    bytes.extend((intervals.len() as u32).to_le_bytes());
    bytes.extend((mixes as u32).to_le_bytes());
    bytes.extend((full_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| (it.begin_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| (it.end_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| it.index.to_le_bytes());
    array(bytes, intervals, |it| it.cause.to_le_bytes());
    array(bytes, intervals, |it| [it.shade as u8]);
    append_mixes(bytes, runs, full_ns);
}

/// Five arrays, filled side by side: mixes are far larger than what is told of them, so they are looked at once.
fn append_mixes(bytes: &mut Vec<u8>, runs: &Runs, full_ns: u64) {
    let count = runs.len();
    let [fours, ones, eights] = [4, 1, 8].map(|size| (count * size).next_multiple_of(8));
    let start = bytes.len();
    bytes.resize(start + 3 * fours + ones + eights, 0);
    let (buckets, rest) = bytes[start..].split_at_mut(fours);
    let (counts, rest) = rest.split_at_mut(fours);
    let (longest, rest) = rest.split_at_mut(fours);
    let (states, told) = rest.split_at_mut(ones);
    let [buckets, counts, longest] =
        [buckets, counts, longest].map(|bytes| &mut bytes.as_chunks_mut::<4>().0[..count]);
    let (states, told) = (&mut states[..count], told.as_chunks_mut::<8>().0);
    let first = runs.grid().first;
    let mut shares = Shares::of(full_ns);
    let mut place = 0;
    runs.for_each_stretch(|at, length, mix| {
        let at = (at - first) as u32;
        let share = shares.shares(mix);
        if length == 1 {
            buckets[place] = at.to_le_bytes();
            told[place] = share;
            counts[place] = mix.count.to_le_bytes();
            longest[place] = (mix.longest_ns as f32).to_le_bytes();
            states[place] = mix.longest.map_or(0, |shade| shade as u8);
            place += 1;
            return;
        }
        // Of what covers a bucket nothing begins there, and nothing is short: the other arrays stay as they are, 0.
        let end = place + length as usize;
        for (bucket, at) in buckets[place..end].iter_mut().zip(at..) {
            *bucket = at.to_le_bytes();
        }
        told[place..end].fill(share);
        place = end;
    });
}

/// An array, and what is missing to eight bytes.
fn array<T, const N: usize>(bytes: &mut Vec<u8>, items: &[T], item: impl Fn(&T) -> [u8; N]) {
    let start = bytes.len();
    bytes.resize(start + (items.len() * N).next_multiple_of(8), 0);
    for (place, it) in bytes[start..].chunks_exact_mut(N).zip(items) {
        place.copy_from_slice(&item(it));
    }
}

/// Shares of a full bucket.
struct Shares {
    full_ns: u64,
    /// To divide by `full_ns` is to multiply by this and to leave out so many of the product's lower bits, and [`SCALE`] more; the
    /// factor is 0 where that would not be exact. After T. Granlund and P. L. Montgomery, "Division by Invariant Integers using
    /// Multiplication", 1994, theorem 4.2.
    factor: u64,
    shift: u32,
    /// What was asked for last: buckets that are covered by the same tasks are equal.
    last: ([u64; STATES], [u8; 8]),
}

const SCALE: u32 = 63;

/// The longest bucket, in bits, for which a factor is exact: what is divided has up to eight bits more.
const BITS_MAX: u32 = 55;

impl Shares {
    fn of(full_ns: u64) -> Self {
        let full_ns = full_ns.max(1);
        let bits = u64::BITS - (full_ns - 1).leading_zeros();
        let factor = (1_u128 << (SCALE + bits)) / u128::from(full_ns) + 1;
        Self {
            full_ns,
            factor: if bits <= BITS_MAX { factor as u64 } else { 0 },
            shift: bits,
            last: ([0; STATES], [0; 8]),
        }
    }

    /// The time by shade as a share of a full bucket, rounded up, so that whatever is there shows.
    fn shares(&mut self, mix: &Mix) -> [u8; 8] {
        // By bits, here: to compare arrays is a call.
        let pairs = mix.ns.iter().zip(&self.last.0);
        if pairs.fold(0, |bits, (ns, last)| bits | (ns ^ last)) != 0 {
            let mut shares = [0; 8];
            if self.factor == 0 {
                for (place, ns) in (1..=STATES).zip(mix.ns) {
                    let scaled = u128::from(ns.min(self.full_ns)) * u128::from(FULL);
                    shares[place] = scaled.div_ceil(u128::from(self.full_ns)) as u8;
                }
            } else {
                for (place, ns) in (1..=STATES).zip(mix.ns) {
                    shares[place] = self.share(ns);
                }
            }
            self.last = (mix.ns, shares);
        }
        self.last.1
    }

    /// Dividing would take longer than all else, and so would a wrong guess of which times are none.
    #[inline]
    fn share(&self, ns: u64) -> u8 {
        let up = ns.min(self.full_ns) * FULL + (self.full_ns - 1);
        let product = u128::from(up) * u128::from(self.factor);
        ((product >> SCALE) as u64 >> self.shift) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_up_and_has_the_place_of_its_state() {
        let mix = Mix {
            ns: [1, 0, 500, 1000, 0, 7],
            ..Mix::default()
        };
        assert_eq!(Shares::of(1000).shares(&mix), [0, 1, 0, 128, 255, 0, 2, 0]);
        assert_eq!(Shares::of(1024).shares(&mix), [0, 1, 0, 125, 250, 0, 2, 0]);
    }

    #[test]
    fn a_share_is_right_however_long_a_bucket_is() {
        for full_ns in [(1 << 55) + 1, 1 << 61, (1 << 61) + 1, u64::MAX - 1] {
            let ns = [full_ns, full_ns / 2, 1, 0, 0, 0];
            let mix = Mix {
                ns,
                ..Mix::default()
            };
            assert_eq!(
                Shares::of(full_ns).shares(&mix),
                [0, 255, 128, 1, 0, 0, 0, 0]
            );
        }
        for full_ns in [1, 2, 3, 5, 255, 256, 1_000, (1 << 40) + 7, 1 << 55] {
            for part in 0..=1_000 {
                let ns = (u128::from(full_ns) * part).div_ceil(1_000) as u64;
                let plainly = (u128::from(ns) * 255).div_ceil(u128::from(full_ns));
                assert_eq!(
                    u128::from(Shares::of(full_ns).share(ns)),
                    plainly,
                    "{ns} of {full_ns}"
                );
            }
        }
    }

    #[test]
    fn arrays_begin_at_multiples_of_eight() {
        let grid = Grid::new(0, 1000, 10).unwrap();
        let header = Header {
            tracks: 1,
            grid,
            revision: 3,
        };
        let mut bytes = begin(&header);
        assert_eq!(bytes.len(), 32);
        let mut runs = Runs::new(grid);
        runs.add(crate::track::Drawn {
            index: 5,
            begin_ns: 10,
            end_ns: 500,
            shade: crate::track::Shade::Waiting,
            cause: 9,
            other: 0,
        });
        append(&mut bytes, &runs, 64);
        // Counts, full, two times, and three arrays of one number each.
        assert_eq!(bytes.len(), 32 + 16 + 16 + 24);
        assert_eq!(bytes[32 + 16..][..8], 10_f64.to_le_bytes());
        assert_eq!(bytes[32 + 48], 3);
    }
}
