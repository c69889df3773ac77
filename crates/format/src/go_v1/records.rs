//! The records of a file, one after another.

use super::layout::{DELTA, Layout, Layouts, PLACES, SEQUENCE, layouts};
use super::{ARGS_MAX, EventType, Record, frame_numbers};
use crate::error::Error;
use crate::limits::{HEADER_BYTES, V1_STACK_FRAMES_MAX, V1_STRING_BYTES_MAX};
use crate::spec::Shape;
use crate::varint::{self, VarintError};
use crate::version::{Format, Version};

/// Decodes records in file order, without any meaning: no batches, no time, no order.
///
/// A fault comes out as an error in the place of the record. When it is still known where that
/// record ends, decoding goes on after it; else the error is the last item. Whoever refuses faulty
/// files stops at the first error.
///
/// As in Go's own readers, bits of a number past the 64th are dropped, and the count bits of
/// strings do not matter.
///
/// # Examples
///
/// ```
/// use exectrace_format::Version;
/// use exectrace_format::go_v1::{Batch, Event, EventType, GoEnd, Records};
///
/// let mut file = Version::Go1_19.header().to_vec();
/// Batch::default().append(0, &mut file);
/// GoEnd {}.append(7, &mut file);
/// let types: Vec<_> = Records::of_file(&file)?.map(|record| record.unwrap().event_type).collect();
/// assert_eq!(types, [EventType::Batch, EventType::GoEnd]);
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The file's offset of the first byte.
    base: u64,
    version: Version,
    layouts: &'static Layouts,
    /// A fault that follows a record that could still be delivered.
    pending: Option<Error>,
}

impl<'a> Records<'a> {
    /// The records of a whole file, header included.
    ///
    /// # Errors
    ///
    /// Those of [`Version::of`]; [`Error::UnsupportedVersion`] also for a file of format v2.
    pub fn of_file(file: &'a [u8]) -> Result<Self, Error> {
        let version = Version::of(file)?;
        match version.format() {
            Format::V1 => Ok(Self::resume(
                version,
                &file[HEADER_BYTES..],
                HEADER_BYTES as u64,
            )),
            Format::V2 => Err(Error::UnsupportedVersion {
                major: 1,
                minor: version.minor(),
            }),
        }
    }

    /// The records of a part of a file that begins where a record does, at `offset` in the file.
    #[must_use]
    pub fn resume(version: Version, bytes: &'a [u8], offset: u64) -> Self {
        Self {
            bytes,
            position: 0,
            base: offset,
            version,
            layouts: layouts(version),
            pending: None,
        }
    }

