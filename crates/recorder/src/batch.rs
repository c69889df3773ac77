//! Batches: the memory that hooks write events into, and the pool it comes from.
//!
//! ```text
//!  Batch │ records ──►            free           ◄── places to patch │
//!        payload   position               limit                      end
//! ```
//!
//! A thread's first batch of a session is small, all others are large. Free ones come from a pool whose address space is
//! reserved when the session starts, so that a hook maps no memory. Full ones go to the collector through a push-only list
//! that it takes whole; the order within a lane is kept.
#![expect(unsafe_code, reason = "batches are raw memory that changes hands")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use exectrace_format::go_v1::EventType;

use crate::free_list::FreeList;
use crate::memory::Reservation;

/// Memory of a large batch, as in Go.
pub(crate) const LARGE_BYTES: usize = 64 * 1024;
/// Memory of a thread's first batch: 512 blocking threads would hold 32 MiB otherwise.
pub(crate) const SMALL_BYTES: usize = 4 * 1024;
/// Least room that a hook asks for: an event is written into so many bytes.
pub(crate) const EVENT_BYTES: usize = exectrace_format::limits::EVENT_BYTES_MAX;
/// Event types are below this.
pub(crate) const EVENT_TYPES: usize = 64;

/// Events by type.
pub(crate) type Counts = [u32; EVENT_TYPES];

/// Takes the events in `records` out of the counts again.
pub(crate) fn uncount(records: &[u8], counts: &mut Counts) {
    let mut at = 0;
    while at < records.len() {
        let event_type = records[at] & 63;
        let more = records[at] >> 6;
        at += 1;
        if more == 3 {
            at += 1 + usize::from(records[at]);
        } else {
            for _ in 0..=more {
                while records[at] >= 0x80 {
                    at += 1;
                }
                at += 1;
            }
        }
        if event_type != EventType::Batch as u8 {
            counts[usize::from(event_type)] -= 1;
        }
    }
}

/// A place whose event type, and the stack, depend on what the collector finds out about stacks.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Patch {
    /// Where the record begins, from the start of the payload.
    pub(crate) offset: u32,
    /// How many of `stacks` count.
    pub(crate) stacks_len: u32,
    /// Stack ids of the leaves that the task waits for.
    pub(crate) stacks: [u32; 4],
}

/// The head of a batch's memory.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Batch {
    next: *mut Batch,
    /// Index in the pool, for the way back.
    index: u32,
    size_bytes: u32,
    /// Bytes of records.
    pub(crate) used: u32,
    pub(crate) patches: u32,
    /// Worker number of the lane.
    pub(crate) worker: u32,
    /// Stamp of the session that the records belong to.
    pub(crate) session: u64,
    pub(crate) counts: Counts,
}

/// A batch that its holder owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchPtr(NonNull<Batch>);

// SAFETY: a batch has one holder at a time, and is handed on by release and acquire.
unsafe impl Send for BatchPtr {}

impl BatchPtr {
    #[inline]
    pub(crate) fn as_ptr(self) -> *mut Batch {
        self.0.as_ptr()
    }

    /// The head. The caller holds the batch.
    pub(crate) fn head(&mut self) -> &mut Batch {
        // SAFETY: the pool wrote the head, and the holder is alone with it.
        unsafe { self.0.as_mut() }
    }

    /// Where records begin.
    #[inline]
    pub(crate) fn payload(self) -> *mut u8 {
        // SAFETY: every batch is longer than its head.
        unsafe { self.0.as_ptr().cast::<u8>().add(size_of::<Batch>()) }
    }

    /// The end of the memory.
    #[inline]
    pub(crate) fn end(self) -> *mut u8 {
        // SAFETY: the pool wrote the head.
        let size_bytes = unsafe { (*self.0.as_ptr()).size_bytes };
        // SAFETY: the memory is so long.
        unsafe { self.0.as_ptr().cast::<u8>().add(size_bytes as usize) }
    }

    /// The records. The caller holds the batch.
    pub(crate) fn records(&mut self) -> &mut [u8] {
        let used = self.head().used as usize;
        // SAFETY: so many bytes of the payload were written by the lane that filled the batch.
        unsafe { std::slice::from_raw_parts_mut(self.payload(), used) }
    }

    /// The places to patch, last first. The caller holds the batch.
    pub(crate) fn patches(&mut self) -> Vec<Patch> {
        let patches = self.head().patches as usize;
        (1..=patches)
            .map(|number| {
                // SAFETY: the lane wrote so many downwards from the end.
                let patch = unsafe { self.end().cast::<Patch>().sub(number) };
                // SAFETY: as above; the address is not aligned for sure.
                unsafe { patch.read_unaligned() }
            })
            .collect()
    }
}

/// The batches of a session.
#[derive(Debug)]
pub(crate) struct BatchPool {
    large: Shelf,
    small: Shelf,
}

impl BatchPool {
    /// A pool whose batches take at most `budget_bytes`. `None` where address space is refused.
    pub(crate) fn new(budget_bytes: usize) -> Option<Self> {
        let small_bytes = budget_bytes / 8;
        let large_bytes = budget_bytes - small_bytes;
        Some(Self {
            large: Shelf::new(LARGE_BYTES, (large_bytes / LARGE_BYTES).max(2))?,
            small: Shelf::new(SMALL_BYTES, (small_bytes / SMALL_BYTES).max(16))?,
        })
    }

    /// Bytes of memory that batches take at most.
    pub(crate) fn budget_bytes(&self) -> usize {
        self.large.bytes() + self.small.bytes()
    }

