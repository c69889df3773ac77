//! What a traced poll does with its waker: where its leaves clone it, and whether it wakes itself.
//!
//! The frame lives in the stack of the function that polls; the thread knows the innermost one. Whoever clones or uses a waker
//! inside of that poll, on that thread, finds it there.
#![expect(
    unsafe_code,
    reason = "the thread points to a frame in its own stack: copying it there and back would cost each poll more than all else here"
)]

use std::cell::Cell;
use std::marker::PhantomData;

use exectrace::hook::{Leaf, PlainRun, Run, WakerCell};

/// Leaves that are kept of one poll: a select of more has no other name.
const LEAVES_MAX: usize = 4;

thread_local! {
    /// The innermost traced poll of the thread; null outside of any.
    static INNERMOST: Cell<*const PollFrame<'static>> = const { Cell::new(std::ptr::null()) };
}

/// A traced poll, and what its future did with its waker so far.
#[derive(Debug)]
pub(crate) struct PollFrame<'poll> {
    /// Pointer of the waker that the future got.
    waker: *const (),
    /// Handles of the waker's cell that its wakers take from and are put back to.
    stock: &'poll Cell<u32>,
    /// The poll has woken its own task.
    is_woken: Cell<bool>,
    len: Cell<usize>,
    leaves: [Cell<Option<Leaf>>; LEAVES_MAX],
}

impl<'poll> PollFrame<'poll> {
    /// A poll is about to begin whose future gets the waker with the pointer `waker`, of whose cell so many handles are in stock.
    #[inline(always)]
    pub(crate) fn new(waker: *const (), stock: &'poll Cell<u32>) -> Self {
        Self {
            waker,
            stock,
            is_woken: Cell::new(false),
            len: Cell::new(0),
            leaves: [const { Cell::new(None) }; LEAVES_MAX],
        }
    }

    /// It begins, on the calling thread, and lasts until the answer is dropped.
    #[inline(always)]
    pub(crate) fn begin(&self) -> Polling<'_> {
        Polling {
            outer: INNERMOST.replace(std::ptr::from_ref(self).cast()),
            _frame: PhantomData,
        }
    }

    /// A waker with the pointer `waker` is cloned, in the caller's stack. It is a leaf if the innermost poll gave it out: not
    /// one of another poll, task or thread. The stock of handles of that poll, if it is one.
    #[inline(always)]
    pub(crate) fn note_clone(waker: *const ()) -> Option<&'poll Cell<u32>> {
        let frame = innermost().filter(|frame| frame.waker == waker)?;
        if let Some(place) = frame.leaves.get(frame.len.get())
            && let Some(leaf) = Leaf::here()
        {
            place.set(Some(leaf));
            frame.len.set(frame.len.get() + 1);
        }
        Some(frame.stock)
    }

    /// The stock of handles of the innermost poll, if that is of the same cell as a waker with the pointer `waker`.
    #[inline(always)]
    pub(crate) fn stock_of(waker: *const ()) -> Option<&'poll Cell<u32>> {
        let frame = innermost()?;
        let is_same_cell = (frame.waker.addr() ^ waker.addr()) < WakerCell::ALIGN;
        is_same_cell.then_some(frame.stock)
    }

    /// A waker with the pointer `waker` is used. Whether the innermost poll gave it out, and so wakes the task that it polls:
    /// then the poll's end will say so, and nothing else need be done.
    #[inline(always)]
    pub(crate) fn note_wake(waker: *const ()) -> bool {
        match innermost() {
            Some(frame) if frame.waker == waker => {
                frame.is_woken.set(true);
                true
            }
            _ => false,
        }
    }

    /// A future that got the waker with the pointer `waker` gives up its turn. If the innermost poll gave it out, its task can run
    /// again at once, whatever the future says: the runtime wakes it when the others have had theirs.
    #[inline]
    pub(crate) fn note_yield(waker: *const ()) {
        Self::note_wake(waker);
    }

    /// Whether no waker was cloned or used.
    #[inline(always)]
    pub(crate) fn is_idle(&self) -> bool {
        self.len.get() == 0 && !self.is_woken.get()
    }

    /// The poll was pending: its task waits at the leaves, or can run again if it has woken itself.
    #[inline(always)]
    pub(crate) fn end(&self, run: impl Pausing) {
        let first = self.leaves[0].get();
        if self.is_woken.get() {
            run.wait_woken(first.as_slice());
        } else if self.len.get() <= 1 {
            run.wait(first.as_slice());
        } else {
            self.wait_at_several(run);
        }
    }

    #[cold]
    fn wait_at_several(&self, run: impl Pausing) {
        let leaves = self.leaves.each_ref().map(Cell::get);
        let Some(first) = leaves[0] else {
            return run.wait(&[]);
        };
        let leaves = leaves.map(|leaf| leaf.unwrap_or(first));
        run.wait(&leaves[..self.len.get()]);
    }
}