    /// The version, which says what is in the records.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Where in the file the next record begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset_of(self.position)
    }

    fn offset_of(&self, position: usize) -> u64 {
        self.base + position as u64
    }

    /// Decodes an event as nearly all are; `None` for any other and for a faulty one.
    #[inline]
    fn plain(&mut self, byte: u8) -> Option<Record<'a>> {
        let start = self.position;
        let layout = &self.layouts[usize::from(byte & 0x3f)];
        let event_type = layout.event_type.filter(|_| layout.plain)?;
        let mut at = start + 1;
        let length_form = byte >> 6 == 3;
        let mut end = 0;
        if length_form {
            let &length_bytes = self
                .bytes
                .get(at)
                .filter(|&&length_bytes| length_bytes < 0x80)?;
            at += 1;
            end = at + usize::from(length_bytes);
        } else if byte >> 6 != layout.count - 1 {
            return None;
        }
        let delta;
        (delta, at) = varint::read_wrapping(self.bytes, at).ok()?;
        let mut args = [0; ARGS_MAX];
        for arg in args.iter_mut().take(usize::from(layout.count - 1)) {
            (*arg, at) = varint::read_wrapping(self.bytes, at).ok()?;
        }
        if length_form && at != end {
            return None;
        }
        self.position = at;
        let offset = self.offset_of(start);
        Some(Record {
            offset,
            event_type,
            sequence: 0,
            delta,
            args,
            rest: &[],
        })
    }

    /// Decodes the record that begins with `byte`. On an error, the position moves on only if the
    /// record's end is known.
    #[inline(never)]
    fn record(&mut self, byte: u8) -> Result<Record<'a>, Error> {
        let start = self.position;
        let number = byte & 0x3f;
        let layout = &self.layouts[usize::from(number)];
        let Some(event_type) = layout.event_type else {
            return Err(Error::UnknownType {
                offset: self.offset_of(start),
                number,
            });
        };
        match event_type {
            EventType::String => return self.string(),
            EventType::Stack if byte >> 6 == 3 => return self.stack(),
            _ => {}
        }
        let places = if byte >> 6 == 3 {
            self.length_form(layout)?
        } else {
            self.counted_form(layout, byte >> 6)?
        };
        let [a, b, c, d, ..] = places;
        let args: [u64; ARGS_MAX] = [a, b, c, d];
        let rest = if layout.shape == Shape::Log {
            self.message()
        } else {
            &[]
        };
        let offset = self.offset_of(start);
        Ok(Record {
            offset,
            event_type,
            sequence: places[SEQUENCE],
            delta: places[DELTA],
            args,
            rest,
        })
    }

    /// Decodes the numbers of a record whose count bits say how many there are.
    #[inline]
    fn counted_form(&mut self, layout: &Layout, count_bits: u8) -> Result<[u64; PLACES], Error> {
        let start = self.position;
        let mut at = start + 1;
        let mut places = [0; PLACES];
        // Version 1.5 does not count its sequence number.
        let count = count_bits + 1 + u8::from(self.version == Version::Go1_5);
        if count != layout.count || layout.shape == Shape::Raw {
            for _ in 0..count {
                self.number(&mut at)?;
            }
            self.position = at;
            return Err(self.wrong_count(start, layout, u64::from(count)));
        }
        for &place in layout.places() {
            places[usize::from(place) % PLACES] = self.number(&mut at)?;
        }
        self.position = at;
        Ok(places)
    }

    /// Decodes the numbers of a record whose length stands before them.
    #[inline]
    fn length_form(&mut self, layout: &Layout) -> Result<[u64; PLACES], Error> {
        let start = self.position;
        let payload = self.payload()?;
        let mut places = [0; PLACES];
        let mut at = 0;
        let mut count = 0;
        while at < payload.len() {
            let Ok((number, next)) = varint::read_wrapping(payload, at) else {
                return Err(self.wrong_length(start, payload));
            };
            if let Some(&place) = layout.places().get(count) {
                places[usize::from(place) % PLACES] = number;
            }
            at = next;
            count += 1;
        }
        if count != usize::from(layout.count) {
            return Err(self.wrong_count(start, layout, count as u64));
        }
        Ok(places)
    }

    /// Decodes a stack: id, count and frames, all of which are counted here.
    fn stack(&mut self) -> Result<Record<'a>, Error> {
        let start = self.position;
        let payload = self.payload()?;
        let wrong_length = |records: &Self| records.wrong_length(start, payload);
        let mut at = 0;
        let mut numbers = 0_u64;
        let mut heads = [0; 2];
        let mut frames_at = 0;
        while at < payload.len() {
            let (number, next) =
                varint::read_wrapping(payload, at).map_err(|_| wrong_length(self))?;
            at = next;
            if let Some(head) = heads.get_mut(numbers as usize) {
                *head = number;
                frames_at = at;
            }
            numbers += 1;
        }
        let [id, frames] = heads;
        let offset = self.offset_of(start);
        if frames > V1_STACK_FRAMES_MAX as u64 {
            return Err(Error::StackTooDeep { offset, frames });
        }
        let want = 2 + frames * frame_numbers(self.version) as u64;
        if numbers != want {
            let number = EventType::Stack as u8;
            return Err(Error::WrongCount {
                offset,
                number,
                want,
                got: numbers,
            });
        }
        let args = [id, 0, 0, 0];
        let rest = &payload[frames_at..];
        Ok(Record {
            offset,
            event_type: EventType::Stack,
            sequence: 0,
            delta: 0,
            args,
            rest,
        })
    }

    /// Decodes a string: id, length and text.
    fn string(&mut self) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        let mut at = self.position + 1;
        let id = self.number(&mut at)?;
        let length_bytes = self.number(&mut at)?;
        let text = self.bytes_at(at, length_bytes).ok_or(Error::Cut { offset });
        let too_long = length_bytes > V1_STRING_BYTES_MAX as u64;
        if let Ok(text) = text {
            self.position = at + text.len();
        }
        match (id, length_bytes, text) {
            (0, ..) => Err(Error::StringIdZero { offset }),
            (_, 0, _) => Err(Error::StringEmpty { offset }),
            _ if too_long => Err(Error::StringTooLong {
                offset,
                length_bytes,
            }),
            (_, _, text) => {
                let args = [id, 0, 0, 0];
                let event_type = EventType::String;
                Ok(Record {
                    offset,
                    event_type,
                    sequence: 0,
                    delta: 0,
                    args,
                    rest: text?,
                })
            }
        }
    }

    /// Decodes the message after a log. A fault in it does not cost the log.
    fn message(&mut self) -> &'a [u8] {
        let start = self.position;
        let offset = self.offset_of(start);
        let mut at = start;
        let fault = match self.number(&mut at) {
            Ok(length_bytes) => match self.bytes_at(at, length_bytes) {
                Some(message) => {
                    self.position = at + message.len();
                    if message.len() <= V1_STRING_BYTES_MAX {
                        return message;
                    }
                    Error::StringTooLong {
                        offset,
                        length_bytes,
                    }
                }
                None if length_bytes > V1_STRING_BYTES_MAX as u64 => {
                    self.position = self.bytes.len();
                    Error::StringTooLong {
                        offset,
                        length_bytes,
                    }
                }
                None => {
                    self.position = self.bytes.len();
                    Error::MessageCut { offset }
                }
            },
            Err(fault) => {
                self.position = self.bytes.len();
                match fault {
                    Error::Cut { .. } => Error::MessageCut { offset },
                    fault => fault,
                }
            }
        };
        self.pending = Some(fault);
        &[]
    }

    /// The bytes that the length of the record here tells, and moves on behind them.
    #[inline]
    fn payload(&mut self) -> Result<&'a [u8], Error> {
        let start = self.position;
        let mut at = start + 1;
        let length_bytes = self.number(&mut at)?;
        match self.bytes_at(at, length_bytes) {
            Some(payload) => {
                self.position = at + payload.len();
                Ok(payload)
            }
            None => Err(Error::Cut {
                offset: self.offset_of(start),
            }),
        }
    }

    /// Decodes the number at `at` and moves `at` behind it.
    #[inline]
    fn number(&self, at: &mut usize) -> Result<u64, Error> {
        match varint::read_wrapping(self.bytes, *at) {
            Ok((number, next)) => {
                *at = next;
                Ok(number)
            }
            Err(VarintError::Cut) => Err(Error::Cut {
                offset: self.offset_of(self.position),
            }),
            Err(_) => Err(Error::BadNumber {
                offset: self.offset_of(*at),
            }),
        }
    }

    #[inline]
    fn bytes_at(&self, at: usize, length_bytes: u64) -> Option<&'a [u8]> {
        let length = usize::try_from(length_bytes).ok()?;
        self.bytes.get(at..at.checked_add(length)?)
    }

    #[cold]
    fn wrong_count(&self, start: usize, layout: &Layout, got: u64) -> Error {
        let number = layout.event_type.map_or(0, |event_type| event_type as u8);
        let want = u64::from(layout.count);
        Error::WrongCount {
            offset: self.offset_of(start),
            number,
            want,
            got,
        }
    }

    #[cold]
    fn wrong_length(&self, start: usize, payload: &[u8]) -> Error {
        Error::WrongLength {
            offset: self.offset_of(start),
            length_bytes: payload.len() as u64,
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.pending.take() {
            return Some(Err(fault));
        }
        let start = self.position;
        let &byte = self.bytes.get(start)?;
        if let Some(record) = self.plain(byte) {
            return Some(Ok(record));
        }
        let record = self.record(byte);
        if record.is_err() && self.position == start {
            // Nobody knows where the next record begins.
            self.position = self.bytes.len();
        }
        Some(record)
    }
}

impl std::iter::FusedIterator for Records<'_> {}
