//! The slab of live tasks: where every task has its record, also while no session is running.
//!
//! Records never move and their memory is never given back, so a reference to one is always good; a record that is used again
//! has a new id. The slab can be walked, so that the collector introduces tasks that nobody touches.
#![expect(
    unsafe_code,
    reason = "lanes point to records, whose memory is never given back"
)]

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::lane;
use crate::local_stock::{Ids, LocalStock};
use crate::slab::{Place, Record, Slab};
use crate::task_word::TaskWord;
use crate::user_task_record::Carried;

/// The record of a live task.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct TaskRecord {
    // What a poll or a wake touches: one line of the cache.
    /// Where the task stands; shared by all who run, wake or introduce it.
    pub(crate) word: TaskWord,
    /// The id in traces.
    id: AtomicU64,
    /// Two words of the adapter's wakers: see [`crate::waker_cell`].
    pub(crate) waker: [AtomicPtr<()>; 2],
    /// Of a task whose wakers use a further cell, that one: a handle on it. Of such a cell the task: a handle, too.
    other: AtomicPtr<TaskRecord>,
    /// Handles and wakers that refer to the record.
    references: AtomicU32,
    /// Index + 1 of the innermost open user region; of the thread that runs the task.
    pub(crate) regions: AtomicU32,
    // What else there is.
    /// Address of the function that the task runs.
    entry: AtomicU64,
    /// The runtime that the task belongs to, by the adapter's numbers; 0 for none.
    pub(crate) runtime: AtomicU64,
    /// The user task that the task carries.
    pub(crate) user_task: Carried,
    place: Place,
    /// The record is no task but a further cell of the wakers of one.
    is_twin: AtomicBool,
    /// The task is in a system call, by the `blocking` hook.
    pub(crate) in_syscall: AtomicBool,
    /// The task is a thread: what blocks the thread blocks the task.
    pub(crate) is_thread: AtomicBool,
    /// The task helps a garbage collector.
    pub(crate) assists: AtomicBool,
    /// The task has entered another runtime than its own.
    pub(crate) roams: AtomicBool,
}

const _: () = assert!(std::mem::offset_of!(TaskRecord, entry) == 64);

impl TaskRecord {
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        // Relaxed: constant while the caller holds a reference.
        self.id.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn entry(&self) -> u64 {
        // Relaxed: constant while the caller holds a reference.
        self.entry.load(Ordering::Relaxed)
    }

    /// Makes a new record visible to the walk, with one reference.
    #[inline]
    pub(crate) fn publish(&self) {
        // Release: a walker that sees the reference sees the rest; pairs with the Acquire in `hold_if_live`.
        self.references.store(1, Ordering::Release);
    }

    /// One more handle or waker.
    #[inline]
    pub(crate) fn retain(&self) {
        self.retain_some(1);
    }

