//! Memory behind the wakers of a task: where an adapter notes which waker its own stand for.
//!
//! A runtime adapter that watches wakes hands out wakers of its own, each of which owns one waker of the runtime. A waker has
//! room for one pointer and may outlive its task, and making one must not go through the global allocator: wakers are cloned
//! under the runtime's locks, and inside allocators that are traced. So the pointer is to a cell in the slab of task records,
//! counted like every other handle on it. The first cell of a task is its record itself, and the [`Task`] is a handle on it; a task
//! that uses another one keeps that too.
//!
//! Counting is an atomic operation, and the one who hands wakers out is alone: so it may have handles counted in advance, and take
//! from that stock, or put back, without any.
#![expect(
    unsafe_code,
    reason = "a counted handle that passes through a waker's pointer"
)]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::AtomicPtr;

use crate::hook::Task;
use crate::session_word;
use crate::task_ref;
use crate::task_slab::{self, TaskRecord};

/// A counted handle on a cell that stands behind wakers of one task.
///
/// # Examples
///
/// ```
/// use exectrace::hook::{Task, WakerCell};
///
/// fn work() {}
///
/// let task = Task::new(work as fn() as *const ());
/// let cell = WakerCell::of(&task).expect("memory for one task");
/// let pointer = cell.clone().into_raw();
/// assert_eq!(pointer.addr() % WakerCell::ALIGN, 0);
/// drop(task);
/// // SAFETY: the pointer is that of `into_raw`, and is turned back once.
/// let waker = unsafe { WakerCell::from_raw(pointer) };
/// waker.wake();
/// ```
#[derive(Debug)]
pub struct WakerCell {
    record: &'static TaskRecord,
}

impl WakerCell {
    /// Cells lie at multiples of this, so that the low bits of their addresses are the adapter's.
    pub const ALIGN: usize = align_of::<TaskRecord>();

    /// The cell that the task uses, lent by it. `None` if the task is not traced because memory was refused.
    #[inline(always)]
    pub fn of(task: &Task) -> Option<TaskCell<'_>> {
        let record = task.record()?.cell();
        Some(TaskCell {
            cell: ManuallyDrop::new(Self { record }),
            _task: PhantomData,
        })
    }

    /// Counts so many further handles, as that many clones would that are turned [into pointers](Self::into_raw).
    #[inline]
    pub fn stock(&self, handles: u32) {
        self.record.retain_some(handles);
    }

    /// Lets go of so many handles that are in stock.
    ///
    /// # Safety
    /// So many must be counted, by [`Self::stock`] or as pointers, that are never turned back into handles.
    #[inline]
    pub unsafe fn unstock(&self, handles: u32) {
        self.record.release_others(handles);
    }

    /// A further cell of the same task, for wakers that stand for another waker. `None` when memory is refused.
    pub fn another(&self) -> Option<Self> {
        let record = task_slab::take_twin(self.record)?;
        Some(Self { record })
    }

    /// The cell's task uses it from now on, instead of the one that it used.
    ///
    /// # Safety
    /// Nobody has a cell that the task lends, or borrows one meanwhile.
    pub unsafe fn put_in_use(self) {
        self.record.task().set_cell(Some(self.record));
        std::mem::forget(self);
    }

    /// Two words that are the adapter's. What they hold when the cell is new is not said.
    #[inline]
    pub fn words(&self) -> &'static [AtomicPtr<()>; 2] {
        &self.record.waker
    }

    /// Whether somebody holds the cell beside this handle and so many in stock. What those did before who let go of it is done.
    ///
    /// It is for the cell as its task lends it: a clone is a handle beside the task's own, so that to it the cell is shared as
    /// long as the task lives and uses it.
    #[inline]
    pub fn is_shared(&self, in_stock: u32) -> bool {
        self.record.is_held_by_more_than(1 + in_stock)
    }

    /// The calling thread wakes the cell's task: see [`TaskRef::wake`](crate::hook::TaskRef::wake).
    #[inline]
    pub fn wake(&self) {
        if session_word::is_on() {
            task_ref::wake(self.record.task());
        }
    }

    /// The cell's address, which is that of [`Self::into_raw`].
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        std::ptr::from_ref(self.record).cast()
    }

    /// The handle as a pointer, with [`Self::ALIGN`] as its alignment. It stays counted.
    #[inline]
    pub fn into_raw(self) -> *const () {
        let pointer = self.as_ptr();
        std::mem::forget(self);
        pointer
    }

    /// The handle behind a pointer.
    ///
    /// # Safety
    /// The pointer must come from [`Self::into_raw`] or, for a handle in stock, [`Self::as_ptr`]; and each may be turned back into
    /// one handle that is dropped.
    #[inline]
    pub unsafe fn from_raw(pointer: *const ()) -> Self {
        let pointer = pointer.cast::<TaskRecord>();
        // SAFETY: `into_raw` gave a pointer to a record, whose memory is never given back.
        let record = unsafe { &*pointer };
        Self { record }
    }
}

