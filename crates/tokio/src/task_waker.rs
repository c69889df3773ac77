//! Wakers that tell the recorder who wakes a task, and where it waits.
//!
//! ```text
//!  our waker ── data: cell | poll number & 127 ──► cell in the task's record ── words: the runtime's waker (data, vtable)
//!     owns one reference of the runtime's waker         counted, 128 bytes          borrowed: the wakers own it
//! ```
//!
//! - **A fresh identity each poll.** Leaf futures keep a waker that would wake the same task and clone a new one only
//!   otherwise. So that each poll's leaves clone, and thereby show where the task waits, the low bits of the pointer count the
//!   polls.
//! - **Each of our wakers owns exactly one reference of the runtime's waker**, and one count of the cell. Clone adds both, drop
//!   takes both, wake spends the one by value. The cell itself owns nothing: a cell that did would be a cycle with the task that
//!   holds it, and leak on executors that free a task with its last waker.
//! - **Counts are in stock.** Most wakers are cloned by the poll that they were lent to, on its thread. So the task has some counts of
//!   its cell in advance, which such a clone takes from without an atomic operation, and which a waker that is dropped there
//!   is put back to.
//! - **Another waker, another cell.** If a poll's context brings a waker that is not the one the cell stands for, and wakers of
//!   the cell are still about, the new one gets a cell of its own; old wakers keep waking the old one, as they would without us.
//!   The same if a runtime's waker, cloned, is not the same two words.
//! - **Clones run under the runtime's locks**: no global allocator, no panic and no wake of ours in them. Cells come from the
//!   recorder's slab.
#![expect(unsafe_code, reason = "a RawWakerVTable is made of unsafe functions")]

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::task::{RawWaker, RawWakerVTable, Waker};

use exectrace::hook::{Task, TaskCell, WakerCell};

use crate::poll_frame::PollFrame;

/// Bits of a pointer that count polls.
const NUMBER_MASK: usize = WakerCell::ALIGN - 1;

const _: () = assert!(WakerCell::ALIGN == 128, "seven bits count polls");

/// Counts of a cell that are taken at a time: few enough for billions of polls that never end, many enough that it is seldom.
const STOCK: u32 = 256;

/// What a traced future keeps for the wakers that it hands out: little, since each of a program's futures has it. The cell that is in
/// use the task keeps itself.
#[derive(Debug)]
pub(crate) struct TaskWaker {
    /// Counts of the cell in use that no waker owns.
    stock: Cell<u32>,
    number: u8,
    /// There may be wakers of the task that are not those of the cell in use.
    has_others: bool,
    /// There may be wakers of the task at all.
    was_lent: bool,
}

impl TaskWaker {
    pub(crate) const fn new() -> Self {
        Self {
            stock: Cell::new(0),
            number: 0,
            has_others: false,
            was_lent: false,
        }
    }

    /// A poll passed the runtime's waker through.
    #[inline]
    pub(crate) fn saw_untraced_poll(&mut self) {
        self.has_others = true;
    }

