//! Intervals one after another, in few bytes each.
//!
//! An interval is a byte for its shade, with marks for what follows, and then numbers of seven bits a byte: how long nothing was
//! before it, if anything, how long it is, its cause, and what else is to be known, if anything. That makes six to eight bytes;
//! each 16th begins a block, of which it is known where and when it begins.

use super::Drawn;
use super::shade::{SHADE_BITS, Shade};

/// So many intervals are decoded before one that is looked for, at most.
const INTERVALS_A_BLOCK: u32 = 16;

/// Something is between this interval and the one before.
const HAS_GAP: u8 = 1 << SHADE_BITS;
/// Something else is known of it.
const HAS_OTHER: u8 = HAS_GAP << 1;

/// Intervals that others may follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntervalList {
    bytes: Vec<u8>,
    /// Where and when each block but the first begins.
    blocks: Vec<Block>,
    count: u32,
    /// Where the last one ends.
    end_ns: u64,
}

/// Where a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// When the interval before it ends.
    begin_ns: u64,
    offset: u64,
}

/// The intervals of a list, wherever they are kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Intervals<'a> {
    bytes: &'a [u8],
    blocks: &'a [Block],
    count: u32,
}

impl IntervalList {
    /// Appends an interval, and gives it as it is then: one that begins before the last has ended, as only a damaged trace tells
    /// of, is taken from there on.
    pub(crate) fn push(&mut self, drawn: Drawn) -> Drawn {
        let begin_ns = drawn.begin_ns.max(self.end_ns);
        let end_ns = drawn.end_ns.max(begin_ns);
        if self.count.is_multiple_of(INTERVALS_A_BLOCK) && self.count > 0 {
            self.blocks.push(Block {
                begin_ns: self.end_ns,
                offset: self.bytes.len() as u64,
            });
        }
        let gap_ns = begin_ns - self.end_ns;
        let has_gap = if gap_ns > 0 { HAS_GAP } else { 0 };
        let has_other = if drawn.other > 0 { HAS_OTHER } else { 0 };
        self.bytes.push(drawn.shade as u8 | has_gap | has_other);
        if gap_ns > 0 {
            append(gap_ns, &mut self.bytes);
        }
        append(end_ns - begin_ns, &mut self.bytes);
        append(u64::from(drawn.cause), &mut self.bytes);
        if drawn.other > 0 {
            append(u64::from(drawn.other), &mut self.bytes);
        }
        let index = self.count;
        self.count += 1;
        self.end_ns = end_ns;
        Drawn {
            index,
            begin_ns,
            end_ns,
            ..drawn
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    /// Gives back memory that no interval will be put into.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    pub(crate) fn intervals(&self) -> Intervals<'_> {
        Intervals {
            bytes: &self.bytes,
            blocks: &self.blocks,
            count: self.count,
        }
    }
}

impl<'a> Intervals<'a> {
    /// Those that stand in bytes, so many, of which no blocks are known.
    pub(crate) fn of_bytes(bytes: &'a [u8], count: u32) -> Self {
        Self {
            bytes,
            blocks: &[],
            count,
        }
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// How many there are.
    pub(crate) fn len(self) -> u32 {
        self.count
    }

    /// All of them.
    pub(crate) fn iter(self) -> Decoder<'a> {
        self.decode_from(0)
    }

    /// The interval of a number.
    pub(crate) fn get(self, index: u32) -> Option<Drawn> {
        if index >= self.count {
            return None;
        }
        let block = self.blocks.len().min((index / INTERVALS_A_BLOCK) as usize);
        let mut decoder = self.decode_from(block);
        decoder.find(|drawn| drawn.index == index)
    }

    /// The interval at a time: of several the last that has begun.
    pub(crate) fn at(self, ns: u64) -> Option<Drawn> {
        let begun = self.before(ns).take_while(|drawn| drawn.begin_ns <= ns);
        begun.last().filter(|drawn| ns <= drawn.end_ns)
    }

    /// The interval at a time, or else the last before it, or else the first.
    pub(crate) fn near(self, ns: u64) -> Option<Drawn> {
        let begun = self.before(ns).take_while(|drawn| drawn.begin_ns <= ns);
        let last = begun.last().or_else(|| {
            let block = self.blocks.partition_point(|block| block.begin_ns < ns);
            let index = block as u32 * INTERVALS_A_BLOCK;
            self.get(index.saturating_sub(1))
        });
        last.or_else(|| self.get(0))
    }

