//! What a screen shows, made to pack well: in the arrays that rise, each number becomes the difference to the one before it. All stays
//! where it was, so that a page turns it back where it lies.
//!
//! A begin becomes the time since the end before it, an end the length of its interval; numbers of intervals and of buckets count
//! from the one before.

/// Bytes of what an answer begins with; the number of its rows stands behind the first four.
const HEADER: usize = 32;

/// Turns an answer about rows into differences.
pub(super) fn take(bytes: &mut [u8]) {
    let rows = u32::from_le_bytes(word(bytes, 4));
    let mut at = HEADER;
    for _ in 0..rows {
        at = take_row(bytes, at);
    }
    debug_assert_eq!(at, bytes.len());
}

/// Turns the row that begins at a place, and gives the place behind it.
fn take_row(bytes: &mut [u8], at: usize) -> usize {
    let intervals = u32::from_le_bytes(word(bytes, at)) as usize;
    let mixes = u32::from_le_bytes(word(bytes, at + 4)) as usize;
    let begins = at + 16;
    let ends = begins + 8 * intervals;
    let indexes = ends + 8 * intervals;
    let labels = indexes + padded(4 * intervals);
    let states = labels + padded(4 * intervals);
    let buckets = states + padded(intervals);
    // From the last one on: what is before is still as it was.
    for place in (0..intervals).rev().map(|interval| 8 * interval) {
        let begin = f64::from_le_bytes(word(bytes, begins + place));
        let end = f64::from_le_bytes(word(bytes, ends + place));
        let before = match place {
            0 => 0.0,
            _ => f64::from_le_bytes(word(bytes, ends + place - 8)),
        };
        put(bytes, begins + place, (begin - before).to_le_bytes());
        put(bytes, ends + place, (end - begin).to_le_bytes());
    }
    rising(bytes, indexes, intervals);
    rising(bytes, buckets, mixes);
    let counts = buckets + padded(4 * mixes);
    // Counts, the longest and their states, and eight shares each.
    counts + 2 * padded(4 * mixes) + padded(mixes) + 8 * mixes
}

/// Turns an array of 32-bit numbers.
fn rising(bytes: &mut [u8], begin: usize, count: usize) {
    for at in (1..count).rev().map(|number| begin + 4 * number) {
        let (number, before) = (word(bytes, at), word(bytes, at - 4));
        let difference = u32::from_le_bytes(number).wrapping_sub(u32::from_le_bytes(before));
        put(bytes, at, difference.to_le_bytes());
    }
}

fn word<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut word = [0; N];
    word.copy_from_slice(&bytes[at..at + N]);
    word
}

fn put<const N: usize>(bytes: &mut [u8], at: usize, word: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&word);
}

/// Each array begins at a multiple of eight.
fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::track::{Drawn, Runs, Shade};
    use crate::wire::{self, Header};

    #[test]
    fn what_rises_becomes_differences() {
        let grid = Grid::new(0, 1024, 64).unwrap();
        let mut runs = Runs::new(grid);
        for (index, begin_ns, end_ns) in
            [(7, 100, 200), (8, 200, 203), (9, 210, 250), (12, 900, 901)]
        {
            runs.add(Drawn {
                index,
                begin_ns,
                end_ns,
                shade: Shade::Running,
                cause: 5,
                other: 0,
            });
        }
        let header = Header {
            tracks: 2,
            grid,
            revision: 0,
        };
        let mut bytes = wire::begin(&header);
        wire::append(&mut bytes, &runs, 16);
        wire::append(&mut bytes, &runs, 16);
        let before = bytes.clone();
        take(&mut bytes);
        let doubles = |at: usize| [0, 8].map(|more| f64::from_le_bytes(word(&bytes, at + more)));
        let words = |at: usize| [0, 4].map(|more| u32::from_le_bytes(word(&bytes, at + more)));
        let row = (bytes.len() - HEADER) / 2;
        for at in [HEADER, HEADER + row] {
            assert_eq!(doubles(at + 16), [100.0, 10.0]);
            assert_eq!(doubles(at + 32), [100.0, 40.0]);
            assert_eq!(words(at + 48), [7, 2]);
            // Buckets 12 and 56, behind labels and states.
            assert_eq!(words(at + 72), [12, 44]);
            // What does not rise is as it was.
            assert_eq!(bytes[at + 56..at + 72], before[at + 56..at + 72]);
            assert_eq!(bytes[at + 80..at + row], before[at + 80..at + row]);
        }
    }
}