impl Clone for WakerCell {
    #[inline]
    fn clone(&self) -> Self {
        self.record.retain();
        Self {
            record: self.record,
        }
    }
}

impl Drop for WakerCell {
    #[inline]
    fn drop(&mut self) {
        self.record.release();
    }
}

/// A cell that a task uses, and lends.
#[derive(Debug)]
pub struct TaskCell<'task> {
    /// The task's handle.
    cell: ManuallyDrop<WakerCell>,
    _task: PhantomData<&'task Task>,
}

impl Deref for TaskCell<'_> {
    type Target = WakerCell;

    #[inline(always)]
    fn deref(&self) -> &WakerCell {
        &self.cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() {}

    fn task() -> Task {
        Task::new(work as fn() as *const ())
    }

    #[test]
    fn a_cell_is_shared_while_a_clone_of_it_lives() {
        let task = task();
        let cell = WakerCell::of(&task).expect("memory");
        assert!(!cell.is_shared(0));
        let clone = cell.clone();
        assert!(cell.is_shared(0));
        drop(clone);
        assert!(!cell.is_shared(0));
    }

    #[test]
    fn handles_in_stock_count_as_clones_do() {
        let task = task();
        let cell = WakerCell::of(&task).expect("memory");
        cell.stock(3);
        assert!(cell.is_shared(2));
        assert!(!cell.is_shared(3));
        // SAFETY: one of those in stock, turned back once.
        let first = unsafe { WakerCell::from_raw(cell.as_ptr()) };
        // SAFETY: two are left, and nobody turns them back.
        unsafe { cell.unstock(2) };
        assert!(cell.is_shared(0));
        drop(first);
        assert!(!cell.is_shared(0));
    }

    #[test]
    fn a_further_cell_keeps_its_own_words_and_the_task_s_record() {
        let task = task();
        let cell = WakerCell::of(&task).expect("memory");
        let further = cell.another().expect("memory");
        let furthest = further.another().expect("memory");
        assert!(!std::ptr::eq(cell.words(), further.words()));
        assert!(!further.is_shared(0));
        assert!(cell.is_shared(0));
        let record = cell.record;
        drop(task);
        for cell in [&further, &furthest] {
            assert!(std::ptr::eq(cell.record.task(), record));
            assert!(cell.record.word.is_dead());
        }
        further.wake();
        drop(furthest);
        assert!(record.is_held_by_more_than(0));
        drop(further);
        assert!(!record.is_held_by_more_than(0));
    }

    #[test]
    fn a_task_keeps_the_cell_that_it_uses() {
        let task = task();
        let first = WakerCell::of(&task).expect("memory").record;
        let records = [(); 2].map(|()| {
            let further = WakerCell::of(&task)
                .and_then(|cell| cell.another())
                .expect("memory");
            let record = further.record;
            // SAFETY: what was lent is given back.
            unsafe { further.put_in_use() };
            let cell = WakerCell::of(&task).expect("memory");
            assert!(std::ptr::eq(cell.record, record) && !cell.is_shared(0));
            record
        });
        assert!(!records[0].is_held_by_more_than(0));
        drop(task);
        assert!(!records[1].is_held_by_more_than(0));
        assert!(!first.is_held_by_more_than(0));
    }
}