    /// So many more.
    #[inline]
    pub(crate) fn retain_some(&self, count: u32) {
        // Relaxed: the caller holds a reference already.
        self.references.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether more than `count` handles and wakers hold the record.
    #[inline]
    pub(crate) fn is_held_by_more_than(&self, count: u32) -> bool {
        // Acquire: what those did before who let go of it is done; pairs with the Release in `release`.
        self.references.load(Ordering::Acquire) > count
    }

    /// The task's record, where this one only holds some of its wakers.
    #[inline]
    pub(crate) fn task(&'static self) -> &'static Self {
        // Relaxed: constant in a twin while the caller holds a reference.
        let other = self.other.load(Ordering::Relaxed);
        // As in `cell`.
        if other.is_null() {
            self
        } else {
            self.task_of_twin(other)
        }
    }

    #[cold]
    #[inline(never)]
    fn task_of_twin(&'static self, other: *mut Self) -> &'static Self {
        // Relaxed: as above.
        let is_twin = self.is_twin.load(Ordering::Relaxed);
        record_of(other).filter(|_| is_twin).unwrap_or(self)
    }

    /// The cell that the wakers of the task use, whose own record this is.
    #[inline(always)]
    pub(crate) fn cell(&'static self) -> &'static Self {
        // Relaxed: asked by those who hand the task's wakers out, one after the other.
        let other = self.other.load(Ordering::Relaxed);
        // A branch that is foreseen: else each poll would wait for the load.
        if other.is_null() {
            self
        } else {
            self.further_cell(other)
        }
    }

    #[cold]
    #[inline(never)]
    fn further_cell(&'static self, other: *mut Self) -> &'static Self {
        record_of(other).unwrap_or(self)
    }

    /// Lets the task use a further cell, whose handle comes with it, or none.
    #[inline]
    pub(crate) fn set_cell(&self, cell: Option<&'static Self>) {
        // Relaxed: of those who hand the task's wakers out, one after the other.
        if let Some(former) = record_of(self.other.load(Ordering::Relaxed)) {
            former.release();
        } else if cell.is_none() {
            return;
        }
        // Relaxed: as above.
        self.other.store(pointer_of(cell), Ordering::Relaxed);
    }

    /// One less; the last one gives the record back.
    #[inline]
    pub(crate) fn release(&'static self) {
        // Release: what this holder did comes before the record's next use; pairs with the Acquire below.
        if self.references.fetch_sub(1, Ordering::Release) == 1 {
            // Acquire: as above.
            self.references.load(Ordering::Acquire);
            give_back(self);
        }
    }

    /// So many less, by somebody who keeps another.
    #[inline]
    pub(crate) fn release_others(&self, count: u32) {
        // Release: as in `release`.
        let former = self.references.fetch_sub(count, Ordering::Release);
        debug_assert!(former > count, "the caller has another");
    }
}

// SAFETY: it is made of atomic integers and pointers; of a word, 0 is that of a task that nobody knows.
unsafe impl Record for TaskRecord {
    fn place(&self) -> &Place {
        &self.place
    }
}

static SLAB: Slab<TaskRecord> = Slab::new();
static IDS: Ids = Ids::new();
/// Tasks that got no record.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// A record for a new task. `None` when the system has no memory: the task stays untraced, counted.
///
/// Nobody else sees it before [`TaskRecord::publish`], so that its creation can be written first.
pub(crate) fn take(entry: u64) -> Option<&'static TaskRecord> {
    let stock = lane::existing().map(|lane| &lane.stock);
    let kept = stock.and_then(LocalStock::take);
    let Some(record) = kept.or_else(|| SLAB.take()) else {
        // Relaxed: a figure for a report.
        REFUSED.fetch_add(1, Ordering::Relaxed);
        return None;
    };
    record.word.reset();
    // Relaxed: the record becomes visible to others through `publish`.
    record.entry.store(entry, Ordering::Relaxed);
    // Relaxed: as above.
    record.runtime.store(0, Ordering::Relaxed);
    // Relaxed: as above.
    record.in_syscall.store(false, Ordering::Relaxed);
    // Relaxed: as above.
    record.is_thread.store(false, Ordering::Relaxed);
    // Relaxed: as above.
    record.assists.store(false, Ordering::Relaxed);
    // Relaxed: as above.
    record.roams.store(false, Ordering::Relaxed);
    // Relaxed: as above.
    record.regions.store(0, Ordering::Relaxed);
    let id = stock.map_or_else(|| IDS.take(), |stock| stock.take_id(&IDS));
    // Relaxed: as above.
    record.id.store(id, Ordering::Relaxed);
    Some(record)
}

/// A record for further wakers of the task of `record`, with one reference. It is no task: it is dead, so that nobody
/// introduces it.
pub(crate) fn take_twin(record: &'static TaskRecord) -> Option<&'static TaskRecord> {
    let task = record.task();
    let twin = SLAB.take()?;
    twin.word.reset();
    twin.word.end_unheard();
    task.retain();
    // Relaxed: the record becomes visible to others through `publish`.
    twin.other.store(pointer_of(Some(task)), Ordering::Relaxed);
    // Relaxed: as above.
    twin.is_twin.store(true, Ordering::Relaxed);
    twin.publish();
    Some(twin)
}

/// The record behind a lane's pointer to its current task.
#[inline(always)]
pub(crate) fn record_of(pointer: *mut TaskRecord) -> Option<&'static TaskRecord> {
    // SAFETY: only pointers to records are given, whose memory is never unmapped.
    unsafe { pointer.as_ref() }
}

/// The pointer for a lane's current task.
#[inline(always)]
pub(crate) fn pointer_of(record: Option<&'static TaskRecord>) -> *mut TaskRecord {
    record.map_or(std::ptr::null_mut(), |record| {
        std::ptr::from_ref(record).cast_mut()
    })
}

/// Tasks that got no record since the last call.
pub(crate) fn take_refused() -> u64 {
    // Relaxed: a figure for a report.
    REFUSED.swap(0, Ordering::Relaxed)
}

/// Calls `visit` with each live task's record, a reference held, until it answers false.
pub(crate) fn for_each_live(mut visit: impl FnMut(&'static TaskRecord) -> bool) {
    for index in 0..SLAB.len() {
        let Some(record) = SLAB.at(index) else {
            continue;
        };
        if !hold_if_live(record) {
            continue;
        }
        let go_on = visit(record);
        record.release();
        if !go_on {
            return;
        }
    }
}

/// Adds a reference unless there is none left.
fn hold_if_live(record: &TaskRecord) -> bool {
    // Acquire: shows what the task's maker stored; pairs with the Release in `publish`.
    record
        .references
        .fetch_update(Ordering::Acquire, Ordering::Relaxed, |count| {
            (count != 0).then_some(count + 1)
        })
        .is_ok()
}

fn give_back(record: &'static TaskRecord) {
    // Relaxed: nobody else holds the record. A task has no other cell any more.
    if let Some(task) = record_of(record.other.load(Ordering::Relaxed)) {
        // Relaxed: as above.
        record.other.store(std::ptr::null_mut(), Ordering::Relaxed);
        // Relaxed: as above.
        record.is_twin.store(false, Ordering::Relaxed);
        task.release();
    }
    record.user_task.clear();
    if !lane::existing().is_some_and(|lane| lane.stock.keep(record)) {
        SLAB.give_back(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_never_used_twice_and_live_records_are_walked() {
        let first = take(1).expect("memory");
        first.publish();
        let first_id = first.id();
        first.release();
        let records: Vec<_> = (0..3_000).filter_map(take).collect();
        for record in &records {
            record.publish();
        }
        assert_eq!(records.len(), 3_000);
        let ids: std::collections::BTreeSet<_> = records.iter().map(|record| record.id()).collect();
        assert_eq!(ids.len(), 3_000);
        assert!(!ids.contains(&first_id));
        let mut seen = 0;
        for_each_live(|record| {
            seen += usize::from(ids.contains(&record.id()));
            true
        });
        assert_eq!(seen, 3_000);
        for record in records {
            record.release();
        }
    }
}
