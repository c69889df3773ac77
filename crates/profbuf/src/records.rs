//! The records of one read.
#![expect(unsafe_code, reason = "tags are borrowed from the shared ring")]

use std::{fmt, iter::FusedIterator};

use crate::{
    Record,
    record::{FIXED_WORDS, LOSS},
    ring::Ring,
};

/// The records of one read, oldest first; borrowed from the buffer until the next read.
pub struct Records<'a, T> {
    ring: &'a Ring<T>,
    /// Whole records that the reader has checked.
    words: &'a [u64],
    /// The tag count of the first of them.
    tag: u32,
    records: usize,
}

impl<'a, T> Records<'a, T> {
    /// The records in `words`.
    ///
    /// # Safety
    ///
    /// `words` is `records` whole records. The slots of as many tags, counted from `tag`, belong
    /// to the reader for the lifetime `'a`, and none is taken meanwhile; a record of a loss
    /// needs no slot.
    pub(crate) unsafe fn new(
        ring: &'a Ring<T>,
        words: &'a [u64],
        tag: u32,
        records: usize,
    ) -> Self {
        Self {
            ring,
            words,
            tag,
            records,
        }
    }
}

impl<'a, T> Iterator for Records<'a, T> {
    type Item = Record<'a, T>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (&length, _) = self.words.split_first()?;
        let is_loss = length & LOSS != 0;
        let (record, rest) = self.words.split_at((length & !LOSS) as usize);
        let (fixed, payload) = record.split_at(FIXED_WORDS);
        let (header, stack) = payload.split_at(self.ring.header_words);
        let tag = if is_loss {
            None
        } else {
            // SAFETY: the slot is the reader's for `'a`, says who called `new`.
            unsafe { self.ring.tags.get(self.tag) }
        };
        self.words = rest;
        self.tag = self.tag.wrapping_add(1);
        self.records -= 1;
        Some(Record {
            time: fixed[1],
            header,
            stack,
            tag,
            is_loss,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.records, Some(self.records))
    }
}

impl<T> ExactSizeIterator for Records<'_, T> {}

impl<T> FusedIterator for Records<'_, T> {}

impl<T> Clone for Records<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T> fmt::Debug for Records<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}
