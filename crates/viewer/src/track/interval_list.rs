//! Intervals one after another, in few bytes each.
//!
//! An interval is a byte for its shade, with marks for what follows, and then numbers of seven bits a byte: how long nothing was
//! before it, if anything, how long it is, its cause, and what else is to be known, if anything. That makes six to eight bytes;
//! each 16th begins a block, of which it is known where and when it begins.

use super::Drawn;
use super::shade::{SHADE_BITS, Shade};

/// So many intervals are decoded before one that is looked for, at most.
const INTERVALS_A_BLOCK: u32 = 16;

/// The bits of its shade.
const SHADE: u8 = (1 << SHADE_BITS) - 1;
/// Something is between this interval and the one before.
const HAS_GAP: u8 = 1 << SHADE_BITS;
/// Something else is known of it.
const HAS_OTHER: u8 = HAS_GAP << 1;

/// How many bytes its numbers have, less one, stands above this bit; 0 if they have more than can stand there.
const LENGTH_SHIFT: u32 = SHADE_BITS + 2;
const LENGTH_MAX: usize = 1 << (u8::BITS - LENGTH_SHIFT);

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
        let head = self.bytes.len();
        self.bytes.push(drawn.shade as u8 | has_gap | has_other);
        if gap_ns > 0 {
            append(gap_ns, &mut self.bytes);
        }
        append(end_ns - begin_ns, &mut self.bytes);
        append(u64::from(drawn.cause), &mut self.bytes);
        if drawn.other > 0 {
            append(u64::from(drawn.other), &mut self.bytes);
        }
        let length = self.bytes.len() - head - 1;
        if length <= LENGTH_MAX {
            self.bytes[head] |= (length as u8 - 1) << LENGTH_SHIFT;
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
    /// So many, with which bytes begin, and of which no blocks are known. They are decoded sooner where others stand behind them.
    pub(crate) fn of_bytes(bytes: &'a [u8], count: u32) -> Self {
        Self {
            bytes,
            blocks: &[],
            count,
        }
    }

    /// Theirs, if they are all of a list.
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
    pub(crate) fn overlapping(self, from_ns: u64, to_ns: u64) -> Overlapping<'a> {
        let mut decoder = self.before(from_ns);
        let mut ahead = decoder.clone();
        let is_before = |drawn: &Drawn| drawn.end_ns <= from_ns && drawn.begin_ns < from_ns;
        while ahead.next().is_some_and(|drawn| is_before(&drawn)) {
            decoder.clone_from(&ahead);
        }
        Overlapping { decoder, to_ns }
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

/// The intervals from one on that begin before a time.
#[derive(Clone, Debug)]
pub(crate) struct Overlapping<'a> {
    decoder: Decoder<'a>,
    to_ns: u64,
}

impl Iterator for Overlapping<'_> {
    type Item = Drawn;

    /// By hand: what adapters hand to each other goes through memory.
    #[inline]
    fn next(&mut self) -> Option<Drawn> {
        let drawn = self.decoder.next()?;
        (drawn.begin_ns < self.to_ns).then_some(drawn)
    }
}

impl Iterator for Decoder<'_> {
    type Item = Drawn;

    #[inline(always)] // What it gives would go through memory, half as fast as it is decoded.
    fn next(&mut self) -> Option<Drawn> {
        if self.index >= self.count {
            return None;
        }
        let Some(&[head, ref eight @ ..]) = self.bytes.first_chunk::<{ 1 + LENGTH_MAX }>() else {
            return self.next_by_numbers();
        };
        let length = usize::from(head >> LENGTH_SHIFT);
        if length == 0 {
            return self.next_by_numbers();
        }
        // Where the next one is does not wait for what this one says.
        self.bytes = &self.bytes[2 + length..];
        let mut numbers = Numbers::of(*eight);
        let gap_ns = numbers.next_if(head & HAS_GAP != 0);
        let ns = numbers.next_if(true);
        let cause = numbers.next_if(true);
        let other = numbers.next_if(head & HAS_OTHER != 0);
        self.drawn(head, [gap_ns, ns, cause, other])
    }
}

/// Up to eight numbers of eight bytes in all, without a guess of how long each is or whether it is there.
struct Numbers {
    eight: u64,
    /// The eighth bits of their last bytes, from the next number on.
    ends: u64,
    /// In bits.
    taken: u32,
}

impl Numbers {
    #[inline]
    fn of(eight: [u8; 8]) -> Self {
        let eight = u64::from_le_bytes(eight);
        Self {
            eight,
            ends: !eight & LAST_MARKS,
            taken: 0,
        }
    }

    /// The next number, if it is there, else 0.
    #[inline]
    fn next_if(&mut self, is_there: bool) -> u64 {
        let end = self.ends & self.ends.wrapping_neg();
        let number = (self.eight & end.wrapping_sub(1)).wrapping_shr(self.taken);
        let taken = end.trailing_zeros() + 1;
        self.taken = if is_there { taken } else { self.taken };
        self.ends ^= if is_there { end } else { 0 };
        if is_there { joined(number) } else { 0 }
    }
}

impl Decoder<'_> {
    /// The next one of a shade and marks, and its numbers.
    #[inline]
    fn drawn(&mut self, head: u8, [gap_ns, ns, cause, other]: [u64; 4]) -> Option<Drawn> {
        let begin_ns = self.end_ns + gap_ns;
        self.end_ns = begin_ns + ns;
        let index = self.index;
        self.index += 1;
        Some(Drawn {
            index,
            begin_ns,
            end_ns: self.end_ns,
            shade: Shade::numbered(head & SHADE)?,
            cause: cause as u32,
            other: other as u32,
        })
    }

    /// The next one, however long its numbers are, or how near the end.
    #[cold]
    #[inline(never)]
    fn next_by_numbers(&mut self) -> Option<Drawn> {
        let (&head, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let mut next_if = |is_there| if is_there { self.number() } else { 0 };
        let numbers = [
            next_if(head & HAS_GAP != 0),
            next_if(true),
            next_if(true),
            next_if(head & HAS_OTHER != 0),
        ];
        self.drawn(head, numbers)
    }

    fn number(&mut self) -> u64 {
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
    fn intervals_of_numbers_of_all_lengths_come_back() {
        let times: Vec<u64> = (0..52).map(|bits| (1 << bits) - 1).collect();
        let names = [0, 1, 0x7F, 0x80, 0x3FFF, 1 << 14, u32::MAX];
        let mut list = IntervalList::default();
        let mut pushed = Vec::new();
        let mut end_ns = 0;
        for (place, ns) in times.iter().enumerate() {
            for (gap, cause) in names.iter().enumerate() {
                for other in names {
                    let begin_ns = end_ns + times[(place + gap * 5) % times.len()];
                    end_ns = begin_ns + ns;
                    pushed.push(list.push(Drawn {
                        index: 0,
                        begin_ns,
                        end_ns,
                        shade: Shade::ALL[place % Shade::ALL.len()],
                        cause: *cause,
                        other,
                    }));
                }
            }
        }
        let all: Vec<Drawn> = list.intervals().iter().collect();
        assert_eq!(all, pushed);
        for (index, drawn) in (0..).zip(pushed) {
            assert_eq!(list.intervals().get(index), Some(drawn));
        }
    }
}