    /// A traced poll of `task` is about to begin, in the context of `inner`: the waker to lend to the future. `None` if it is to
    /// get the runtime's, since memory is refused.
    #[inline(always)]
    pub(crate) fn lend<'poll>(
        &'poll mut self,
        task: &'poll Task,
        inner: &Waker,
    ) -> Option<LentWaker<'poll>> {
        self.number = self.number.wrapping_add(1) & NUMBER_MASK as u8;
        // What a new cell holds by chance is as good as what is noted.
        let cell = match WakerCell::of(task) {
            Some(cell) if stands_for(&cell, inner) => cell,
            _ => self.renew(task, inner)?,
        };
        self.was_lent = true;
        let number = usize::from(self.number);
        let data = cell.as_ptr().map_addr(|address| address | number);
        // SAFETY: the vtable's functions keep the contract of wakers. This one owns neither a count nor the runtime's waker: it is
        // never dropped or woken by value, and both outlive the poll.
        let waker = unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) };
        Some(LentWaker {
            waker: ManuallyDrop::new(waker),
            owner: self,
        })
    }

    /// Lets the cell stand for `inner`, or takes another one. `None` when memory is refused.
    #[inline(never)]
    fn renew<'task>(&mut self, task: &'task Task, inner: &Waker) -> Option<TaskCell<'task>> {
        let cell = WakerCell::of(task);
        if let Some(cell) = cell
            // Until a waker was lent, whoever else holds the task's record only looks at the task.
            && !(self.was_lent && cell.is_shared(self.stock.get()))
        {
            note(&cell, inner);
            return Some(cell);
        }
        self.has_others = true;
        let another = WakerCell::of(task)?.another()?;
        note(&another, inner);
        self.let_go(task);
        // SAFETY: the future alone borrows its task's cell, and has none now.
        unsafe { another.put_in_use() };
        WakerCell::of(task)
    }

    /// Lets go of what is in stock: to be called before the task is dropped.
    #[inline]
    pub(crate) fn let_go(&mut self, task: &Task) {
        let in_stock = self.stock.take();
        if in_stock > 0
            && let Some(cell) = WakerCell::of(task)
        {
            // SAFETY: so many are counted that no waker owns.
            unsafe { cell.unstock(in_stock) };
        }
    }
}

/// The waker that a traced poll lends to its future.
pub(crate) struct LentWaker<'poll> {
    /// Owns nothing: see [`TaskWaker::lend`].
    waker: ManuallyDrop<Waker>,
    owner: &'poll TaskWaker,
}

impl<'poll> LentWaker<'poll> {
    /// Counts of the waker's cell that no waker owns.
    #[inline(always)]
    pub(crate) fn stock(&self) -> &'poll Cell<u32> {
        &self.owner.stock
    }

    /// Whether nobody holds a waker of the task.
    #[inline]
    pub(crate) fn is_forgotten(&self) -> bool {
        let in_stock = self.owner.stock.get();
        // SAFETY: it is one of our wakers.
        let cell = unsafe { borrow(self.waker.data()) };
        !self.owner.has_others && !cell.is_shared(in_stock)
    }
}

impl Deref for LentWaker<'_> {
    type Target = Waker;

    #[inline(always)]
    fn deref(&self) -> &Waker {
        &self.waker
    }
}

/// Whether the cell stands for `inner`.
#[inline]
fn stands_for(cell: &WakerCell, inner: &Waker) -> bool {
    let [data, vtable] = cell.words();
    // Relaxed: stored by a poll of the same task, and polls of a task are ordered.
    data.load(Ordering::Relaxed).cast_const() == inner.data()
        // Relaxed: as above.
        && std::ptr::eq(vtable.load(Ordering::Relaxed).cast_const().cast(), inner.vtable())
}

/// Lets the cell stand for `inner`. No waker of the cell may be about.
fn note(cell: &WakerCell, inner: &Waker) {
    let [data, vtable] = cell.words();
    // Relaxed: whoever gets one of the cell's wakers gets it in order with the poll that made it.
    data.store(inner.data().cast_mut(), Ordering::Relaxed);
    let table = std::ptr::from_ref(inner.vtable()).cast_mut().cast();
    // Relaxed: as above.
    vtable.store(table, Ordering::Relaxed);
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// The cell behind one of our pointers, without its count.
///
/// # Safety
/// `data` is the pointer of a waker of ours that is not dropped before the answer is.
#[inline]
unsafe fn borrow(data: *const ()) -> ManuallyDrop<WakerCell> {
    let pointer = data.map_addr(|address| address & !NUMBER_MASK);
    // SAFETY: the pointer without its number is a cell's, whose count the waker keeps; the handle is not dropped.
    ManuallyDrop::new(unsafe { WakerCell::from_raw(pointer) })
}

/// The runtime's waker that the cell stands for, without the reference that it seems to own.
///
/// # Safety
/// A waker of the cell is about, so that the words are those of [`note`] and the runtime's waker is alive.
#[inline]
unsafe fn inner(cell: &WakerCell) -> ManuallyDrop<Waker> {
    let [data, vtable] = cell.words();
    // Relaxed: ordered as the waker that the caller holds.
    let data = data.load(Ordering::Relaxed).cast_const();
    // Relaxed: as above.
    let vtable: *const RawWakerVTable = vtable.load(Ordering::Relaxed).cast_const().cast();
    // SAFETY: `note` stored a reference to a static table.
    let vtable = unsafe { &*vtable };
    // SAFETY: data and table of a waker that is alive; the copy is used by reference, or spends a reference that is owned.
    ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(data, vtable)) })
}

