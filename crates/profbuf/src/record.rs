//! A record: how it lies in the data ring, and how the reader sees it.
//!
//! ```text
//! length │ time │ header …, padded with zeros │ stack …
//! ```
//!
//! `length` counts the words of the whole record, itself included. A record that says how many
//! were lost has a header of zeros and a stack of one word, the number, and the top bit of its
//! length is set. A word of zero where a length is expected is the rewind marker: the next
//! record is at the ring's start.

use std::fmt;

/// Words before the header: length and time.
pub(crate) const FIXED_WORDS: usize = 2;

/// The rewind marker.
pub(crate) const MARKER: u64 = 0;

/// The bit of a length that says that the record tells of lost ones; lengths stay below 2²⁹.
pub(crate) const LOSS: u64 = 1 << 63;

/// Words of a record that tells of lost ones.
pub(crate) fn loss_words(header_words: usize) -> usize {
    header_words.saturating_add(FIXED_WORDS + 1)
}

/// One record, borrowed from the buffer until the next read.
pub struct Record<'a, T> {
    /// The time that the writer gave; if the record tells of a loss, that of the first lost.
    pub time: u64,
    /// The header, as many words as the buffer's records have, short ones padded with zeros;
    /// all zero if the record tells of a loss.
    pub header: &'a [u64],
    /// The stack; one word, the number lost, if the record tells of a loss.
    pub stack: &'a [u64],
    /// The tag, if one was given.
    pub tag: Option<&'a T>,
    pub(crate) is_loss: bool,
}

impl<T> Record<'_, T> {
    /// How many records were lost here, if that is what this record tells.
    ///
    /// They are those that would have come next after the record before, and
    /// [`time`](Self::time) is that of the first of them. The number stays at 2³² − 1 rather
    /// than wrap.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_profbuf::{Mode, Read, Sizes, buffer};
    ///
    /// let sizes = Sizes { header_words: 1, data_words: 8, tags: 8 };
    /// let (mut writer, mut reader) = buffer::<()>(sizes)?;
    /// writer.write(None, 100, &[1], &[0xa, 0xb]).unwrap();
    /// writer.write(None, 101, &[1], &[0xa, 0xb]).unwrap_err(); // 5 words of 8 are taken.
    /// writer.write(None, 102, &[1], &[]).unwrap_err(); // Would fit, but out of order.
    ///
    /// let Read::Records(_) = reader.read(Mode::NonBlocking) else { panic!() };
    /// let Read::Records(mut records) = reader.read(Mode::NonBlocking) else { panic!() };
    /// let record = records.next().unwrap();
    /// assert_eq!((record.time, record.lost()), (101, Some(2)));
    /// # Ok::<(), exectrace_profbuf::Error>(())
    /// ```
    pub fn lost(&self) -> Option<u64> {
        self.is_loss.then(|| self.stack[0])
    }
}

impl<T> Clone for Record<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Record<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Record<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("time", &self.time)
            .field("header", &self.header)
            .field("stack", &self.stack)
            .field("tag", &self.tag)
            .field("lost", &self.lost())
            .finish()
    }
}
