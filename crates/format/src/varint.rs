//! Unsigned LEB128 numbers, the only number form of both trace formats.
//!
//! Seven bits a byte, low group first; the top bit says that another byte follows.
//! A value takes 1 to 10 bytes. Negative numbers are stored as their 64-bit two's
//! complement, so -1 (no worker, no thread) is 2^64-1 and takes all ten.
//! Padded forms (`80 00` for 0) are legal to read and are used by Go itself for sizes
//! that are patched later; [`write()`] and [`push`] always give the shortest form.

use crate::limits::EVENT_BYTES_MAX;

/// The most bytes that one number takes.
pub const BYTES_MAX: usize = 10;

/// What keeps bytes from being a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarintError {
    /// The bytes end inside the number.
    Cut,
    /// The tenth byte says that an eleventh follows.
    Overlong,
    /// Ten bytes hold more than 64 bits ([`read`] only).
    Overflow,
}

/// Writes `value` at `at` and returns the position after it.
///
/// Positions are taken modulo the buffer's size, so that there is no bounds check and nothing to
/// panic; the caller's events are too short to come round.
///
/// # Signal safety
///
/// Does not allocate, lock or panic.
///
/// # Examples
///
/// ```
/// let mut out = [0; exectrace_format::limits::EVENT_BYTES_MAX];
/// assert_eq!(exectrace_format::varint::write(&mut out, 0, 300), 2);
/// assert_eq!(out[..2], [0xac, 0x02]);
/// ```
// A recorder's hot path, which writes a number or two an event: as a call it costs more than what it does.
#[inline(always)]
pub const fn write(out: &mut [u8; EVENT_BYTES_MAX], at: usize, value: u64) -> usize {
    // Most numbers have one to three bytes. There is no call for the others either: it would cost each caller registers.
    if value < 1 << 7 {
        out[at & MASK] = value as u8;
        return at.wrapping_add(1);
    }
    out[at & MASK] = value as u8 | 0x80;
    if value < 1 << 14 {
        out[at.wrapping_add(1) & MASK] = (value >> 7) as u8;
        return at.wrapping_add(2);
    }
    out[at.wrapping_add(1) & MASK] = (value >> 7) as u8 | 0x80;
    let mut at = at.wrapping_add(2);
    let mut value = value >> 14;
    while value >= 0x80 {
        out[at & MASK] = value as u8 | 0x80;
        value >>= 7;
        at = at.wrapping_add(1);
    }
    out[at & MASK] = value as u8;
    at.wrapping_add(1)
}

const MASK: usize = EVENT_BYTES_MAX - 1;

/// Appends `value` to a growing buffer.
#[inline]
pub fn push(out: &mut Vec<u8>, value: u64) {
    let mut value = value;
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// `value` in the ten bytes that any value fits into, to be put over an earlier one later.
///
/// # Examples
///
/// ```
/// use exectrace_format::varint;
/// let size = varint::padded(300);
/// assert_eq!(size, [0xac, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]);
/// assert_eq!(varint::read(&size, 0), Ok((300, 10)));
/// ```
#[must_use]
pub const fn padded(value: u64) -> [u8; BYTES_MAX] {
    let mut bytes = [0x80; BYTES_MAX];
    let mut i = 0;
    while i < BYTES_MAX {
        bytes[i] |= (value >> (7 * i)) as u8 & 0x7f;
        i += 1;
    }
    bytes[BYTES_MAX - 1] &= 0x7f;
    bytes
}

/// How many bytes the shortest form of `value` takes.
///
/// ```
/// assert_eq!(exectrace_format::varint::size_bytes(u64::MAX), 10);
/// ```
#[inline]
#[must_use]
pub const fn size_bytes(value: u64) -> usize {
    let bits = u64::BITS - (value | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Reads the number at `at`; returns it and the position after it.
///
/// # Errors
///
/// Every [`VarintError`]: this is the strict form, which format v2 demands.
///
/// # Examples
///
/// ```
/// use exectrace_format::varint::{self, VarintError};
/// assert_eq!(varint::read(&[0xac, 0x02], 0), Ok((300, 2)));
/// assert_eq!(varint::read(&[0xac], 0), Err(VarintError::Cut));
/// ```
#[inline]
pub fn read(bytes: &[u8], at: usize) -> Result<(u64, usize), VarintError> {
    match bytes.get(at) {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), at + 1)),
        _ => read_long(bytes, at, true),
    }
}