/// # Safety
/// As for every function of a waker's table: `data` is that of one of our wakers.
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: the waker that is cloned lives meanwhile.
    let cell = unsafe { borrow(data) };
    // SAFETY: as above.
    let inner = unsafe { inner(&cell) };
    // From here on the copy's reference is owned by our clone.
    let copy = ManuallyDrop::new(Waker::clone(&inner));
    let stock = PollFrame::note_clone(data);
    if stands_for(&cell, &copy) {
        match stock {
            Some(stock) => {
                if stock.get() == 0 {
                    cell.stock(STOCK);
                    stock.set(STOCK);
                }
                stock.set(stock.get() - 1);
            }
            None => cell.stock(1),
        }
        return RawWaker::new(data, &VTABLE);
    }
    let Some(other) = cell.another() else {
        // Better an untraced waker than none.
        return RawWaker::new(copy.data(), copy.vtable());
    };
    note(&other, &copy);
    let number = data.addr() & NUMBER_MASK;
    RawWaker::new(
        other.into_raw().map_addr(|address| address | number),
        &VTABLE,
    )
}

/// # Safety
/// As for [`clone`]; the waker is spent.
unsafe fn wake(data: *const ()) {
    // SAFETY: the waker is spent here.
    let (cell, inner) = unsafe { take(data) };
    if !PollFrame::note_wake(data) {
        cell.wake();
    }
    inner.wake();
    put_back(cell, data);
}

/// # Safety
/// As for [`clone`].
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: the waker lives meanwhile.
    let cell = unsafe { borrow(data) };
    // SAFETY: as above.
    let inner = unsafe { inner(&cell) };
    if !PollFrame::note_wake(data) {
        cell.wake();
    }
    inner.wake_by_ref();
}

/// # Safety
/// As for [`clone`]; the waker is spent.
unsafe fn drop_waker(data: *const ()) {
    // SAFETY: the waker is spent here.
    let (cell, inner) = unsafe { take(data) };
    drop(inner);
    put_back(cell, data);
}

/// A waker with the pointer `data` is gone: so is its count of the cell, or is in stock again.
#[inline(always)]
fn put_back(cell: WakerCell, data: *const ()) {
    if let Some(stock) = PollFrame::stock_of(data) {
        std::mem::forget(cell);
        stock.set(stock.get() + 1);
    }
}

