//! The reading side.
#![expect(
    unsafe_code,
    reason = "the reader borrows from the part of the shared rings that is its own"
)]

use std::fmt;

use crate::{
    Mode, Read, Records,
    alarm::Turn,
    counts::Counts,
    overflow::Loss,
    record::{self, FIXED_WORDS, LOSS, MARKER},
    ring::Ring,
    sync::Arc,
};

/// The reading handle of a buffer; made by [`buffer`](crate::buffer()).
///
/// There is one, and it may move between threads.
pub struct Reader<T> {
    ring: Arc<Ring<T>>,
    /// What has been given back to the writer.
    given: Counts,
    /// Where the next read begins; from `given` to here is what was returned last.
    next: Counts,
    turn: Turn,
    /// A record that tells of a loss, made up here.
    told: Box<[u64]>,
}

/// What a look at the buffer found.
enum Found {
    Stretch(Stretch),
    Loss(Loss),
    Nothing,
    End,
}

/// Whole records, one after the other in the data ring.
struct Stretch {
    at: usize,
    words: usize,
    records: usize,
    first_tag: u32,
}

impl<T> Reader<T> {
    /// The reader of an empty ring that starts at these counts.
    pub(crate) fn new(ring: Arc<Ring<T>>, start: Counts) -> Self {
        let mut told = vec![0; record::loss_words(ring.header_words)].into_boxed_slice();
        told[0] = told.len() as u64 | LOSS;
        Self {
            ring,
            given: start,
            next: start,
            turn: Turn::default(),
            told,
        }
    }

