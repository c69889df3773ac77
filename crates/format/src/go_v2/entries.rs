//! The entries of tables: strings, stacks, CPU samples and what a sync batch holds.

use super::{ARGS_MAX, Batch, BatchKind, EventType, Record};
use crate::error::Error;
use crate::limits::{V2_STACK_FRAMES_MAX, V2_STRING_BYTES_MAX};
use crate::varint::{self, VarintError};
use crate::version::Version;

/// Decodes the entries of one batch, in their order; the byte that tells the kind is no entry.
///
/// They are records of type String, Stack, CPUSample, Frequency and ClockSnapshot. An error is the
/// last item. Whether an id is defined twice is for the reader of the generation to see.
///
/// # Examples
///
/// ```
/// use exectrace_format::Version;
/// use exectrace_format::go_v2::{Batch, EventType};
///
/// let batch = Batch { data: b"\x04\x05\x07\x04main", ..Batch::EMPTY };
/// let entry = batch.entries(Version::Go1_26).next().unwrap()?;
/// assert_eq!((entry.event_type, entry.args[0], entry.rest), (EventType::String, 7, &b"main"[..]));
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The file's offset of the first byte.
    base: u64,
    kind: BatchKind,
    /// Which entries of a sync batch were there already.
    seen: [bool; 2],
}

impl<'a> Entries<'a> {
    pub(super) fn new(batch: &Batch<'a>, version: Version) -> Self {
        let kind = batch.kind(version);
        let (bytes, position) = match kind {
            BatchKind::Events | BatchKind::Experiment => (&[][..], 0),
            // Up to version 1.23 a sync batch has no byte of its own, only its frequency.
            BatchKind::Sync if !version.at_least(Version::Go1_25) => (batch.data, 0),
            _ => (batch.data, 1),
        };
        Self {
            bytes,
            position,
            base: batch.data_offset,
            kind,
            seen: [false; 2],
        }
    }

    /// Where in the file the next entry begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// The bytes from there on.
    #[inline(always)]
    pub(super) fn left(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Passes so many of them.
    #[inline(always)]
    pub(super) fn pass(&mut self, bytes: usize) {
        self.position += bytes;
    }

    /// Whether they are stacks.
    #[inline(always)]
    pub(super) fn has_stacks(&self) -> bool {
        self.kind == BatchKind::Stacks
    }

    fn entry(&mut self, number: u8) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        let event_type =
            EventType::from_number(number).filter(|&event_type| self.expects(event_type));
        let event_type = event_type.ok_or(Error::WrongEntry { offset, number })?;
        match event_type {
            EventType::String => self.string(),
            EventType::Stack => self.stack(),
            _ => self.plain(event_type),
        }
    }

    /// Whether such an entry may stand in this kind of batch.
    fn expects(&self, event_type: EventType) -> bool {
        match event_type {
            EventType::String => self.kind == BatchKind::Strings,
            EventType::Stack => self.kind == BatchKind::Stacks,
            EventType::CPUSample => self.kind == BatchKind::Samples,
            EventType::Frequency | EventType::ClockSnapshot => self.kind == BatchKind::Sync,
            _ => false,
        }
    }

