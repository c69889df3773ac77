//! The writing side.
#![expect(
    unsafe_code,
    reason = "the writer stores to the part of the shared rings that is its own"
)]

use std::{cell::Cell, fmt, marker::PhantomData};

use crate::{
    Cause, Lost,
    alarm::Turn,
    counts::Counts,
    overflow::Tally,
    record::{self, FIXED_WORDS, LOSS, MARKER},
    ring::Ring,
    sync::Arc,
};

/// The writing handle of a buffer; made by [`buffer`](crate::buffer()).
///
/// There is one, so that the type system holds the rule of one writer. A signal handler that
/// uses it must see to it that no other thread, and no other handler on the same thread, uses
/// it at that time: behind a try-lock, or because its signal goes to one thread only and is
/// blocked while the handler runs. It can be sent to another thread, but not shared:
///
/// ```compile_fail,E0277
/// fn share<W: Sync>(_: W) {}
/// fn use_from_two_threads(writer: exectrace_profbuf::Writer<u64>) {
///     share(writer);
/// }
/// ```
///
/// Dropping the handle [closes](Self::close) the buffer. Where the reader is gone, records are
/// still taken until the buffer is full, and then counted as lost.
pub struct Writer<T> {
    ring: Arc<Ring<T>>,
    written: Counts,
    /// How far the reader had come when last looked at.
    given: Counts,
    /// The count of words from which a sleeping reader might have to be woken.
    look_at: u32,
    /// What has been lost and not been told by the writer; the reader may have told it.
    tally: Tally,
    turn: Turn,
    /// Keeps the handle from being shared between threads.
    not_sync: PhantomData<Cell<()>>,
}

impl<T> Writer<T> {
    /// The writer of an empty ring that starts at these counts.
    pub(crate) fn new(ring: Arc<Ring<T>>, start: Counts) -> Self {
        let look_at = start.words().wrapping_add(ring.words.len() / 2);
        Self {
            ring,
            written: start,
            given: start,
            look_at,
            tally: Tally::default(),
            turn: Turn::default(),
            not_sync: PhantomData,
        }
    }

    /// Writes one record: a tag, a time, a header of at most as many words as the buffer's
    /// records have (short ones are padded with zeros), and a stack of any length.
    ///
    /// If the reader sleeps and the data ring has become half full, it is woken.
    ///
    /// # Errors
    ///
    /// The record is lost if there is no room for it, if records lost before could not be
    /// reported along with it, or if its header is too long. It is then counted for the reader
    /// to see, the reader is woken if it sleeps, and the tag comes back to the caller.
    ///
    /// # Signal safety
    ///
    /// Safe: no allocation, no lock, no drop of a tag, no thread-local, a bounded number of
    /// steps, at most one system call, which wakes. It wakes by std's `Thread::unpark`, and so is
    /// safe where that is, which is where std parks threads on a futex: Linux, Android and some
    /// BSDs among others.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_profbuf::{Sizes, buffer};
    ///
    /// let sizes = Sizes { header_words: 2, data_words: 16, tags: 4 };
    /// let (mut writer, _reader) = buffer(sizes)?;
    /// writer.write(Some(Box::new("request 7")), 1_000, &[5, 1], &[0x1000, 0x2000]).unwrap();
    /// let lost = writer.write(Some(Box::new("request 8")), 1_001, &[5, 1], &[0; 20]).unwrap_err();
    /// assert_eq!(lost.tag.as_deref(), Some(&"request 8"));
    /// # Ok::<(), exectrace_profbuf::Error>(())
    /// ```
    #[inline]
    pub fn write(
        &mut self,
        tag: Option<T>,
        time: u64,
        header: &[u64],
        stack: &[u64],
    ) -> Result<(), Lost<T>> {
        let header_words = self.ring.header_words;
        if header.len() > header_words {
            return Err(self.lose(tag, time, Cause::HeaderTooLong));
        }
        // A slice has less than 2⁶¹ words and a header fewer than the ring: no wrap.
        let length = FIXED_WORDS + header_words + stack.len();
        if self.is_still_full(length) && self.lose_one_more() {
            let cause = Cause::NoRoom;
            return Err(Lost { tag, cause });
        }
        self.write_if_room(tag, length, time, header, stack)
    }