/// What a waker of ours owns: a count of its cell, and a reference of the runtime's waker.
///
/// # Safety
/// As for [`clone`]; the waker is spent.
#[inline]
unsafe fn take(data: *const ()) -> (WakerCell, Waker) {
    // SAFETY: the waker is alive until both parts are.
    let cell = unsafe { borrow(data) };
    // SAFETY: as above.
    let inner = unsafe { inner(&cell) };
    (
        ManuallyDrop::into_inner(cell),
        ManuallyDrop::into_inner(inner),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    fn work() {}

    fn task() -> Task {
        Task::new(work as fn() as *const ())
    }

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Count {
        fn wakes(&self) -> usize {
            // Relaxed: one thread.
            self.0.load(Ordering::Relaxed)
        }
    }

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            // Relaxed: as above.
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_waker_owns_one_reference_of_the_runtime_s() {
        let (task, count) = (task(), Arc::new(Count::default()));
        let inner = Waker::from(count.clone());
        let mut own = TaskWaker::new();
        let lent = own.lend(&task, &inner).expect("memory");
        assert_eq!(Arc::strong_count(&count), 2);
        let clones = [(); 3].map(|()| Waker::clone(&lent));
        assert_eq!(Arc::strong_count(&count), 5);
        let [first, second, third] = clones;
        first.wake();
        second.wake_by_ref();
        assert_eq!((count.wakes(), Arc::strong_count(&count)), (2, 4));
        drop((second, third));
        assert_eq!(Arc::strong_count(&count), 2);
        assert!(lent.is_forgotten());
    }

    #[test]
    fn who_looks_at_a_task_at_its_first_poll_is_no_waker() {
        let (task, count) = (task(), Arc::new(Count::default()));
        let inner = Waker::from(count.clone());
        let looking = task.reference();
        let mut own = TaskWaker::new();
        let lent = own.lend(&task, &inner).expect("memory");
        drop(looking);
        assert!(lent.is_forgotten());
    }

    #[test]
    fn a_new_cell_that_stands_for_the_waker_by_chance_is_lent_as_others_are() {
        let (task, counts) = (task(), [(); 2].map(|()| Arc::new(Count::default())));
        let inners = counts.clone().map(Waker::from);
        note(&WakerCell::of(&task).expect("memory"), &inners[0]);
        let mut own = TaskWaker::new();
        let [first, second] = inners
            .each_ref()
            .map(|inner| Waker::clone(&own.lend(&task, inner).expect("memory")));
        first.wake();
        assert_eq!(counts.each_ref().map(|count| count.wakes()), [1, 0]);
        second.wake();
        assert_eq!(counts.each_ref().map(|count| count.wakes()), [1, 1]);
        own.let_go(&task);
    }

    #[test]
    fn wakers_of_a_poll_take_from_its_stock_and_leave_no_count_behind() {
        let (task, count) = (task(), Arc::new(Count::default()));
        let inner = Waker::from(count.clone());
        let probe = WakerCell::of(&task).expect("memory");
        let mut own = TaskWaker::new();
        let mut kept = Vec::new();
        for round in 0..3 {
            let lent = own.lend(&task, &inner).expect("memory");
            let frame = PollFrame::new(lent.data(), lent.stock());
            let polling = frame.begin();
            kept.extend((0..STOCK).map(|_| Waker::clone(&lent)));
            let in_stock = lent.stock().get();
            // One of this poll, one of an earlier one.
            drop((kept.pop(), kept.swap_remove(0)));
            assert_eq!(lent.stock().get(), in_stock + 2, "round {round}");
            drop(polling);
            drop(kept.pop());
            assert_eq!(lent.stock().get(), in_stock + 2, "round {round}");
        }
        assert_eq!(Arc::strong_count(&count), 2 + kept.len());
        std::thread::scope(|scope| scope.spawn(|| drop(kept)).join()).expect("no panic");
        // The task, and what the task's waker has.
        let in_stock = own.stock.get();
        assert!(probe.is_shared(in_stock - 1));
        assert!(!probe.is_shared(in_stock));
        own.let_go(&task);
        assert!(!probe.is_shared(0));
        assert_eq!(Arc::strong_count(&count), 2);
    }

    #[test]
    fn each_poll_lends_another_waker_that_wakes_the_same_task() {
        let (task, count) = (task(), Arc::new(Count::default()));
        let inner = Waker::from(count.clone());
        let mut own = TaskWaker::new();
        let mut kept: Vec<Waker> = Vec::new();
        for _ in 0..127 {
            let lent = own.lend(&task, &inner).expect("memory");
            assert!(lent.will_wake(&Waker::clone(&lent)));
            assert!(!kept.iter().any(|waker| waker.will_wake(&lent)));
            kept.push(Waker::clone(&lent));
        }
        own.let_go(&task);
        drop(task);
        for waker in kept {
            waker.wake();
        }
        assert_eq!((count.wakes(), Arc::strong_count(&count)), (127, 2));
    }

    #[test]
    fn a_context_with_another_waker_leaves_the_old_ones_to_theirs() {
        let task = task();
        let counts = [(); 3].map(|()| Arc::new(Count::default()));
        let inner = counts.each_ref().map(|count| Waker::from(count.clone()));
        let mut own = TaskWaker::new();
        let kept = inner
            .each_ref()
            .map(|inner| Waker::clone(&own.lend(&task, inner).expect("memory")));
        for (number, waker) in kept.iter().enumerate() {
            waker.wake_by_ref();
            assert_eq!(
                counts.each_ref().map(|count| count.wakes()),
                [0, 1, 2].map(|other| usize::from(other <= number))
            );
        }
        assert!(!own.lend(&task, &inner[2]).expect("memory").is_forgotten());
        drop(kept);
        // What was taken for the second and the third is given back, the first cell is the task's.
        let again = Waker::clone(&own.lend(&task, &inner[0]).expect("memory"));
        again.wake();
        assert_eq!(counts[0].wakes(), 2);
        own.let_go(&task);
        drop(inner);
        assert_eq!(counts.each_ref().map(Arc::strong_count), [1; 3]);
    }

    /// A runtime whose waker, cloned, is not the same two words: it keeps a number beside the count.
    mod changing {
        use super::*;

        type Numbered = (Arc<Count>, usize);

        static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

        pub(super) fn waker(count: &Arc<Count>, number: usize) -> Waker {
            let data: *const Numbered = Box::into_raw(Box::new((count.clone(), number)));
            // SAFETY: the table's functions take the box for what it is.
            unsafe { Waker::from_raw(RawWaker::new(data.cast(), &TABLE)) }
        }

        unsafe fn clone(data: *const ()) -> RawWaker {
            // SAFETY: `data` is the box of a waker that is alive.
            let (count, number) = unsafe { &*data.cast::<Numbered>() };
            let copy: *const Numbered = Box::into_raw(Box::new((count.clone(), number + 1)));
            RawWaker::new(copy.cast(), &TABLE)
        }

        unsafe fn wake(data: *const ()) {
            // SAFETY: as in `clone`; it is woken, then dropped.
            unsafe { wake_by_ref(data) };
            // SAFETY: the waker is spent.
            unsafe { drop_waker(data) };
        }

        unsafe fn wake_by_ref(data: *const ()) {
            // SAFETY: as in `clone`.
            let (count, _) = unsafe { &*data.cast::<Numbered>() };
            count.wake_by_ref();
        }

        unsafe fn drop_waker(data: *const ()) {
            // SAFETY: the waker is spent, so the box is nobody's.
            drop(unsafe { Box::from_raw(data.cast_mut().cast::<Numbered>()) });
        }
    }

    #[test]
    fn a_runtime_s_waker_that_changes_when_cloned_gets_a_cell_for_each_clone() {
        let (task, count) = (task(), Arc::new(Count::default()));
        let inner = changing::waker(&count, 0);
        let mut own = TaskWaker::new();
        for round in 1..=3 {
            let lent = own.lend(&task, &inner).expect("memory");
            let clone = Waker::clone(&lent);
            let second = clone.clone();
            assert_eq!(Arc::strong_count(&count), 4);
            clone.wake();
            second.wake_by_ref();
            drop(second);
            assert_eq!(count.wakes(), 2 * round);
            assert_eq!(Arc::strong_count(&count), 2);
        }
        own.let_go(&task);
        drop((task, inner));
        assert_eq!(Arc::strong_count(&count), 1);
    }
}
