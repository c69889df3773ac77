//! The frames of a stack record, in either format.

use std::iter::FusedIterator;

use crate::ids::StringId;
use crate::varint;

/// One frame of a stack in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The address.
    pub pc: u64,
    /// The function's name.
    pub function: StringId,
    /// The file's name.
    pub file: StringId,
    /// The line, from 1.
    pub line: u64,
}

/// The frames of a stack record, innermost first; made by the records' `frames`.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    /// What is not passed yet.
    bytes: &'a [u8],
    /// The same before the last frame.
    last: &'a [u8],
    numbers: usize,
}

impl Frame {
    /// The frame as it stands in the record.
    pub(crate) const fn numbers(&self) -> [u64; 4] {
        [self.pc, self.function.0, self.file.0, self.line]
    }
}

impl<'a> Frames<'a> {
    /// Numbers of a frame that has all.
    pub(crate) const NUMBERS_MAX: usize = 4;

    /// The frames in `bytes`, which hold whole frames of so many numbers.
    pub(crate) fn new(bytes: &'a [u8], numbers: usize) -> Self {
        Self {
            bytes,
            last: bytes,
            numbers,
        }
    }

    /// Passes the next frame, and decodes only its address.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_format::Frame;
    /// use exectrace_format::go_v2::{EventType, Record};
    ///
    /// let record = Record { event_type: EventType::Stack, rest: &[9, 1, 2, 3, 8, 1, 2, 5], ..Record::EMPTY };
    /// let mut frames = record.frames();
    /// assert_eq!(frames.skip_frame(), Some(9));
    /// let second = Frame { pc: 8, function: 1.into(), file: 2.into(), line: 5 };
    /// assert_eq!(frames.clone().next(), Some(second));
    /// assert_eq!(frames.skip_frame(), Some(8));
    /// assert_eq!(frames.last_again(), Some(second));
    /// ```
    #[inline(always)]
    pub fn skip_frame(&mut self) -> Option<u64> {
        if self.numbers == Self::NUMBERS_MAX
            && let Some((pc, left)) = varint::first_of_four(self.bytes)
        {
            (self.last, self.bytes) = (self.bytes, left);
            return Some(pc);
        }
        // A copy, so that this one need not be in memory.
        let mut copy = self.clone();
        let frame = copy.next();
        *self = copy;
        frame.map(|frame| frame.pc)
    }

    /// The same for frames that other bytes may follow: passes one whose numbers are of the usual lengths, or none.
    #[inline(always)]
    pub(crate) fn skip_near(&mut self) -> Option<u64> {
        let (pc, left) = varint::first_of_four(self.bytes)?;
        (self.last, self.bytes) = (self.bytes, left);
        Some(pc)
    }

    /// The bytes behind the frames that were passed.
    #[inline(always)]
    pub(crate) fn left(&self) -> &'a [u8] {
        self.bytes
    }

    /// The frame that was passed last; the first one if none was.
    #[inline]
    #[must_use]
    pub fn last_again(&self) -> Option<Frame> {
        Self::new(self.last, self.numbers).next()
    }
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    #[inline(never)]
    fn next(&mut self) -> Option<Frame> {
        let (begin, mut at) = (self.bytes, 0);
        let mut numbers = [0; Self::NUMBERS_MAX];
        for number in numbers.iter_mut().take(self.numbers) {
            (*number, at) = varint::read_wrapping(begin, at).ok()?;
        }
        (self.last, self.bytes) = (begin, begin.get(at..)?);
        let [pc, function, file, line] = numbers;
        Some(Frame {
            pc,
            function: StringId(function),
            file: StringId(file),
            line,
        })
    }
}

impl FusedIterator for Frames<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_frame_that_is_passed_is_the_one_that_is_decoded(
            bytes in prop::collection::vec(prop_oneof![0..=0x7f_u8, 0x80..=0xff_u8, Just(0x80)], 0..70),
            numbers in 1..=4_usize,
        ) {
            let mut passed = Frames::new(&bytes, numbers);
            let mut decoded = Frames::new(&bytes, numbers);
            loop {
                let frame = decoded.next();
                prop_assert_eq!(passed.skip_frame(), frame.map(|frame| frame.pc));
                if frame.is_none() {
                    break;
                }
                prop_assert_eq!(passed.last_again(), frame);
            }
        }
    }
}