/// Reads the number at `at` as Go's v1 readers do: bits past the 64th are dropped.
///
/// # Errors
///
/// [`VarintError::Cut`] and [`VarintError::Overlong`].
#[inline]
pub fn read_wrapping(bytes: &[u8], at: usize) -> Result<(u64, usize), VarintError> {
    match bytes.get(at) {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), at + 1)),
        _ => read_long(bytes, at, false),
    }
}

/// So many bytes [`read_near`] needs: a number may begin at any of the first ones, and a word is read at once.
pub(crate) const NEAR_BYTES: usize = EVENT_BYTES_MAX + 8;

/// Reads the number at `at`, which is taken modulo [`EVENT_BYTES_MAX`], if it has 32 bits at most.
///
/// Always inlined, without a check but for the number's length: short numbers come in rows of equal lengths, which the processor
/// foresees.
#[inline(always)]
pub(crate) fn read_near(bytes: &[u8; NEAR_BYTES], at: usize) -> Option<(u32, usize)> {
    let begin = at & MASK;
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[begin..begin + 8]);
    let word = u64::from_le_bytes(eight);
    let low = word as u32;
    if low & 0x80 == 0 {
        return Some((low & 0x7f, at + 1));
    }
    if low & 0x8000 == 0 {
        return Some((low & 0x7f | (low & 0x7f00) >> 1, at + 2));
    }
    if low & 0x80_0000 == 0 {
        let value = low & 0x7f | (low & 0x7f00) >> 1 | (low & 0x7f_0000) >> 2;
        return Some((value, at + 3));
    }
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    let length = ends.trailing_zeros() as usize / 8 + 1;
    let value = u32::try_from(join(word & (ends ^ (ends - 1)))).ok()?;
    Some((value, at + length))
}

/// Numbers that are read one after another from the same eight bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    at: usize,
    /// The bytes that are not read yet, the next one lowest. Zeros follow.
    word: u64,
    bits_read: u32,
}

impl Row {
    /// From `at` on, if there are eight bytes.
    #[inline(always)]
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        Some(Self {
            at,
            word,
            bits_read: 0,
        })
    }

    /// The next number, unless it ends beyond the eight bytes. One that begins there is 0: [`Self::end`] says so.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u64> {
        let word = self.word;
        if word & 0x80 == 0 {
            self.word = word >> 8;
            self.bits_read += 8;
            return Some(word & 0x7f);
        }
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return None;
        }
        let last = ends.trailing_zeros();
        self.word = word >> last >> 1;
        self.bits_read += last + 1;
        Some(join(word & (ends ^ (ends - 1))))
    }

    /// The position after the numbers, if all of them were there.
    #[inline(always)]
    pub(crate) fn end(self) -> Option<usize> {
        (self.bits_read <= u64::BITS).then_some(self.at + self.bits_read as usize / 8)
    }
}

