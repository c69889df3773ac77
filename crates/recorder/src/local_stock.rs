//! What a thread has at hand to make tasks of, so that it need not ask what all threads share: free records, and ids.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::task_slab::{TaskRecord, pointer_of, record_of};

/// Free records that a thread keeps, at most: enough for who spawns and joins, and 2 KiB of memory a thread.
const RECORDS_MAX: usize = 16;

/// Ids that a thread takes at a time, as many as Go's workers do: few, so that ids stay short in recordings.
const IDS: u64 = 16;

/// A thread's own stock of free records and of ids.
///
/// Only one thread at a time uses it, outside of signal handlers: so loads and stores are enough.
#[derive(Debug)]
pub(crate) struct LocalStock {
    records: [AtomicPtr<TaskRecord>; RECORDS_MAX],
    len: AtomicU32,
    /// A multiple of [`IDS`] if there is none.
    next_id: AtomicU64,
}

impl LocalStock {
    pub(crate) const fn new() -> Self {
        Self {
            records: [const { AtomicPtr::new(std::ptr::null_mut()) }; RECORDS_MAX],
            len: AtomicU32::new(0),
            next_id: AtomicU64::new(0),
        }
    }

    /// A record of the stock.
    #[inline]
    pub(crate) fn take(&self) -> Option<&'static TaskRecord> {
        // Relaxed: of one thread, here and below.
        let rest = self.len.load(Ordering::Relaxed).checked_sub(1)?;
        // Relaxed: as above.
        let record = self.records.get(rest as usize)?.load(Ordering::Relaxed);
        // Relaxed: as above.
        self.len.store(rest, Ordering::Relaxed);
        record_of(record)
    }

    /// Keeps a record that nobody uses any more. False if the stock is full.
    #[inline]
    pub(crate) fn keep(&self, record: &'static TaskRecord) -> bool {
        // Relaxed: of one thread, here and below.
        let len = self.len.load(Ordering::Relaxed);
        let Some(place) = self.records.get(len as usize) else {
            return false;
        };
        // Relaxed: as above.
        place.store(pointer_of(Some(record)), Ordering::Relaxed);
        // Relaxed: as above.
        self.len.store(len + 1, Ordering::Relaxed);
        true
    }

    /// An id that nobody else gets.
    #[inline]
    pub(crate) fn take_id(&self, ids: &Ids) -> u64 {
        // Relaxed: of one thread, here and below.
        let mut id = self.next_id.load(Ordering::Relaxed);
        if id.is_multiple_of(IDS) {
            id = ids.take();
        }
        // Relaxed: as above.
        self.next_id.store(id + 1, Ordering::Relaxed);
        id
    }
}

/// The ids of a process, from which threads take some at a time.
#[derive(Debug)]
pub(crate) struct Ids {
    next: AtomicU64,
}

impl Ids {
    pub(crate) const fn new() -> Self {
        Self {
            // Readers know none that is 0.
            next: AtomicU64::new(IDS),
        }
    }

    /// An id that nobody else gets, nor those that follow it up to a multiple of [`IDS`].
    #[cold]
    pub(crate) fn take(&self) -> u64 {
        // Relaxed: only the numbers must differ.
        self.next.fetch_add(IDS, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slab::Slab;

    #[test]
    fn a_stock_gives_what_it_kept_and_keeps_no_more_than_its_most() {
        static SLAB: Slab<TaskRecord> = Slab::new();
        let stock = LocalStock::new();
        assert!(stock.take().is_none());
        let taken: Vec<_> = (0..=RECORDS_MAX).filter_map(|_| SLAB.take()).collect();
        for (number, record) in taken.iter().enumerate() {
            assert_eq!(stock.keep(record), number < RECORDS_MAX);
        }
        for record in taken[..RECORDS_MAX].iter().rev() {
            assert!(stock.take().is_some_and(|it| std::ptr::eq(it, *record)));
        }
        assert!(stock.take().is_none());
    }

    #[test]
    fn no_two_stocks_give_the_same_id_and_none_gives_zero() {
        let ids = Ids::new();
        let stocks = [(); 3].map(|()| LocalStock::new());
        let mut taken: Vec<u64> = Vec::new();
        for round in 0..100 {
            taken.push(ids.take());
            for stock in &stocks[round % 3..] {
                taken.push(stock.take_id(&ids));
            }
        }
        let all = taken.len();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), all);
        assert_ne!(taken[0], 0);
    }
}