    /// The intervals that a stretch of time has something of; those of no length too.
    pub(crate) fn overlapping(self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = Drawn> {
        let begun = self
            .before(from_ns)
            .take_while(move |drawn| drawn.begin_ns < to_ns);
        begun.filter(move |drawn| drawn.end_ns > from_ns || drawn.begin_ns >= from_ns)
    }

    /// Those that are at a time or later, and a few before.
    fn before(self, ns: u64) -> Decoder<'a> {
        // An interval of no length may stand where a block begins, and end the block before.
        let begun = self.blocks.partition_point(|block| block.begin_ns < ns);
        self.decode_from(begun)
    }

    /// Those of a block and all after it.
    fn decode_from(self, block: usize) -> Decoder<'a> {
        let begin = block.checked_sub(1).map(|place| self.blocks[place]);
        let offset = begin.map_or(0, |begin| begin.offset as usize);
        Decoder {
            bytes: &self.bytes[offset..],
            index: block as u32 * INTERVALS_A_BLOCK,
            count: self.count,
            end_ns: begin.map_or(0, |begin| begin.begin_ns),
        }
    }
}

/// Intervals from bytes.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
    index: u32,
    count: u32,
    end_ns: u64,
}

impl Iterator for Decoder<'_> {
    type Item = Drawn;

    #[inline]
    fn next(&mut self) -> Option<Drawn> {
        if self.index >= self.count {
            return None;
        }
        let (&head, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let gap_ns = if head & HAS_GAP != 0 {
            self.number()
        } else {
            0
        };
        let ns = self.number();
        let cause = self.number();
        let other = if head & HAS_OTHER != 0 {
            self.number()
        } else {
            0
        };
        let begin_ns = self.end_ns + gap_ns;
        self.end_ns = begin_ns + ns;
        let index = self.index;
        self.index += 1;
        Some(Drawn {
            index,
            begin_ns,
            end_ns: self.end_ns,
            shade: Shade::numbered(head & (HAS_GAP - 1))?,
            cause: cause as u32,
            other: other as u32,
        })
    }
}

impl Decoder<'_> {
    #[inline]
    fn number(&mut self) -> u64 {
        let Some(eight) = self.bytes.first_chunk() else {
            return self.number_by_bytes();
        };
        let eight = u64::from_le_bytes(*eight);
        let ends = !eight & LAST_MARKS;
        if ends == 0 {
            return self.number_by_bytes();
        }
        let bits = ends.trailing_zeros() + 1;
        self.bytes = &self.bytes[(bits / 8) as usize..];
        joined(eight & (u64::MAX >> (u64::BITS - bits)))
    }

    /// The same at the end of a list, and of a number of more than eight bytes.
    #[cold]
    fn number_by_bytes(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        while let Some((&byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        number
    }
}

/// Of eight bytes, the bits that all but the last of a number have.
const LAST_MARKS: u64 = 0x8080_8080_8080_8080;

/// Puts together what stands in the lower seven bits of each byte: of bytes pairs, of pairs fours, of these the whole.
#[inline]
fn joined(bytes: u64) -> u64 {
    let pairs = (bytes & 0x007F_007F_007F_007F) | ((bytes & 0x7F00_7F00_7F00_7F00) >> 1);
    let fours = (pairs & 0x0000_3FFF_0000_3FFF) | ((pairs & 0x3FFF_0000_3FFF_0000) >> 2);
    (fours & 0x0FFF_FFFF) | ((fours & 0x0FFF_FFFF_0000_0000) >> 4)
}

/// Appends a number, seven bits a byte, the lowest first; all but the last byte have the eighth bit.
#[inline]
fn append(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_come_back() {
        let ends = (0..64).flat_map(|bits| [(1_u64 << bits) - 1, 1 << bits, u64::MAX >> bits]);
        let numbers: Vec<u64> = ends.collect();
        let mut bytes = Vec::new();
        numbers
            .iter()
            .for_each(|number| append(*number, &mut bytes));
        let mut decoder = Intervals::of_bytes(&bytes, 0).iter();
        for number in numbers {
            assert_eq!(decoder.number(), number);
        }
        assert!(decoder.bytes.is_empty());
    }
}