    fn string(&mut self) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        let mut at = self.position + 1;
        let id = self.number(&mut at)?;
        let length_bytes = self.number(&mut at)?;
        if length_bytes > V2_STRING_BYTES_MAX as u64 {
            return Err(Error::StringTooLong {
                offset,
                length_bytes,
            });
        }
        let end = at + length_bytes as usize;
        let rest = self.bytes.get(at..end).ok_or(Error::Cut { offset })?;
        self.position = end;
        Ok(record(offset, EventType::String, id, rest))
    }

    fn stack(&mut self) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        let mut at = self.position + 1;
        let id = self.number(&mut at)?;
        let frames = self.number(&mut at)?;
        if frames > V2_STACK_FRAMES_MAX as u64 {
            return Err(Error::StackTooDeep { offset, frames });
        }
        let start = at;
        match varint::skip(self.bytes, at, 4 * frames as usize) {
            Some(end) => at = end,
            None => {
                for _ in 0..4 * frames {
                    self.number(&mut at)?;
                }
            }
        }
        self.position = at;
        Ok(record(offset, EventType::Stack, id, &self.bytes[start..at]))
    }

    /// Decodes an entry that is a row of the table and nothing else.
    fn plain(&mut self, event_type: EventType) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        if self.kind == BatchKind::Sync {
            let seen = &mut self.seen[usize::from(event_type == EventType::ClockSnapshot)];
            if std::mem::replace(seen, true) {
                return Err(Error::SyncRepeated { offset });
            }
        }
        let spec = event_type.spec();
        let mut at = self.position + 1;
        let delta = if spec.is_timed() {
            self.number(&mut at)?
        } else {
            0
        };
        let mut args = [0; ARGS_MAX];
        for arg in args.iter_mut().take(spec.args.len()) {
            *arg = self.number(&mut at)?;
        }
        self.position = at;
        Ok(Record {
            offset,
            event_type,
            delta,
            args,
            rest: &[],
        })
    }

    fn number(&self, at: &mut usize) -> Result<u64, Error> {
        match varint::read(self.bytes, *at) {
            Ok((number, next)) => {
                *at = next;
                Ok(number)
            }
            Err(VarintError::Cut) => Err(Error::Cut {
                offset: self.offset(),
            }),
            Err(_) => Err(Error::BadNumber {
                offset: self.base + *at as u64,
            }),
        }
    }
}

fn record(offset: u64, event_type: EventType, id: u64, rest: &[u8]) -> Record<'_> {
    let mut args = [0; ARGS_MAX];
    args[0] = id;
    Record {
        offset,
        event_type,
        delta: 0,
        args,
        rest,
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Record<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let &byte = self.bytes.get(self.position)?;
        let entry = self.entry(byte);
        if entry.is_err() {
            self.position = self.bytes.len();
        }
        Some(entry)
    }
}

impl std::iter::FusedIterator for Entries<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: Version, data: &[u8], good: usize, expect: Option<Error>) {
        let batch = Batch {
            data,
            data_offset: 100,
            ..Batch::EMPTY
        };
        let mut entries = batch.entries(version);
        for _ in 0..good {
            assert!(matches!(entries.next(), Some(Ok(_))));
        }
        assert_eq!(entries.next(), expect.map(Err));
        assert_eq!(entries.next(), None);
    }

    #[test]
    fn a_sync_batch_says_each_thing_once() {
        let (old, new) = (Version::Go1_23, Version::Go1_26);
        check(new, &[50, 51, 1, 2, 3, 4, 8, 9], 2, None);
        check(
            new,
            &[50, 8, 9, 8, 9],
            1,
            Some(Error::SyncRepeated { offset: 103 }),
        );
        let repeated = Some(Error::SyncRepeated { offset: 106 });
        check(new, &[50, 51, 1, 2, 3, 4, 51, 1, 2, 3, 4], 1, repeated);
        check(old, &[8, 9], 1, None);
        check(
            old,
            &[8, 9, 48],
            1,
            Some(Error::WrongEntry {
                offset: 102,
                number: 48,
            }),
        );
    }

    #[test]
    fn a_table_holds_its_own_entries_only() {
        let version = Version::Go1_26;
        check(
            version,
            &[4, 5, 1, 1, b'x', 3],
            1,
            Some(Error::WrongEntry {
                offset: 105,
                number: 3,
            }),
        );
        check(
            version,
            &[2, 3, 1, 0, 5],
            1,
            Some(Error::WrongEntry {
                offset: 104,
                number: 5,
            }),
        );
        check(
            version,
            &[6, 7, 1, 2, 3, 4, 5, 6],
            1,
            Some(Error::WrongEntry {
                offset: 107,
                number: 6,
            }),
        );
        check(
            version,
            &[4, 5, 1, 2, b'x'],
            0,
            Some(Error::Cut { offset: 101 }),
        );
        check(
            version,
            &[2, 3, 1, 1, 1, 2, 3],
            0,
            Some(Error::Cut { offset: 101 }),
        );
        check(version, &[15, 1], 0, None);
    }
}
