//! Slabs: records that never move and whose memory is never given back, so that a reference to one is always good.
//!
//! ```text
//!  chunk 0: 1,024 records │ chunk 1: 2,048 │ chunk 2: 4,096 │ …      mapped when first needed
//!  free: version, index ──► record ──► record ──► …                  given back, used first
//! ```
#![expect(
    unsafe_code,
    reason = "records live in memory that is mapped and never moves"
)]

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::free_list::FreeList;
use crate::memory::Reservation;

const FIRST_CHUNK_BITS: u32 = 10;
/// Chunks double: 18 of them hold 2^28 records.
const CHUNKS: usize = 18;

/// What can live in a slab.
///
/// # Safety
/// All zero bytes must be a value: that of a record that was never used.
pub(crate) unsafe trait Record: Sync + 'static {
    /// The record's place in its slab.
    fn place(&self) -> &Place;
}

/// A record's place in its slab.
#[derive(Debug, Default)]
pub(crate) struct Place {
    index: AtomicU32,
    /// While free: index + 1 of the next free record.
    pub(crate) next_free: AtomicU32,
}

impl Place {
    /// The number by which [`Slab::at`] finds the record.
    ///
    /// # Signal safety
    /// One load.
    #[inline]
    pub(crate) fn index(&self) -> u32 {
        // Relaxed: constant once the record was taken for the first time.
        self.index.load(Ordering::Relaxed)
    }
}

/// A slab of records.
pub(crate) struct Slab<R: 'static> {
    chunks: [AtomicPtr<R>; CHUNKS],
    /// Records ever used.
    fresh: AtomicU32,
    free: FreeList,
}

impl<R: Record> Slab<R> {
    pub(crate) const fn new() -> Self {
        Self {
            chunks: [const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS],
            fresh: AtomicU32::new(0),
            free: FreeList::new(),
        }
    }

    /// A record that nobody uses, as its last user left it. `None` when the system has no memory.
    #[inline]
    pub(crate) fn take(&'static self) -> Option<&'static R> {
        self.pop().or_else(|| self.take_fresh())
    }

    /// Nobody uses the record any more.
    pub(crate) fn give_back(&self, record: &'static R) {
        let place = record.place();
        self.free.push(place.index(), &place.next_free);
    }

    /// How many records were ever used: their indexes are below.
    pub(crate) fn len(&self) -> u32 {
        // Acquire: shows the chunk of every index below; pairs with the Release in `take_fresh`.
        self.fresh.load(Ordering::Acquire)
    }

    /// The record with this index, in use or not. `None` if there never was one.
    ///
    /// # Signal safety
    /// One load.
    pub(crate) fn at(&self, index: u32) -> Option<&'static R> {
        let (chunk, place) = chunk_of(index);
        // Acquire: shows the mapping; pairs with the Release in `ensure_chunk`.
        let base = self.chunks.get(chunk)?.load(Ordering::Acquire);
        if base.is_null() {
            return None;
        }
        // SAFETY: the chunk has room for more records than `place`.
        let record = unsafe { base.add(place) };
        // SAFETY: chunks are never unmapped, zero bytes are a value by the trait's word, and records are only shared.
        Some(unsafe { &*record })
    }

    fn pop(&self) -> Option<&'static R> {
        let index = self
            .free
            .pop(|index| self.at(index).map(|record| &record.place().next_free))?;
        self.at(index)
    }

    fn take_fresh(&self) -> Option<&'static R> {
        // Relaxed: claims a number; the Release below publishes.
        let mut index = self.fresh.load(Ordering::Relaxed);
        loop {
            self.ensure_chunk(chunk_of(index).0)?;
            // Release: whoever sees the new count finds the chunk; pairs with the Acquire in `len`.
            match self.fresh.compare_exchange_weak(
                index,
                index + 1,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => index = now,
            }
        }
        let record = self.at(index)?;
        // Relaxed: constant from now on, and published with the record.
        record.place().index.store(index, Ordering::Relaxed);
        Some(record)
    }

    fn ensure_chunk(&self, chunk: usize) -> Option<()> {
        let slot = self.chunks.get(chunk)?;
        // Acquire: pairs with the Release below.
        if !slot.load(Ordering::Acquire).is_null() {
            return Some(());
        }
        let records = 1_usize << (FIRST_CHUNK_BITS as usize + chunk);
        let memory = Reservation::new(records * size_of::<R>())?;
        let base = memory.at(0).cast::<R>().as_ptr();
        // Release: publishes the mapping. If another thread was faster, ours is unmapped again.
        if slot
            .compare_exchange(
                std::ptr::null_mut(),
                base,
                Ordering::Release,
                Ordering::Relaxed,
            )
            .is_ok()
        {
            std::mem::forget(memory);
        }
        Some(())
    }
}

fn chunk_of(index: u32) -> (usize, usize) {
    let shifted = index + (1 << FIRST_CHUNK_BITS);
    let bits = shifted.ilog2();
    (
        (bits - FIRST_CHUNK_BITS) as usize,
        (shifted - (1 << bits)) as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_fall_into_doubling_chunks() {
        assert_eq!(chunk_of(0), (0, 0));
        assert_eq!(chunk_of(1_023), (0, 1_023));
        assert_eq!(chunk_of(1_024), (1, 0));
        assert_eq!(chunk_of(3_071), (1, 2_047));
        assert_eq!(chunk_of(3_072), (2, 0));
    }

    #[derive(Debug, Default)]
    struct Number {
        place: Place,
    }

    // SAFETY: it is made of atomic integers.
    unsafe impl Record for Number {
        fn place(&self) -> &Place {
            &self.place
        }
    }

    #[test]
    fn records_are_found_by_index_and_used_again() {
        static SLAB: Slab<Number> = Slab::new();
        assert!(SLAB.at(0).is_none());
        let taken: Vec<_> = (0..3_000).filter_map(|_| SLAB.take()).collect();
        assert_eq!((taken.len(), SLAB.len()), (3_000, 3_000));
        for (index, record) in taken.iter().enumerate() {
            assert_eq!(record.place().index() as usize, index);
            let found = SLAB.at(index as u32).expect("a record");
            assert!(std::ptr::eq(found, *record));
        }
        SLAB.give_back(taken[7]);
        let again = SLAB.take().expect("a record");
        assert!(std::ptr::eq(again, taken[7]));
        assert_eq!(SLAB.len(), 3_000);
    }
}
