//! What the two sides share, and how.
//!
//! # The two rings
//!
//! The data ring holds records of any length, the tag ring one value for each of them. Two
//! counts of words and tags divide both rings:
//!
//! ```text
//!            given back             written
//!                │                     │
//!  ── writer's ──┼────── reader's ─────┼────── writer's ──
//!     (free)     │ being     not yet   │       (free)
//!                │  read      read     │
//! ```
//!
//! The writer stores records beyond `written` and then moves it; the reader moves `given` over
//! what it has finished with. Each count is stored by one side alone, so that neither needs an
//! atomic read-modify-write: a record costs a copy and one store. What it has read last, the
//! reader gives back at the *next* read, so that slices stay valid until then; and it takes the
//! tags out first, so that the writer only ever finds empty slots and drops nothing.
//!
//! A record lies in one piece. One that does not fit before the ring's end is put at its start;
//! a marker at the word left off at says so (none if that is the very end), and the words
//! skipped count as used until they are given back.
//!
//! # Loss
//!
//! A record without room is lost: it is counted in [`Overflow`], and from then on every record
//! is lost until the loss has been told, so that what is read is in order. The writer tells it,
//! by a record of its own, as soon as there is room for that one and the next; or the reader
//! takes it, when it has read all that was written before, and makes that record up. A
//! compare-and-swap decides between them.
//!
//! The reader must not tell a loss before records that were written before it. So it sees the
//! loss first, looks whether everything written has been read then, and takes the loss only if
//! it has not changed since: as long as a loss is pending, nothing is written.
//!
//! # States of the reader, and who wakes it
//!
//! Reading, asleep, or woken but not yet up: see [`Alarm`]. It goes to sleep only when it has
//! read everything, no loss is pending and the end has not come. The first loss and the end wake
//! it always, data once the data ring is half full, since waking for each record would cost far
//! more than the record.
//!
//! Looking whether the reader sleeps needs a fence, which the writer can nearly always do
//! without. Let it look when it has written *k* words, and not find the reader asleep. If the
//! reader sleeps later, it has read those *k* words first. So the ring is not half full, as far
//! as a sleeping reader is concerned, before *k* and half a ring more have been written, and
//! only then must the writer look again.
//!
//! # The end
//!
//! The writer says that it has ended after everything else. The reader that sees it looks once
//! more at the data and at the loss: both may have come after it looked first.
//!
//! # Memory orders
//!
//! | store | load | what passes |
//! | --- | --- | --- |
//! | `written`, Release, writer | Acquire, reader | records and tags, to be read |
//! | `given`, Release, reader | Acquire, writer | words and slots, to be written |
//! | `ended`, Release, writer | Acquire, reader | the last `written` and the last loss |
//! | overflow raised, Release, writer | Acquire, reader | time of the loss, `written` before it |
//! | overflow taken, Release, reader | Acquire, writer | the time may be overwritten |
//! | asleep set, Release, reader | exchange, Acquire, writer | whom to wake |
//! | asleep cleared, Release, writer | Acquire, reader | the wake before this one is over |
//!
//! Two sequentially consistent fences, both in [`Alarm`], order "news, then look for a sleeper"
//! against "asleep, then look for news".

use crate::{
    alarm::Alarm,
    counts::Counts,
    overflow::Overflow,
    sizes::CheckedSizes,
    sync::{AtomicBool, AtomicU64, Ordering},
    tags::Tags,
    words::Words,
};

/// The buffer, as both handles hold it.
pub(crate) struct Ring<T> {
    // Fixed after `new`; whose the elements are is told by the counts.
    pub(crate) header_words: usize,
    pub(crate) words: Words,
    pub(crate) tags: Tags<T>,

    // Shared atomically.
    writers: OwnLine<WritersWords>,
    readers: OwnLine<ReadersWords>,
}

/// Keeps the words of one side on cache lines of their own; two lines, since x86-64 fetches
/// them in pairs.
#[repr(align(128))]
struct OwnLine<W>(W);

/// What the writer stores to.
struct WritersWords {
    /// Words and tags written; [`Counts`].
    written: AtomicU64,
    ended: AtomicBool,
    /// Records lost; the reader may take it.
    overflow: Overflow,
}

/// What the reader stores to.
struct ReadersWords {
    /// Words and tags given back; [`Counts`].
    given: AtomicU64,
    /// Whether the reader sleeps; the writer may wake it.
    alarm: Alarm,
}

impl<T> Ring<T> {
    /// An empty ring; both counts start at `start`.
    pub(crate) fn new(sizes: CheckedSizes, start: Counts) -> Self {
        Self {
            header_words: sizes.header_words,
            words: Words::new(sizes.data_words),
            tags: Tags::new(sizes.tags),
            writers: OwnLine(WritersWords {
                written: AtomicU64::new(start.to_word()),
                ended: AtomicBool::new(false),
                overflow: Overflow::new(),
            }),
            readers: OwnLine(ReadersWords {
                given: AtomicU64::new(start.to_word()),
                alarm: Alarm::new(),
            }),
        }
    }

    /// Hands records and tags up to here to the reader. For the writer.
    #[inline]
    pub(crate) fn publish(&self, written: Counts) {
        // Release: publishes words and tags; pairs with the Acquire load in Ring::written.
        self.writers
            .0
            .written
            .store(written.to_word(), Ordering::Release);
    }

    /// How far the writer has come. For the reader.
    #[inline]
    pub(crate) fn written(&self) -> Counts {
        // Acquire: pairs with the Release store in Ring::publish.
        Counts::from_word(self.writers.0.written.load(Ordering::Acquire))
    }

    /// Hands words and slots up to here to the writer. For the reader.
    pub(crate) fn give_back(&self, given: Counts) {
        // Release: reads of the words and slots are over; pairs with the Acquire load in
        // Ring::given.
        self.readers
            .0
            .given
            .store(given.to_word(), Ordering::Release);
    }

    /// How far the reader has come. For the writer.
    #[inline]
    pub(crate) fn given(&self) -> Counts {
        // Acquire: pairs with the Release store in Ring::give_back.
        Counts::from_word(self.readers.0.given.load(Ordering::Acquire))
    }

    /// Says that nothing more comes. For the writer.
    pub(crate) fn end(&self) {
        // Release: publishes all that was written and lost; pairs with the Acquire load in
        // Ring::has_ended.
        self.writers.0.ended.store(true, Ordering::Release);
    }

    /// Whether the writer has ended. For the reader.
    pub(crate) fn has_ended(&self) -> bool {
        // Acquire: pairs with the Release store in Ring::end.
        self.writers.0.ended.load(Ordering::Acquire)
    }

    /// The records lost.
    #[inline]
    pub(crate) fn overflow(&self) -> &Overflow {
        &self.writers.0.overflow
    }

    /// The sleeping reader.
    #[inline]
    pub(crate) fn alarm(&self) -> &Alarm {
        &self.readers.0.alarm
    }
}