    /// Returns the next records, in the order in which they were written or lost.
    ///
    /// Not necessarily all that there are: those at the ring's end come before those at its
    /// start, and a loss that follows them comes alone. What is returned stays valid until the
    /// next read, which drops the tags and gives the room back to the writer.
    ///
    /// A [blocking](Mode::Blocking) read of an empty buffer sleeps until records have been lost,
    /// the data ring is half full or the writer is gone: records that come slowly may wait for
    /// long, so poll if they are not to. It parks the thread, and may use up a token that somebody
    /// else left for it by `unpark`.
    ///
    /// # Panics
    ///
    /// If the drop of a tag does; the reader can still be used. And if the buffer's own state
    /// contradicts itself.
    ///
    /// # Signal safety
    ///
    /// Not safe. But a signal handler on the reading thread may write meanwhile.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_profbuf::{Mode, Read, Sizes, buffer};
    ///
    /// let sizes = Sizes { header_words: 1, data_words: 64, tags: 8 };
    /// let (mut writer, mut reader) = buffer::<&str>(sizes)?;
    /// assert!(matches!(reader.read(Mode::NonBlocking), Read::Empty));
    ///
    /// writer.write(Some("tag"), 17, &[1], &[0x1000]).unwrap();
    /// writer.write(None, 18, &[1], &[]).unwrap();
    /// let Read::Records(records) = reader.read(Mode::Blocking) else { panic!() };
    /// let times: Vec<u64> = records.map(|record| record.time).collect();
    /// assert_eq!(times, [17, 18]);
    ///
    /// writer.close();
    /// assert!(matches!(reader.read(Mode::Blocking), Read::End));
    /// # Ok::<(), exectrace_profbuf::Error>(())
    /// ```
    pub fn read(&mut self, mode: Mode) -> Read<'_, T> {
        self.give_back();
        loop {
            match self.look() {
                Found::Stretch(stretch) => return Read::Records(self.records(&stretch)),
                Found::Loss(loss) => return Read::Records(self.tell(loss)),
                Found::End => return Read::End,
                Found::Nothing if mode == Mode::NonBlocking => return Read::Empty,
                Found::Nothing => self.sleep(),
            }
        }
    }

    /// Drops the tags of what was returned last and gives its room to the writer.
    fn give_back(&mut self) {
        for ahead in 0..self.next.tags_since(self.given) {
            let tag = self.given.tags().wrapping_add(ahead);
            // SAFETY: the slot is the reader's until the store below, and the borrow of what was
            // returned has ended, since this is a new read.
            drop(unsafe { self.ring.tags.take(tag) });
        }
        if self.next != self.given {
            #[cfg(loom)]
            self.ring
                .words
                .end_of_slices(self.given.words(), self.next.words_since(self.given));
            self.ring.give_back(self.next);
            self.given = self.next;
        }
    }

    /// Looks for something to return, and takes it.
    fn look(&mut self) -> Found {
        loop {
            let written = self.ring.written();
            if written != self.next {
                return Found::Stretch(self.take_stretch(written));
            }
            let tally = self.ring.overflow().tally();
            if !tally.is_none() {
                // Records may have come between the look at `written` and the loss. While it is
                // pending none come, so if it can be taken, this look holds.
                if self.ring.written() == self.next
                    && let Ok(loss) = self.ring.overflow().take(tally)
                {
                    return Found::Loss(loss);
                }
                continue;
            }
            if !self.ring.has_ended() {
                return Found::Nothing;
            }
            // Data or a loss may have come after the looks above and before the end.
            if !has_news(&self.ring, self.next) {
                return Found::End;
            }
        }
    }

    /// Takes whole records up to the ring's end, to a marker, or to what has been written.
    fn take_stretch(&mut self, written: Counts) -> Stretch {
        if self.unread(written)[0] == MARKER {
            // The writer went on at the ring's start; the words left at its end count as read.
            let skipped = self.ring.words.left(self.next.words());
            self.next = self.next.plus(skipped, 0);
        }
        let first = self.next;
        let words = self.unread(written);
        let least = FIXED_WORDS + self.ring.header_words;
        let (mut used, mut records) = (0, 0);
        while used < words.len() && words[used] != MARKER {
            let length = (words[used] & !LOSS) as usize;
            let is_whole = least <= length && length <= words.len() - used;
            assert!(is_whole, "a record of {length} words leaves the written");
            used += length;
            records += 1;
        }
        self.next = first.plus(used as u32, records as u32);
        let unread_tags = written.tags_since(self.next);
        let in_step = unread_tags <= self.ring.tags.len()
            && (unread_tags == 0) == (written.words() == self.next.words());
        assert!(records > 0 && in_step, "tags out of step with records");
        Stretch {
            at: self.ring.words.index(first.words()),
            words: used,
            records,
            first_tag: first.tags(),
        }
    }

    /// The words from the next to be read up to the ring's end or to what has been written.
    fn unread(&self, written: Counts) -> &[u64] {
        let words = &self.ring.words;
        let unread = written.words_since(self.next);
        assert!(unread <= words.len(), "more written than the ring holds");
        let len = unread.min(words.left(self.next.words()));
        // SAFETY: the words lie within the ring and have been written and published, and the
        // writer leaves them alone until they are given back, which takes `&mut self`.
        unsafe { words.slice(words.index(self.next.words()), len as usize) }
    }

    /// A stretch, as the caller gets it.
    fn records(&self, stretch: &Stretch) -> Records<'_, T> {
        // SAFETY: `take_stretch` found the words within what the writer has published, and
        // giving them back takes `&mut self`.
        let words = unsafe { self.ring.words.slice(stretch.at, stretch.words) };
        // SAFETY: `take_stretch` walked over that many records in these words; their tags, too,
        // are taken and given back under `&mut self`.
        unsafe { Records::new(&self.ring, words, stretch.first_tag, stretch.records) }
    }

    /// A loss, as the caller gets it.
    fn tell(&mut self, loss: Loss) -> Records<'_, T> {
        self.told[1] = loss.time;
        if let Some(count) = self.told.last_mut() {
            *count = loss.count.into();
        }
        // SAFETY: `told` is one record, and tells of a loss.
        unsafe { Records::new(&self.ring, &self.told, 0, 1) }
    }

    /// Sleeps until there is news.
    fn sleep(&mut self) {
        let (ring, next) = (&self.ring, self.next);
        // SAFETY: this is the reader, with its own turn.
        unsafe {
            ring.alarm()
                .sleep_unless(&mut self.turn, || has_news(ring, next) || ring.has_ended());
        }
    }
}

/// Whether there are records after these counts, or a loss.
fn has_news<T>(ring: &Ring<T>, next: Counts) -> bool {
    ring.written() != next || !ring.overflow().tally().is_none()
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("given", &self.given)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