/// A run whose poll was pending.
pub(crate) trait Pausing {
    /// Its task waits at the leaves.
    fn wait(self, leaves: &[Leaf]);
    /// It has woken itself.
    fn wait_woken(self, leaves: &[Leaf]);
}

impl Pausing for Run<'_> {
    #[inline(always)]
    fn wait(self, leaves: &[Leaf]) {
        Run::wait(self, leaves);
    }

    #[inline(always)]
    fn wait_woken(self, leaves: &[Leaf]) {
        Run::wait_woken(self, leaves);
    }
}

impl Pausing for PlainRun<'_> {
    #[inline(always)]
    fn wait(self, leaves: &[Leaf]) {
        PlainRun::wait(self, leaves);
    }

    #[inline(always)]
    fn wait_woken(self, leaves: &[Leaf]) {
        PlainRun::wait_woken(self, leaves);
    }
}

/// A poll that is under way. Dropping it brings back the poll outside of it.
#[derive(Debug)]
pub(crate) struct Polling<'frame> {
    outer: *const PollFrame<'static>,
    /// Lent, and of the thread that began it.
    _frame: PhantomData<&'frame PollFrame<'frame>>,
}

impl Drop for Polling<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // Not by its `set`, which is a call.
        INNERMOST.with(|innermost| innermost.set(self.outer));
    }
}

/// The frame of the innermost poll of the thread.
#[inline(always)]
fn innermost<'frame>() -> Option<&'frame PollFrame<'frame>> {
    let innermost: *const PollFrame<'frame> = INNERMOST.get().cast();
    // SAFETY: null, or a frame that is lent to a `Polling` of this thread, which is not dropped yet; whoever calls lets go of the
    // answer before returning, inside of that poll.
    unsafe { innermost.as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waker(number: usize) -> *const () {
        std::ptr::without_provenance(number)
    }

    #[test]
    fn a_poll_s_own_waker_is_told_from_others() {
        let stock = Cell::new(0);
        let outer = PollFrame::new(waker(1), &stock);
        let polling_outer = outer.begin();
        let inner = PollFrame::new(waker(2), &stock);
        let polling_inner = inner.begin();
        assert!(!PollFrame::note_wake(waker(1)));
        assert!(inner.is_idle());
        assert!(PollFrame::note_wake(waker(2)));
        assert!(!inner.is_idle());
        drop(polling_inner);
        assert!(outer.is_idle());
        assert!(PollFrame::note_wake(waker(1)));
        drop(polling_outer);
        assert!(!outer.is_idle());
        assert!(!PollFrame::note_wake(waker(1)));
    }

    #[test]
    fn a_poll_that_panics_brings_back_the_outer_one() {
        let stock = Cell::new(0);
        let outer = PollFrame::new(waker(1), &stock);
        let _polling = outer.begin();
        let panicked = std::panic::catch_unwind(|| {
            let stock = Cell::new(0);
            let inner = PollFrame::new(waker(2), &stock);
            let _polling = inner.begin();
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        assert!(PollFrame::note_wake(waker(1)));
    }

    #[test]
    fn without_a_session_a_clone_is_no_leaf() {
        let stock = Cell::new(0);
        let frame = PollFrame::new(waker(1), &stock);
        let _polling = frame.begin();
        assert!(PollFrame::note_clone(waker(1)).is_some());
        assert!(frame.is_idle());
    }

    #[test]
    fn the_stock_is_for_wakers_of_the_same_cell() {
        let stock = Cell::new(7);
        let frame = PollFrame::new(waker(3 * WakerCell::ALIGN + 5), &stock);
        assert!(PollFrame::stock_of(frame.waker).is_none());
        let _polling = frame.begin();
        for (address, is_same) in [(3 * 128, true), (4 * 128 - 1, true), (4 * 128 + 5, false)] {
            assert_eq!(PollFrame::stock_of(waker(address)).is_some(), is_same);
        }
        assert!(PollFrame::note_clone(waker(3 * 128 + 6)).is_none());
    }
}