    /// A free batch, empty. `None` when the budget is spent.
    ///
    /// # Signal safety
    /// Lock-free, no system call.
    pub(crate) fn take(&self, small: bool) -> Option<BatchPtr> {
        if small {
            self.small.take().or_else(|| self.large.take())
        } else {
            self.large.take()
        }
    }

    /// Takes a batch back.
    pub(crate) fn give_back(&self, mut batch: BatchPtr) {
        if batch.head().size_bytes as usize == SMALL_BYTES {
            self.small.give_back(batch);
        } else {
            self.large.give_back(batch);
        }
    }

    /// Bytes of memory that have ever been in use at once.
    pub(crate) fn touched_bytes(&self) -> usize {
        self.large.touched_bytes() + self.small.touched_bytes()
    }
}

/// Batches of one size: those never used, and a stack of those given back.
#[derive(Debug)]
struct Shelf {
    memory: Reservation,
    batch_bytes: usize,
    batches: u32,
    fresh: AtomicU32,
    free: FreeList,
}

impl Shelf {
    fn new(batch_bytes: usize, batches: usize) -> Option<Self> {
        Some(Self {
            memory: Reservation::new(batch_bytes * batches)?,
            batch_bytes,
            batches: u32::try_from(batches).ok()?,
            fresh: AtomicU32::new(0),
            free: FreeList::new(),
        })
    }

    fn address(&self, index: u32) -> NonNull<Batch> {
        self.memory.at(index as usize * self.batch_bytes).cast()
    }

    /// The link of a free batch: index + 1 of the next, kept in the first word of its memory.
    fn link(&self, index: u32) -> &AtomicU32 {
        let address: NonNull<AtomicU32> = self.address(index).cast();
        // SAFETY: the first word of a batch that is or was free; a stale reader may see it change, which the version catches.
        unsafe { address.as_ref() }
    }

    fn take(&self) -> Option<BatchPtr> {
        let index = self
            .free
            .pop(|index| Some(self.link(index)))
            .or_else(|| self.take_fresh())?;
        let batch = self.address(index);
        let head = Batch {
            next: std::ptr::null_mut(),
            index,
            size_bytes: self.batch_bytes as u32,
            used: 0,
            patches: 0,
            worker: 0,
            session: 0,
            counts: [0; EVENT_TYPES],
        };
        // SAFETY: the index was given to this caller alone, and the memory is long enough and aligned.
        unsafe { batch.write(head) };
        Some(BatchPtr(batch))
    }

    fn take_fresh(&self) -> Option<u32> {
        // Relaxed: nothing is published with a fresh batch.
        self.fresh
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |fresh| {
                (fresh < self.batches).then_some(fresh + 1)
            })
            .ok()
    }

    fn give_back(&self, mut batch: BatchPtr) {
        let index = batch.head().index;
        self.free.push(index, self.link(index));
    }

    fn bytes(&self) -> usize {
        self.batches as usize * self.batch_bytes
    }

    fn touched_bytes(&self) -> usize {
        // Relaxed: a figure for a report.
        self.fresh.load(Ordering::Relaxed) as usize * self.batch_bytes
    }
}

/// Full batches on their way to the collector: pushed one by one, taken whole.
#[derive(Debug)]
pub(crate) struct FullBatches {
    top: AtomicPtr<Batch>,
}

impl FullBatches {
    pub(crate) const fn new() -> Self {
        Self {
            top: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Hands a batch over.
    ///
    /// # Signal safety
    /// Lock-free.
    pub(crate) fn push(&self, mut batch: BatchPtr) {
        // Relaxed: only used to link.
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            batch.head().next = top;
            // Release: publishes the batch and its link; pairs with the Acquire in `take_all`.
            match self.top.compare_exchange_weak(
                top,
                batch.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    /// All batches, in the order in which they were pushed.
    pub(crate) fn take_all(&self) -> Vec<BatchPtr> {
        // Acquire: takes over the batches; pairs with the Release in `push`.
        let mut top = self.top.swap(std::ptr::null_mut(), Ordering::Acquire);
        let mut batches = Vec::new();
        while let Some(batch) = NonNull::new(top) {
            // SAFETY: the list was taken whole, so its batches are ours.
            top = unsafe { batch.as_ref() }.next;
            batches.push(BatchPtr(batch));
        }
        batches.reverse();
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_gives_no_more_than_its_budget_and_gives_again_what_came_back() {
        let pool = BatchPool::new(8 * LARGE_BYTES).expect("address space");
        let mut taken: Vec<_> = std::iter::from_fn(|| pool.take(false)).collect();
        assert_eq!(taken.len(), 7);
        let back = taken.pop().expect("seven");
        pool.give_back(back);
        assert_eq!(pool.take(false), Some(back));
        assert_eq!(pool.take(false), None);
        let small = pool.take(true).expect("small ones are left");
        assert_eq!(small.end() as usize - small.as_ptr() as usize, SMALL_BYTES);
    }

    #[test]
    fn batches_arrive_in_the_order_of_their_pushes() {
        let pool = BatchPool::new(8 * LARGE_BYTES).expect("address space");
        let full = FullBatches::new();
        let batches: Vec<_> = (0..5).filter_map(|_| pool.take(false)).collect();
        for &batch in &batches {
            full.push(batch);
        }
        assert_eq!(full.take_all(), batches);
        assert!(full.take_all().is_empty());
    }

    #[test]
    fn threads_that_take_and_give_back_never_share_a_batch() {
        let pool = BatchPool::new(16 * LARGE_BYTES).expect("address space");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let pool = &pool;
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        let Some(mut batch) = pool.take(false) else {
                            continue;
                        };
                        batch.head().worker = number;
                        assert_eq!(batch.head().worker, number);
                        pool.give_back(batch);
                    }
                });
            }
        });
    }
}
