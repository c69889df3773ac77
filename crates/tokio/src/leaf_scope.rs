//! What the innermost traced poll of a thread does with its waker: where its leaves clone it, and whether it wakes itself.

use std::cell::Cell;
use std::marker::PhantomData;

use exectrace::hook::{Leaf, Run};

/// Leaves that are kept of one poll: a select of more has no other name.
const LEAVES_MAX: usize = 4;

type Leaves = [Option<Leaf>; LEAVES_MAX];

/// The innermost traced poll of the thread.
struct Innermost {
    /// Pointer of the waker that the poll's future got; null outside of traced polls.
    waker: Cell<*const ()>,
    /// The poll has woken its own task.
    is_woken: Cell<bool>,
    len: Cell<usize>,
    leaves: [Cell<Option<Leaf>>; LEAVES_MAX],
}

thread_local! {
    static INNERMOST: Innermost = const {
        Innermost {
            waker: Cell::new(std::ptr::null()),
            is_woken: Cell::new(false),
            len: Cell::new(0),
            leaves: [const { Cell::new(None) }; LEAVES_MAX],
        }
    };
}

/// A poll on the calling thread, within which clones of its waker are leaves. Ending it brings back the poll outside of it.
#[derive(Debug)]
pub(crate) struct LeafScope {
    outer_waker: *const (),
    outer_is_woken: bool,
    outer_len: usize,
    /// The outer poll's leaves, if it has any.
    outer_leaves: Option<Leaves>,
    _this_thread: PhantomData<*const ()>,
}

impl LeafScope {
    /// A poll begins whose future has the waker with the pointer `waker`.
    #[inline(always)]
    pub(crate) fn begin(waker: *const ()) -> Self {
        INNERMOST.with(|innermost| {
            let outer_len = innermost.len.replace(0);
            Self {
                outer_waker: innermost.waker.replace(waker),
                outer_is_woken: innermost.is_woken.replace(false),
                outer_len,
                outer_leaves: (outer_len > 0).then(|| innermost.leaves.each_ref().map(Cell::get)),
                _this_thread: PhantomData,
            }
        })
    }

    /// A waker with the pointer `waker` is cloned, in the caller's stack. It is a leaf if the innermost poll gave it out: not
    /// one of another poll, task or thread.
    #[inline]
    pub(crate) fn note_clone(waker: *const ()) {
        INNERMOST.with(|innermost| {
            let len = innermost.len.get();
            if innermost.waker.get() == waker
                && len < LEAVES_MAX
                && let Some(leaf) = Leaf::here()
            {
                innermost.leaves[len].set(Some(leaf));
                innermost.len.set(len + 1);
            }
        });
    }

    /// A waker with the pointer `waker` is used. Whether the innermost poll gave it out, and so wakes the task that it polls:
    /// then the poll's end will say so, and nothing else need be done.
    #[inline(always)]
    pub(crate) fn note_wake(waker: *const ()) -> bool {
        INNERMOST.with(|innermost| {
            let is_own = innermost.waker.get() == waker;
            if is_own {
                innermost.is_woken.set(true);
            }
            is_own
        })
    }

    /// Whether no waker was cloned or used so far.
    #[inline(always)]
    pub(crate) fn is_idle(&self) -> bool {
        INNERMOST.with(|innermost| innermost.len.get() == 0 && !innermost.is_woken.get())
    }

    /// The poll was pending: its task waits at the leaves, or can run again if it has woken itself.
    #[inline(always)]
    pub(crate) fn end(self, run: Run<'_>) {
        INNERMOST.with(|innermost| {
            let len = innermost.len.get();
            let first = if len == 0 {
                None
            } else {
                innermost.leaves[0].get()
            };
            if innermost.is_woken.get() {
                run.wait_woken(first.as_slice());
            } else if len <= 1 {
                run.wait(first.as_slice());
            } else {
                innermost.wait_at_several(run);
            }
        });
    }
}

impl Innermost {
    #[cold]
    fn wait_at_several(&self, run: Run<'_>) {
        let leaves = self.leaves.each_ref().map(Cell::get);
        let Some(first) = leaves[0] else {
            return run.wait(&[]);
        };
        let leaves = leaves.map(|leaf| leaf.unwrap_or(first));
        run.wait(&leaves[..self.len.get()]);
    }

    /// The outer poll had leaves when the inner one began.
    #[cold]
    fn bring_back(&self, leaves: &Leaves) {
        for (leaf, outer) in self.leaves.iter().zip(leaves) {
            leaf.set(*outer);
        }
    }
}

impl Drop for LeafScope {
    #[inline(always)]
    fn drop(&mut self) {
        INNERMOST.with(|innermost| {
            innermost.waker.set(self.outer_waker);
            innermost.is_woken.set(self.outer_is_woken);
            innermost.len.set(self.outer_len);
            if let Some(leaves) = &self.outer_leaves {
                innermost.bring_back(leaves);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waker(number: usize) -> *const () {
        std::ptr::without_provenance(number)
    }

    fn len() -> usize {
        INNERMOST.with(|innermost| innermost.len.get())
    }

    /// Stands for a recorded clone: without a session there are no leaves.
    fn pretend_leaf() {
        INNERMOST.with(|innermost| innermost.len.set(innermost.len.get() + 1));
    }

    #[test]
    fn an_inner_poll_leaves_the_outer_one_as_it_was() {
        let outer = LeafScope::begin(waker(1));
        pretend_leaf();
        pretend_leaf();
        let inner = LeafScope::begin(waker(2));
        assert!(inner.is_idle());
        pretend_leaf();
        drop(inner);
        assert_eq!(len(), 2);
        assert_eq!(INNERMOST.with(|innermost| innermost.waker.get()), waker(1));
        drop(outer);
        assert_eq!(len(), 0);
        assert!(INNERMOST.with(|innermost| innermost.waker.get()).is_null());
    }

    #[test]
    fn a_poll_s_own_waker_is_told_from_others() {
        let outer = LeafScope::begin(waker(1));
        let inner = LeafScope::begin(waker(2));
        assert!(!LeafScope::note_wake(waker(1)));
        assert!(inner.is_idle());
        assert!(LeafScope::note_wake(waker(2)));
        assert!(!inner.is_idle());
        drop(inner);
        assert!(outer.is_idle());
        drop(outer);
        assert!(!LeafScope::note_wake(waker(1)));
    }

    #[test]
    fn without_a_session_a_clone_is_no_leaf() {
        let scope = LeafScope::begin(waker(1));
        LeafScope::note_clone(waker(1));
        assert!(scope.is_idle());
    }
}