/// The position after `count` numbers from `at` on, found without decoding them.
///
/// `None` if one of them is longer than eight bytes, or if they end less than eight bytes before `bytes` do: then [`read()`] has to
/// look. So none of those that are skipped is at fault.
///
/// # Examples
///
/// ```
/// let bytes = [5, 0x80, 1, 7, 0, 0, 0, 0, 0, 0];
/// assert_eq!(exectrace_format::varint::skip(&bytes, 0, 2), Some(3));
/// ```
#[inline]
#[must_use]
pub fn skip(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let (mut at, mut left) = (at, count);
    if left == 0 {
        return Some(at);
    }
    // Few numbers end in one word, mostly: then it need not be told how many do.
    if count <= FEW {
        let mut ends = ends_in(bytes.get(at..)?.first_chunk()?);
        for _ in 1..count {
            ends &= ends.wrapping_sub(1);
        }
        if ends != 0 {
            return Some(at + ends.trailing_zeros() as usize / 8 + 1);
        }
    }
    // Bits of a number that began in the word before.
    let mut begun = 0;
    loop {
        let mut ends = ends_in(bytes.get(at..)?.first_chunk()?);
        if ends == 0 || begun + ends.trailing_zeros() >= 72 {
            return None;
        }
        let ended = ((ends >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize;
        if ended >= left {
            for _ in 1..left {
                ends &= ends - 1;
            }
            return Some(at + ends.trailing_zeros() as usize / 8 + 1);
        }
        left -= ended;
        begun = ends.leading_zeros();
        at += 8;
    }
}

/// The first of the four numbers that the bytes begin with, and what comes after the last of them.
///
/// `None` if the first one or the other three together are longer than eight bytes, or if the bytes end before: then others have
/// to look.
#[inline(always)]
pub(crate) fn first_of_four(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let first = word_of(bytes);
    let ends = !first & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    let others = bytes.get(ends.trailing_zeros() as usize / 8 + 1..)?;
    let mut other_ends = !word_of(others) & 0x8080_8080_8080_8080;
    other_ends &= other_ends.wrapping_sub(1);
    other_ends &= other_ends.wrapping_sub(1);
    if other_ends == 0 {
        return None;
    }
    let left = others.get(other_ends.trailing_zeros() as usize / 8 + 1..)?;
    let number = first & (ends ^ (ends - 1));
    let number = match u32::try_from(number) {
        Ok(number) => join_four(number).into(),
        Err(_) => join(number),
    };
    Some((number, left))
}

/// The eight bytes that these begin with, with zeros for those that are missing.
#[inline(always)]
fn word_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => short_word(bytes),
    }
}

#[inline(never)]
fn short_word(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Numbers of which [`skip`] expects that they end within eight bytes.
const FEW: usize = 4;

/// The highest bits of the bytes that end a number.
#[inline]
const fn ends_in(bytes: &[u8; 8]) -> u64 {
    !u64::from_le_bytes(*bytes) & 0x8080_8080_8080_8080
}

/// The rest of the two readers, for numbers of more than one byte.
#[inline]
fn read_long(bytes: &[u8], at: usize, strict: bool) -> Result<(u64, usize), VarintError> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    if let Some(word) = word {
        let word = u64::from_le_bytes(*word);
        // The first byte without its highest bit is the last of the number.
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            let length = ends.trailing_zeros() as usize / 8 + 1;
            return Ok((join(word & (ends ^ (ends - 1))), at + length));
        }
    }
    read_any(bytes, at, strict)
}

/// The numbers in the low seven bits of eight bytes, as one.
#[inline]
const fn join(word: u64) -> u64 {
    let sevens = word & 0x7f7f_7f7f_7f7f_7f7f;
    let fourteens = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let twenty_eights =
        fourteens & 0x0000_3fff_0000_3fff | (fourteens & 0x3fff_0000_3fff_0000) >> 2;
    twenty_eights & 0x0fff_ffff | (twenty_eights & 0x0fff_ffff_0000_0000) >> 4
}

/// The same of four bytes.
#[inline]
const fn join_four(word: u32) -> u32 {
    let low = word & 0x7f | (word & 0x7f00) >> 1;
    low | (word & 0x7f_0000) >> 2 | (word & 0x7f00_0000) >> 3
}

