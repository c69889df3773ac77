//! What a screen shows, as typed arrays: little-endian numbers, each array on a multiple of eight bytes, so that a page looks at
//! them where they are.

use crate::grid::Grid;
use crate::track::{Mix, Runs, STATES};

/// What an answer begins with: `XTR1`.
const MAGIC: u32 = u32::from_le_bytes(*b"XTR1");

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
    let mut bytes = Vec::new();
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
    let (intervals, mixes) = (&runs.intervals, &runs.mixes);
    bytes.extend((intervals.len() as u32).to_le_bytes());
    bytes.extend((mixes.len() as u32).to_le_bytes());
    bytes.extend((full_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| (it.begin_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| (it.end_ns as f64).to_le_bytes());
    array(bytes, intervals, |it| it.index.to_le_bytes());
    array(bytes, intervals, |it| it.cause.to_le_bytes());
    array(bytes, intervals, |it| [it.shade as u8]);
    let first = runs.grid().first;
    array(bytes, mixes, |(at, _)| ((at - first) as u32).to_le_bytes());
    array(bytes, mixes, |(_, mix)| mix.count.to_le_bytes());
    array(bytes, mixes, |(_, mix)| {
        (mix.longest_ns as f32).to_le_bytes()
    });
    array(bytes, mixes, |(_, mix)| {
        [mix.longest.map_or(0, |shade| shade as u8)]
    });
    array(bytes, mixes, |(_, mix)| shares(mix, full_ns));
}

/// An array, and what is missing to eight bytes.
fn array<T, const N: usize>(bytes: &mut Vec<u8>, items: &[T], item: impl Fn(&T) -> [u8; N]) {
    bytes.extend(items.iter().flat_map(item));
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

/// The time by shade as a share of a full bucket, rounded up, so that whatever is there shows.
fn shares(mix: &Mix, full_ns: u64) -> [u8; 8] {
    let mut shares = [0; 8];
    for (place, ns) in (1..=STATES).zip(mix.ns) {
        let share = (u128::from(ns) * u128::from(FULL)).div_ceil(u128::from(full_ns.max(1)));
        shares[place] = share.min(u128::from(FULL)) as u8;
    }
    shares
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
        assert_eq!(shares(&mix, 1000), [0, 1, 0, 128, 255, 0, 2, 0]);
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
