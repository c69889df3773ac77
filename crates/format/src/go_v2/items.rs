//! The framing of a file: batches and the ends of generations.

use super::{Batch, EventType, Generation};
use crate::error::Error;
use crate::ids::ThreadId;
use crate::limits::{HEADER_BYTES, V2_BATCH_BYTES_MAX};
use crate::varint::{self, VarintError};
use crate::version::{Format, Version};

/// What a file consists of after its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item<'a> {
    /// A batch.
    Batch(Batch<'a>),
    /// The marker after the last batch of a generation, from version 1.26 on.
    EndOfGeneration {
        /// Where it stands in the file.
        offset: u64,
    },
}

/// Reads the framing of a file, without looking into the batches.
///
/// An error is the last item: behind a faulty batch nobody knows where the next one begins. Whoever
/// finds one goes on from there with [`Items::resume`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The file's offset of the first byte.
    base: u64,
    version: Version,
}

impl<'a> Items<'a> {
    /// The items of a whole file, header included.
    ///
    /// # Errors
    ///
    /// Those of [`Version::of`]; [`Error::UnsupportedVersion`] also for a file of format v1.
    pub fn of_file(file: &'a [u8]) -> Result<Self, Error> {
        let version = Version::of(file)?;
        match version.format() {
            Format::V2 => Ok(Self::resume(
                version,
                &file[HEADER_BYTES..],
                HEADER_BYTES as u64,
            )),
            Format::V1 => Err(Error::UnsupportedVersion {
                major: 1,
                minor: version.minor(),
            }),
        }
    }

    /// The items of a part of a file that begins where an item does, at `offset` in the file.
    #[must_use]
    pub fn resume(version: Version, bytes: &'a [u8], offset: u64) -> Self {
        Self {
            bytes,
            position: 0,
            base: offset,
            version,
        }
    }

    /// The version, which says what is in the batches.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Where in the file the next item begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    fn item(&mut self, byte: u8) -> Result<Item<'a>, Error> {
        const BATCH: u8 = EventType::EventBatch as u8;
        const EXPERIMENTAL: u8 = EventType::ExperimentalBatch as u8;
        const END: u8 = EventType::EndOfGeneration as u8;
        let offset = self.offset();
        let mut at = self.position + 1;
        match byte {
            END if self
                .version
                .at_least(EventType::EndOfGeneration.spec().since) =>
            {
                self.position = at;
                Ok(Item::EndOfGeneration { offset })
            }
            BATCH => self.batch(None, at).map(Item::Batch),
            EXPERIMENTAL => {
                let &experiment = self.bytes.get(at).ok_or(Error::Cut { offset })?;
                at += 1;
                self.batch(Some(experiment), at).map(Item::Batch)
            }
            _ => Err(Error::NotABatch { offset, byte }),
        }
    }

    /// Reads the batch whose generation stands at `at`.
    fn batch(&mut self, experiment: Option<u8>, mut at: usize) -> Result<Batch<'a>, Error> {
        let offset = self.offset();
        let mut numbers = [0; 4];
        for number in &mut numbers {
            (*number, at) = varint::read(self.bytes, at).map_err(|fault| match fault {
                VarintError::Cut => Error::Cut { offset },
                _ => Error::BadNumber {
                    offset: self.base + at as u64,
                },
            })?;
        }
        let [generation, thread, time, length_bytes] = numbers;
        if generation == 0 {
            return Err(Error::GenerationZero { offset });
        }
        if length_bytes > V2_BATCH_BYTES_MAX as u64 {
            return Err(Error::BatchTooLong {
                offset,
                length_bytes,
            });
        }
        let end = at + length_bytes as usize;
        let data = self.bytes.get(at..end).ok_or(Error::Cut { offset })?;
        self.position = end;
        let generation = Generation(generation);
        let data_offset = self.base + at as u64;
        Ok(Batch {
            offset,
            experiment,
            generation,
            thread: ThreadId(thread),
            time,
            data_offset,
            data,
        })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Item<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let &byte = self.bytes.get(self.position)?;
        let item = self.item(byte);
        if item.is_err() {
            self.position = self.bytes.len();
        }
        Some(item)
    }
}

impl std::iter::FusedIterator for Items<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: Version, bytes: &[u8], expect: Error) {
        let mut items = Items::resume(version, bytes, 100);
        assert_eq!(items.next(), Some(Err(expect)));
        assert_eq!(items.next(), None);
    }

    #[test]
    fn each_fault_has_its_error() {
        let new = Version::Go1_26;
        check(new, &[1], Error::Cut { offset: 100 });
        check(new, &[0x31], Error::Cut { offset: 100 });
        check(new, &[1, 1, 0x80], Error::Cut { offset: 100 });
        check(new, &[1, 1, 0, 0, 2, 9], Error::Cut { offset: 100 });
        check(new, &[1, 0, 0, 0, 0], Error::GenerationZero { offset: 100 });
        check(
            new,
            &[9],
            Error::NotABatch {
                offset: 100,
                byte: 9,
            },
        );
        check(
            Version::Go1_25,
            &[0x34],
            Error::NotABatch {
                offset: 100,
                byte: 0x34,
            },
        );
        let overlong = [&[1, 1][..], &[0xff; 10]].concat();
        check(new, &overlong, Error::BadNumber { offset: 102 });
    }

    #[test]
    fn a_batch_of_65536_bytes_is_the_longest() {
        let data = vec![0; V2_BATCH_BYTES_MAX + 1];
        let batch = |length_bytes: usize| {
            let mut bytes = Vec::new();
            let data = &data[..length_bytes];
            Batch {
                generation: Generation(1),
                data,
                ..Batch::EMPTY
            }
            .append(&mut bytes);
            bytes
        };
        let longest = batch(V2_BATCH_BYTES_MAX);
        let item = Items::resume(Version::Go1_26, &longest, 0).next();
        assert!(
            matches!(item, Some(Ok(Item::Batch(Batch { data, .. }))) if data.len() == V2_BATCH_BYTES_MAX)
        );
        let error = Error::BatchTooLong {
            offset: 100,
            length_bytes: 65_537,
        };
        check(Version::Go1_26, &batch(V2_BATCH_BYTES_MAX + 1), error);
    }
}