    /// The rest of a write, where it is not clear from the start that there is no room.
    fn write_if_room(
        &mut self,
        tag: Option<T>,
        length: usize,
        time: u64,
        header: &[u64],
        stack: &[u64],
    ) -> Result<(), Lost<T>> {
        if !self.tally.is_none() && !self.settle(length) {
            let cause = Cause::NoRoom;
            return Err(Lost { tag, cause });
        }
        let Some(skipped) = self.room(self.written, length) else {
            return Err(self.lose(tag, time, Cause::NoRoom));
        };
        self.store(skipped, tag, length as u64, time, header, stack);
        Ok(())
    }

    /// Whether a loss is pending and there cannot be room for its report and a record of
    /// `length` words. A quick look, for a buffer that is full and stays so.
    #[inline]
    fn is_still_full(&self, length: usize) -> bool {
        if self.tally.is_none() || self.ring.given() != self.given {
            return false;
        }
        let used = self.written.words_since(self.given) as usize;
        used + length + record::loss_words(self.ring.header_words) > self.ring.words.len() as usize
    }

    /// Says that nothing more comes, and wakes the reader if it sleeps. The reader still gets
    /// everything written and every loss, and then the end.
    ///
    /// A second close is ruled out by the type: the handle is gone.
    ///
    /// ```compile_fail,E0382
    /// use exectrace_profbuf::{Sizes, buffer};
    ///
    /// let sizes = Sizes { header_words: 1, data_words: 64, tags: 8 };
    /// let (writer, _reader) = buffer::<()>(sizes).unwrap();
    /// writer.close();
    /// writer.close();
    /// ```
    ///
    /// # Signal safety
    ///
    /// Not safe: it frees the buffer if the reader is gone.
    pub fn close(self) {}

    /// Reports what was lost before, if a record of `length` words fits as well. If not, that
    /// record is lost too and counted, and this is false.
    ///
    /// Either may find that the reader has told the loss meanwhile. Then there is none to report.
    #[inline]
    fn settle(&mut self, length: usize) -> bool {
        match self.room_for_loss_and(length) {
            Some(skipped) => {
                self.report(skipped);
                true
            }
            None => !self.lose_one_more(),
        }
    }

    /// Reports what was lost before, in a record that skips so many words.
    #[cold]
    fn report(&mut self, skipped: u32) {
        match self.ring.overflow().take(self.tally) {
            Ok(loss) => {
                self.tally = self.tally.next_generation();
                let length = record::loss_words(self.ring.header_words) as u64 | LOSS;
                self.store(skipped, None, length, loss.time, &[], &[loss.count.into()]);
            }
            Err(taken) => self.tally = taken,
        }
    }

    /// Whether there is room for the report of a loss and a record of `length` words after it;
    /// if so, how many words the report must skip.
    #[inline]
    fn room_for_loss_and(&mut self, length: usize) -> Option<u32> {
        let loss_length = record::loss_words(self.ring.header_words);
        let skipped = self.room(self.written, loss_length)?;
        let after = self.written.plus(skipped + loss_length as u32, 1);
        self.room(after, length).map(|_| skipped)
    }

    /// Counts a record as lost.
    #[cold]
    fn lose(&mut self, tag: Option<T>, time: u64, cause: Cause) -> Lost<T> {
        if self.tally.is_none() || !self.lose_one_more() {
            self.tally = self.ring.overflow().raise(self.tally, time);
            self.wake();
        }
        Lost { tag, cause }
    }

