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

use exectrace::hook::{Leaf, Run};

/// Leaves that are kept of one poll: a select of more has no other name.
const LEAVES_MAX: usize = 4;

thread_local! {
    /// The innermost traced poll of the thread; null outside of any.
    static INNERMOST: Cell<*const PollFrame> = const { Cell::new(std::ptr::null()) };
}

/// A traced poll, and what its future did with its waker so far.
#[derive(Debug)]
pub(crate) struct PollFrame {
    /// Pointer of the waker that the future got.
    waker: *const (),
    /// The poll has woken its own task.
    is_woken: Cell<bool>,
    len: Cell<usize>,
    leaves: [Cell<Option<Leaf>>; LEAVES_MAX],
}

impl PollFrame {
    /// A poll is about to begin whose future gets the waker with the pointer `waker`.
    #[inline(always)]
    pub(crate) fn new(waker: *const ()) -> Self {
        Self {
            waker,
            is_woken: Cell::new(false),
            len: Cell::new(0),
            leaves: [const { Cell::new(None) }; LEAVES_MAX],
        }
    }

    /// It begins, on the calling thread, and lasts until the answer is dropped.
    #[inline(always)]
    pub(crate) fn begin(&self) -> Polling<'_> {
        Polling {
            outer: INNERMOST.replace(self),
            _frame: PhantomData,
        }
    }

    /// A waker with the pointer `waker` is cloned, in the caller's stack. It is a leaf if the innermost poll gave it out: not
    /// one of another poll, task or thread.
    #[inline]
    pub(crate) fn note_clone(waker: *const ()) {
        if let Some(frame) = innermost()
            && frame.waker == waker
            && let Some(place) = frame.leaves.get(frame.len.get())
            && let Some(leaf) = Leaf::here()
        {
            place.set(Some(leaf));
            frame.len.set(frame.len.get() + 1);
        }
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
    pub(crate) fn end(&self, run: Run<'_>) {
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
    fn wait_at_several(&self, run: Run<'_>) {
        let leaves = self.leaves.each_ref().map(Cell::get);
        let Some(first) = leaves[0] else {
            return run.wait(&[]);
        };
        let leaves = leaves.map(|leaf| leaf.unwrap_or(first));
        run.wait(&leaves[..self.len.get()]);
    }
}

/// A poll that is under way. Dropping it brings back the poll outside of it.
#[derive(Debug)]
pub(crate) struct Polling<'frame> {
    outer: *const PollFrame,
    /// Lent, and of the thread that began it.
    _frame: PhantomData<&'frame PollFrame>,
}

impl Drop for Polling<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        INNERMOST.set(self.outer);
    }
}

/// The frame of the innermost poll of the thread.
#[inline(always)]
fn innermost<'frame>() -> Option<&'frame PollFrame> {
    // SAFETY: null, or a frame that is lent to a `Polling` of this thread, which is not dropped yet; whoever calls lets go of the
    // answer before returning, inside of that poll.
    unsafe { INNERMOST.get().as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waker(number: usize) -> *const () {
        std::ptr::without_provenance(number)
    }

    #[test]
    fn a_poll_s_own_waker_is_told_from_others() {
        let outer = PollFrame::new(waker(1));
        let polling_outer = outer.begin();
        let inner = PollFrame::new(waker(2));
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
        let outer = PollFrame::new(waker(1));
        let _polling = outer.begin();
        let panicked = std::panic::catch_unwind(|| {
            let inner = PollFrame::new(waker(2));
            let _polling = inner.begin();
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        assert!(PollFrame::note_wake(waker(1)));
    }

    #[test]
    fn without_a_session_a_clone_is_no_leaf() {
        let frame = PollFrame::new(waker(1));
        let _polling = frame.begin();
        PollFrame::note_clone(waker(1));
        assert!(frame.is_idle());
    }
}