/// A number of any length, byte by byte.
#[inline(never)]
fn read_any(bytes: &[u8], at: usize, strict: bool) -> Result<(u64, usize), VarintError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let mut value = 0;
    for (i, &byte) in rest.iter().take(BYTES_MAX).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            if strict && i == BYTES_MAX - 1 && byte > 1 {
                return Err(VarintError::Overflow);
            }
            return Ok((value, at + i + 1));
        }
    }
    if rest.len() < BYTES_MAX {
        Err(VarintError::Cut)
    } else {
        Err(VarintError::Overlong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check_read(bytes: &[u8], expect: Result<u64, VarintError>) {
        assert_eq!(read(bytes, 0), expect.map(|value| (value, bytes.len())));
    }

    #[test]
    fn minus_one_takes_ten_bytes() {
        let mut out = [0; EVENT_BYTES_MAX];
        assert_eq!(write(&mut out, 0, -1_i64 as u64), 10);
        assert_eq!(
            out[..10],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]
        );
        check_read(&out[..10], Ok(u64::MAX));
    }

    #[test]
    fn padded_numbers_are_legal() {
        check_read(&[0x80, 0x00], Ok(0));
        check_read(
            &[0xd8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            Ok(0x58),
        );
    }

    #[test]
    fn each_fault_has_its_error() {
        check_read(&[], Err(VarintError::Cut));
        check_read(&[0x80; 9], Err(VarintError::Cut));
        check_read(&[0x80; 10], Err(VarintError::Overlong));
        check_read(&[0x80; 11], Err(VarintError::Overlong));
        check_read(
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            Err(VarintError::Overflow),
        );
        assert_eq!(read(&[1], 9), Err(VarintError::Cut));
    }

    #[test]
    fn the_v1_reader_drops_what_does_not_fit() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(read_wrapping(&bytes, 0), Ok((u64::MAX, 10)));
        assert_eq!(read_wrapping(&[0x80; 10], 0), Err(VarintError::Overlong));
    }

    #[test]
    fn a_position_past_the_end_comes_round() {
        let mut out = [0; EVENT_BYTES_MAX];
        assert_eq!(write(&mut out, 63, 300), 65);
        assert_eq!((out[63], out[0]), (0xac, 0x02));
    }

    proptest! {
        #[test]
        fn round_trip(value: u64, shift in 0..64_u32, at in 0..=EVENT_BYTES_MAX - BYTES_MAX) {
            let value = value >> shift;
            let mut out = [0xee; EVENT_BYTES_MAX];
            let end = write(&mut out, at, value);
            prop_assert_eq!(end - at, size_bytes(value));
            prop_assert_eq!(read(&out, at), Ok((value, end)));
            prop_assert_eq!(read_wrapping(&out, at), Ok((value, end)));
            prop_assert_eq!(read(&padded(value), 0), Ok((value, BYTES_MAX)));
            let mut near = [0xee; NEAR_BYTES];
            near[..EVENT_BYTES_MAX].copy_from_slice(&out);
            let expect = u32::try_from(value).ok().map(|value| (value, end));
            prop_assert_eq!(read_near(&near, at), expect);
            let mut pushed = Vec::new();
            push(&mut pushed, value);
            prop_assert_eq!(&pushed[..], &out[at..end]);
        }

        #[test]
        fn what_is_skipped_can_be_read(bytes in prop::collection::vec(prop_oneof![0..4_u8, 0x80..=0xff_u8], 0..60), count in 0..20_usize) {
            let read_all = (0..count).try_fold(0, |at, _| read(&bytes, at).map(|(_, end)| end).ok());
            if let Some(end) = skip(&bytes, 0, count) {
                prop_assert_eq!(read_all, Some(end));
            }
        }

        #[test]
        fn plain_numbers_are_skipped(numbers in prop::collection::vec(0..1_u64 << 56, 0..20), shift in 0..56_u32) {
            let mut bytes = Vec::new();
            for number in &numbers {
                push(&mut bytes, number >> shift);
            }
            let end = bytes.len();
            bytes.extend([0; 8]);
            prop_assert_eq!(skip(&bytes, 0, numbers.len()), Some(end));
        }

        #[test]
        fn a_row_has_the_same_numbers(bytes in prop::collection::vec(prop_oneof![0..4_u8, 0x80..=0xff_u8], 8..12), count in 1..6_usize) {
            let mut row = Row::at(&bytes, 0).unwrap();
            let numbers: Option<Vec<u64>> = (0..count).map(|_| row.next()).collect();
            if let (Some(numbers), Some(end)) = (numbers, row.end()) {
                let mut at = 0;
                for number in numbers {
                    let (expect, next) = read(&bytes, at).unwrap();
                    prop_assert_eq!(number, expect);
                    at = next;
                }
                prop_assert_eq!(at, end);
            }
        }

        #[test]
        fn any_bytes_read_without_panic(bytes: Vec<u8>, at in 0..20_usize) {
            if let Ok((_, end)) = read(&bytes, at) {
                prop_assert!(end <= bytes.len());
            }
            let _ = read_wrapping(&bytes, at);
            let _ = skip(&bytes, at, bytes.len() / 2);
        }
    }
}
