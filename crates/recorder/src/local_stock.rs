//! Free records that a thread has at hand, so that it need not ask what all threads share.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::slab::{Record, Slab};

/// Free records that a thread keeps, at most: enough for who spawns and joins, and 2 KiB of memory a thread.
const RECORDS_MAX: u32 = 16;

/// A thread's own stock of free records of one slab.
///
/// Only one thread at a time uses it, outside of signal handlers: so loads and stores are enough.
#[derive(Debug)]
pub(crate) struct LocalStock {
    /// Index + 1 of the first free record; the others hang on it by their links.
    first: AtomicU32,
    records: AtomicU32,
}

impl LocalStock {
    pub(crate) const fn new() -> Self {
        Self {
            first: AtomicU32::new(0),
            records: AtomicU32::new(0),
        }
    }

    /// A record of the stock.
    #[inline]
    pub(crate) fn take<R: Record>(&self, slab: &'static Slab<R>) -> Option<&'static R> {
        // Relaxed: of one thread, here and below.
        let index = self.first.load(Ordering::Relaxed).checked_sub(1)?;
        let record = slab.at(index)?;
        // Relaxed: as above.
        let next = record.place().next_free.load(Ordering::Relaxed);
        // Relaxed: as above.
        self.first.store(next, Ordering::Relaxed);
        // Relaxed: as above.
        let records = self.records.load(Ordering::Relaxed);
        // Relaxed: as above.
        self.records.store(records - 1, Ordering::Relaxed);
        Some(record)
    }

    /// Keeps a record that nobody uses any more. False if the stock is full.
    #[inline]
    pub(crate) fn keep<R: Record>(&self, record: &'static R) -> bool {
        // Relaxed: of one thread, here and below.
        let records = self.records.load(Ordering::Relaxed);
        if records == RECORDS_MAX {
            return false;
        }
        // Relaxed: as above.
        let first = self.first.load(Ordering::Relaxed);
        let place = record.place();
        // Relaxed: as above.
        place.next_free.store(first, Ordering::Relaxed);
        // Relaxed: as above.
        self.first.store(place.index() + 1, Ordering::Relaxed);
        // Relaxed: as above.
        self.records.store(records + 1, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task_slab::TaskRecord;

    #[test]
    fn a_stock_gives_what_it_kept_and_keeps_no_more_than_its_most() {
        static SLAB: Slab<TaskRecord> = Slab::new();
        let stock = LocalStock::new();
        assert!(stock.take(&SLAB).is_none());
        let taken: Vec<_> = (0..=RECORDS_MAX).filter_map(|_| SLAB.take()).collect();
        for (number, record) in taken.iter().enumerate() {
            assert_eq!(stock.keep(*record), number < RECORDS_MAX as usize);
        }
        for record in taken[..RECORDS_MAX as usize].iter().rev() {
            assert!(
                stock
                    .take(&SLAB)
                    .is_some_and(|it| std::ptr::eq(it, *record))
            );
        }
        assert!(stock.take(&SLAB).is_none());
    }
}
