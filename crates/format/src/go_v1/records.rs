//! The records of a file, one after another.

mod near;
mod plain;
mod tables;

use super::layout::{DELTA, Layout, PLACES, SEQUENCE, Tables, tables};
use super::{ARGS_MAX, EventType, Record};
use crate::error::Error;
use crate::limits::HEADER_BYTES;
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
    tables: Tables,
    /// A fault that follows a record that could still be delivered.
    pending: Option<Error>,
}

pub use near::NearEvent;
pub use plain::PlainEvents;

/// A record without its arguments: see [`Records::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Head<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its type.
    pub event_type: EventType,
    /// As [`Record::sequence`].
    pub sequence: u64,
    /// As [`Record::delta`].
    pub delta: u64,
    /// As [`Record::rest`].
    pub rest: &'a [u8],
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
            tables: tables(version),
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

    /// Decodes the next record: its arguments into `args`, where nothing is left of earlier ones, the rest into the answer. `None`
    /// at the end. Faster than the iterator, whose records are moved.
    ///
    /// # Errors
    ///
    /// As those of the iterator's items; what `args` holds then is not said.
    // As a call it would move what it answers through memory.
    #[inline(always)]
    pub fn advance(&mut self, args: &mut [u64; ARGS_MAX]) -> Option<Result<Head<'a>, Error>> {
        if let Some(fault) = self.pending.take() {
            return Some(Err(fault));
        }
        if let Some(head) = self.plain(args) {
            return Some(Ok(head));
        }
        let &byte = self.bytes.get(self.position)?;
        Some(self.any(byte, args))
    }

    /// The events to come as long as they are as nearly all are; the records can go on after them with [`Records::go_on`]: see [`PlainEvents`].
    #[inline(always)]
    #[must_use]
    pub fn plain_ones(&self) -> PlainEvents<'a> {
        let position = if self.pending.is_some() {
            self.bytes.len()
        } else {
            self.position
        };
        PlainEvents {
            bytes: self.bytes.get(position..).unwrap_or_default(),
            end: self.offset_of(self.bytes.len()),
            forms: self.tables.forms,
        }
    }

    /// Goes on after the events that were taken from [`Records::plain_ones`].
    #[inline(always)]
    pub fn go_on(&mut self, after: PlainEvents<'_>) {
        if self.pending.is_none() {
            self.position = self.bytes.len() - after.bytes.len();
        }
    }

    /// Passes the next record if it is an event as nearly all are, and of a type that `is_passed` names: gives its time since the
    /// record before. `None` says nothing of what comes; [`Records::advance`] decodes it.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_format::Version;
    /// use exectrace_format::go_v1::{Event, EventType, GoEnd, GoSched, Records};
    /// use exectrace_format::StackId;
    ///
    /// let mut bytes = Vec::new();
    /// GoSched { stack: StackId(300) }.append(7, &mut bytes);
    /// GoEnd {}.append(1, &mut bytes);
    /// bytes.extend([0; 8]);
    /// let mut records = Records::resume(Version::Go1_19, &bytes, 0);
    /// assert_eq!(records.pass(|event_type| event_type == EventType::GoSched), Some(7));
    /// assert_eq!(records.pass(|event_type| event_type == EventType::GoSched), None);
    /// assert_eq!(records.next().unwrap()?.event_type, EventType::GoEnd);
    /// # Ok::<(), exectrace_format::Error>(())
    /// ```
    #[inline(always)]
    pub fn pass(&mut self, is_passed: impl Fn(EventType) -> bool) -> Option<u64> {
        let &byte = self.bytes.get(self.position)?;
        let form = self.tables.forms[usize::from(byte)];
        let event_type = form.event_type?;
        if self.pending.is_some() || !is_passed(event_type) {
            return None;
        }
        let count = usize::from(form.count);
        if byte >> 6 < 3 {
            let (delta, at) = varint::read_wrapping(self.bytes, self.position + 1).ok()?;
            self.position = varint::skip(self.bytes, at, count - 1)?;
            return Some(delta);
        }
        let at = self.position + 2;
        let &length_bytes = self.bytes.get(at - 1).filter(|&&byte| byte < 0x80)?;
        let end = at + usize::from(length_bytes);
        if varint::skip(self.bytes, at, count)? != end {
            return None;
        }
        let (delta, _) = varint::read_wrapping(self.bytes, at).ok()?;
        self.position = end;
        Some(delta)
    }

    #[inline(never)]
    fn any(&mut self, byte: u8, args: &mut [u64; ARGS_MAX]) -> Result<Head<'a>, Error> {
        let start = self.position;
        let record = self.record(byte);
        if record.is_err() && self.position == start {
            // Nobody knows where the next record begins.
            self.position = self.bytes.len();
        }
        let record = record?;
        *args = record.args;
        Ok(Head {
            offset: record.offset,
            event_type: record.event_type,
            sequence: record.sequence,
            delta: record.delta,
            rest: record.rest,
        })
    }

    /// Decodes an event as nearly all are; `None` for any other and for a faulty one.
    #[inline(always)]
    fn plain(&mut self, args: &mut [u64; ARGS_MAX]) -> Option<Head<'a>> {
        let mut plain = self.plain_ones();
        let (event_type, offset, delta) = plain.advance(args)?;
        self.go_on(plain);
        Some(Head {
            offset,
            event_type,
            sequence: 0,
            delta,
            rest: &[],
        })
    }

    /// Decodes the record that begins with `byte`. On an error, the position moves on only if the
    /// record's end is known.
    fn record(&mut self, byte: u8) -> Result<Record<'a>, Error> {
        let start = self.position;
        let number = byte & 0x3f;
        let layout = &self.tables.layouts[usize::from(number)];
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
        let mut args = [0; ARGS_MAX];
        let head = self.advance(&mut args)?;
        Some(head.map(|head| Record {
            offset: head.offset,
            event_type: head.event_type,
            sequence: head.sequence,
            delta: head.delta,
            args,
            rest: head.rest,
        }))
    }
}