    /// Counts a record as lost after others; false if the reader has been told of those, so that
    /// it would be the first.
    #[inline]
    fn lose_one_more(&mut self) -> bool {
        match self.ring.overflow().add(self.tally) {
            Ok(more) => {
                self.tally = more;
                true
            }
            Err(taken) => {
                self.start_anew(taken);
                false
            }
        }
    }

    /// Takes over the tally after the reader has taken a loss.
    ///
    /// On a path of its own, so that the processor need not wait for the outcome of an exchange
    /// that nearly always succeeds before it begins the next.
    #[cold]
    fn start_anew(&mut self, taken: Tally) {
        self.tally = taken;
    }

    /// Whether there is room for a record of `length` words and its tag when the rings are
    /// written up to `from`; if so, how many words it must skip to lie in one piece.
    #[inline]
    fn room(&mut self, from: Counts, length: usize) -> Option<u32> {
        let room = self.known_room(from, length);
        if room.is_some() || !self.look_for_room() {
            return room;
        }
        self.known_room(from, length)
    }

    /// The same, with room as it was when last looked at.
    #[inline]
    fn known_room(&self, from: Counts, length: usize) -> Option<u32> {
        let words = &self.ring.words;
        if length > words.len() as usize {
            return None;
        }
        let left = words.left(from.words());
        let skipped = if length as u32 <= left { 0 } else { left };
        let free_words = words.len() - from.words_since(self.given);
        let fits = skipped + length as u32 <= free_words
            && from.tags_since(self.given) < self.ring.tags.len();
        fits.then_some(skipped)
    }

    /// Looks how far the reader has come; false if no further than when last looked at.
    #[inline]
    fn look_for_room(&mut self) -> bool {
        let given = self.ring.given();
        let is_news = given != self.given;
        self.given = given;
        is_news
    }

    /// Stores a record and publishes it.
    #[inline]
    fn store(
        &mut self,
        skipped: u32,
        tag: Option<T>,
        length: u64,
        time: u64,
        header: &[u64],
        stack: &[u64],
    ) {
        let header_words = self.ring.header_words;
        let words = &self.ring.words;
        if skipped > 0 {
            // SAFETY: the next word to be written is within the ring, and the writer's, since
            // there is room for the words to be skipped.
            let marker = unsafe { words.slice_mut(words.index(self.written.words()), 1) };
            marker[0] = MARKER;
        }
        let at = words.index(self.written.words().wrapping_add(skipped));
        let whole = FIXED_WORDS + header_words + stack.len();
        // SAFETY: `room` found that many words in one piece that the reader has given back.
        let record = unsafe { words.slice_mut(at, whole) };
        let (fixed, payload) = record.split_at_mut(FIXED_WORDS);
        fixed[0] = length;
        fixed[1] = time;
        let (to_header, to_stack) = payload.split_at_mut(header_words);
        // By the word: a header is too short for calls of memcpy and memset to pay.
        for (at, word) in to_header.iter_mut().enumerate() {
            *word = header.get(at).copied().unwrap_or(0);
        }
        to_stack.copy_from_slice(stack);
        if let Some(tag) = tag {
            // SAFETY: `room` found a slot that the reader has given back.
            unsafe { self.ring.tags.put(self.written.tags(), tag) };
        }
        self.written = self.written.plus(skipped + whole as u32, 1);
        self.ring.publish(self.written);
        // As a signed difference: `look_at` is less than a ring away in either direction.
        if self.written.words().wrapping_sub(self.look_at) as i32 >= 0 {
            self.look();
        }
    }

    /// Wakes a sleeping reader if the data ring is half full, and sets when to look next.
    #[cold]
    fn look(&mut self) {
        let half = self.ring.words.len() / 2;
        self.given = self.ring.given();
        let half_full = self.written.words_since(self.given) >= half;
        let from = if half_full {
            self.wake();
            self.written
        } else {
            self.given
        };
        self.look_at = from.words().wrapping_add(half);
    }

    /// Wakes the reader if it sleeps.
    #[cold]
    fn wake(&mut self) {
        // SAFETY: this is the writer, with its own turn.
        unsafe { self.ring.alarm().wake(&mut self.turn) }
    }
}

impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        self.ring.end();
        self.wake();
    }
}

impl<T> fmt::Debug for Writer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;
    use crate::{Mode, Read, Reader, Sizes, buffer};

    /// Headers of one word, so that a record without a stack has three; half the ring is eight.
    const SIZES: Sizes = Sizes {
        header_words: 1,
        data_words: 16,
        tags: 4,
    };

    /// Lets a blocking reader fall asleep, then acts on the writer; returns the times that the
    /// reader read, and whether it was still asleep after each act.
    fn wake(acts: &[fn(&mut Writer<()>)]) -> (Vec<u64>, Vec<bool>) {
        let (mut writer, mut reader) = buffer(SIZES).unwrap();
        let reading = thread::spawn(move || times(&mut reader));
        let alarm = Arc::clone(&writer.ring);
        while !alarm.alarm().is_set() {
            thread::yield_now();
        }
        let mut asleep = Vec::new();
        for act in acts {
            act(&mut writer);
            asleep.push(alarm.alarm().is_set());
        }
        (reading.join().unwrap(), asleep)
    }

    /// The times of the records of one read.
    fn times(reader: &mut Reader<()>) -> Vec<u64> {
        match reader.read(Mode::Blocking) {
            Read::Records(records) => records.map(|it| it.time).collect(),
            Read::Empty => panic!("a blocking read waits"),
            Read::End => Vec::new(),
        }
    }

    #[test]
    fn data_below_half_lets_the_reader_sleep_and_half_wakes_it() {
        let (times, asleep) = wake(&[
            |writer| writer.write(None, 1, &[1], &[0]).unwrap(),
            |writer| writer.write(None, 2, &[1], &[]).unwrap(),
            // The eighth word.
            |writer| writer.write(None, 3, &[1], &[]).unwrap(),
        ]);
        assert_eq!(asleep, [true, true, false]);
        assert_eq!(times, [1, 2, 3]);
    }

    #[test]
    fn a_loss_wakes_the_reader() {
        let (times, asleep) = wake(&[
            |writer| writer.write(None, 1, &[1], &[]).unwrap(),
            |writer| {
                writer.write(None, 2, &[1], &[0; 16]).unwrap_err();
            },
        ]);
        assert_eq!(asleep, [true, false]);
        assert_eq!(times, [1]);
    }

    #[test]
    fn the_end_wakes_the_reader() {
        let (mut writer, mut reader) = buffer::<()>(SIZES).unwrap();
        let ring = Arc::clone(&writer.ring);
        let reading = thread::spawn(move || (times(&mut reader), times(&mut reader)));
        while !ring.alarm().is_set() {
            thread::yield_now();
        }
        writer.write(None, 1, &[1], &[]).unwrap();
        assert!(ring.alarm().is_set());
        writer.close();
        assert_eq!(reading.join().unwrap(), (vec![1], vec![]));
    }

    #[test]
    fn a_reader_may_sleep_on_many_threads_in_turn() {
        let (mut writer, mut reader) = buffer::<()>(SIZES).unwrap();
        let ring = Arc::clone(&writer.ring);
        for time in 0..100 {
            let reading = thread::spawn(move || {
                let times = times(&mut reader);
                (reader, times)
            });
            while !ring.alarm().is_set() {
                thread::yield_now();
            }
            writer.write(None, time, &[1], &[0; 16]).unwrap_err();
            let times;
            (reader, times) = reading.join().unwrap();
            assert_eq!(times, [time]);
        }
    }

    #[test]
    fn a_reader_that_is_behind_is_not_looked_for_with_every_record() {
        let (mut writer, _reader) = buffer::<()>(SIZES).unwrap();
        for _ in 0..3 {
            writer.write(None, 1, &[1], &[]).unwrap();
        }
        // Nine words: half a ring from here on, nobody can be asleep.
        assert_eq!(writer.look_at, 9 + 8);
    }
}
