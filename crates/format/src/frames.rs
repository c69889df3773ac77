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
    bytes: &'a [u8],
    position: usize,
    numbers: usize,
}

impl Frame {
    /// The frame as it stands in the record.
    pub(crate) const fn numbers(&self) -> [u64; 4] {
        [self.pc, self.function.0, self.file.0, self.line]
    }
}

impl<'a> Frames<'a> {
    /// The frames in `bytes`, which hold whole frames of so many numbers.
    pub(crate) fn new(bytes: &'a [u8], numbers: usize) -> Self {
        Self {
            bytes,
            position: 0,
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
    /// assert_eq!(frames.next(), Some(Frame { pc: 8, function: 1.into(), file: 2.into(), line: 5 }));
    /// ```
    #[inline]
    pub fn skip_frame(&mut self) -> Option<u64> {
        let (pc, mut at) = varint::read_wrapping(self.bytes, self.position).ok()?;
        match varint::skip(self.bytes, at, self.numbers - 1) {
            Some(end) => at = end,
            None => {
                for _ in 1..self.numbers {
                    (_, at) = varint::read_wrapping(self.bytes, at).ok()?;
                }
            }
        }
        self.position = at;
        Some(pc)
    }
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let mut numbers = [0; 4];
        for number in numbers.iter_mut().take(self.numbers) {
            (*number, self.position) = varint::read_wrapping(self.bytes, self.position).ok()?;
        }
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