impl std::iter::FusedIterator for Records<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes and tells the type or the error of each item.
    fn decode(version: Version, bytes: &[u8]) -> Vec<Result<EventType, Error>> {
        let records = Records::resume(version, bytes, 100);
        records
            .map(|record| record.map(|record| record.event_type))
            .collect()
    }

    #[track_caller]
    fn check(bytes: &[u8], expect: &[Result<EventType, Error>]) {
        assert_eq!(decode(Version::Go1_19, bytes), expect);
    }

    const GO_END: Result<EventType, Error> = Ok(EventType::GoEnd);

    #[test]
    fn decoding_goes_on_where_the_end_of_a_faulty_record_is_known() {
        let wrong = Error::WrongCount {
            offset: 100,
            number: 14,
            want: 3,
            got: 2,
        };
        check(&[14 | 1 << 6, 1, 2, 15, 1], &[Err(wrong), GO_END]);
        let wrong = Error::WrongCount {
            offset: 100,
            number: 14,
            want: 3,
            got: 4,
        };
        check(&[14 | 3 << 6, 4, 1, 2, 3, 4, 15, 1], &[Err(wrong), GO_END]);
        let wrong = Error::WrongLength {
            offset: 100,
            length_bytes: 2,
        };
        check(&[14 | 3 << 6, 2, 1, 0x80, 15, 1], &[Err(wrong), GO_END]);
        check(
            &[37, 0, 1, b'x', 15, 1],
            &[Err(Error::StringIdZero { offset: 100 }), GO_END],
        );
        check(
            &[37, 1, 0, 15, 1],
            &[Err(Error::StringEmpty { offset: 100 }), GO_END],
        );
        let deep = Error::StackTooDeep {
            offset: 100,
            frames: 1001,
        };
        check(&[3 | 3 << 6, 3, 1, 0xe9, 7, 15, 1], &[Err(deep), GO_END]);
        let wrong = Error::WrongCount {
            offset: 100,
            number: 3,
            want: 6,
            got: 5,
        };
        check(
            &[3 | 3 << 6, 5, 1, 1, 9, 9, 9, 15, 1],
            &[Err(wrong), GO_END],
        );
    }

    #[test]
    fn other_faults_end_it() {
        check(
            &[15, 1, 0, 15, 1],
            &[
                GO_END,
                Err(Error::UnknownType {
                    offset: 102,
                    number: 0,
                }),
            ],
        );
        check(&[15, 1, 15], &[GO_END, Err(Error::Cut { offset: 102 })]);
        check(&[15, 0x80], &[Err(Error::Cut { offset: 100 })]);
        check(&[21 | 3 << 6, 9, 1, 1], &[Err(Error::Cut { offset: 100 })]);
        check(&[37, 1, 5, b'x'], &[Err(Error::Cut { offset: 100 })]);
        let overlong = [&[15][..], &[0xff; 10], &[15, 1]].concat();
        check(&overlong, &[Err(Error::BadNumber { offset: 101 })]);
        let newer = decode(Version::Go1_7, &[42 | 1 << 6, 1, 1]);
        assert_eq!(
            newer,
            [Err(Error::UnknownType {
                offset: 100,
                number: 42
            })]
        );
    }

    #[test]
    fn a_fault_in_a_message_does_not_cost_the_log() {
        let log = Ok(EventType::UserLog);
        let head = [48 | 3 << 6, 4, 1, 0, 0, 0];
        check(
            &[&head[..], &[2, b'h', b'i', 15, 1]].concat(),
            &[log, GO_END],
        );
        check(
            &[&head[..], &[3, b'h', b'i']].concat(),
            &[log, Err(Error::MessageCut { offset: 106 })],
        );
        check(&head, &[log, Err(Error::MessageCut { offset: 106 })]);
        let mut long = head.to_vec();
        varint::push(&mut long, 1_000_001);
        let length_bytes = 1_000_001;
        let too_long = Err(Error::StringTooLong {
            offset: 106,
            length_bytes,
        });
        check(&long, &[log, too_long]);
        long.resize(long.len() + 1_000_001, b'x');
        long.extend([15, 1]);
        check(&long, &[log, too_long, GO_END]);
    }

    #[test]
    fn the_length_form_needs_no_need() {
        check(&[15 | 3 << 6, 1, 7, 15, 1], &[GO_END, GO_END]);
        // A length that is padded, too.
        check(&[15 | 3 << 6, 0x81, 0, 7, 15, 1], &[GO_END, GO_END]);
    }
}
