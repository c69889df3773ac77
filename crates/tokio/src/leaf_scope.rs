//! The places where a poll's leaves cloned the task's waker: collected in the thread while the poll runs.

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
    len: Cell<usize>,
    leaves: [Cell<Option<Leaf>>; LEAVES_MAX],
}

thread_local! {
    static INNERMOST: Innermost = const {
        Innermost {
            waker: Cell::new(std::ptr::null()),
            len: Cell::new(0),
            leaves: [const { Cell::new(None) }; LEAVES_MAX],
        }
    };
}

/// A poll on the calling thread, within which clones of its waker are leaves. Ending it brings back the poll outside of it.
#[derive(Debug)]
pub(crate) struct LeafScope {
    outer_waker: *const (),
    outer_len: usize,
    /// The outer poll's leaves, if it has any.
    outer_leaves: Option<Leaves>,
    _this_thread: PhantomData<*const ()>,
}

impl LeafScope {
    /// A poll begins whose future has the waker with the pointer `waker`.
    #[inline]
    pub(crate) fn begin(waker: *const ()) -> Self {
        INNERMOST.with(|innermost| {
            let outer_len = innermost.len.replace(0);
            Self {
                outer_waker: innermost.waker.replace(waker),
                outer_len,
                outer_leaves: (outer_len > 0).then(|| innermost.leaves.each_ref().map(Cell::get)),
                _this_thread: PhantomData,
            }
        })
    }

    /// A waker with the pointer `waker` is cloned, in the caller's stack. It is a leaf if the innermost poll gave it out: not
    /// one of another poll, task or thread.
    #[inline]
    pub(crate) fn note(waker: *const ()) {
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

    /// Whether no waker was cloned so far.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        INNERMOST.with(|innermost| innermost.len.get() == 0)
    }

    /// The poll was pending: its task waits at the leaves.
    #[inline]
    pub(crate) fn end(self, run: Run<'_>) {
        INNERMOST.with(|innermost| {
            let len = innermost.len.get();
            let Some(first) = innermost.leaves[0].get().filter(|_| len > 0) else {
                return run.wait(&[]);
            };
            let mut leaves = [first; LEAVES_MAX];
            for (leaf, kept) in leaves.iter_mut().zip(&innermost.leaves).take(len).skip(1) {
                *leaf = kept.get().unwrap_or(first);
            }
            run.wait(&leaves[..len]);
        });
    }
}

impl Drop for LeafScope {
    #[inline]
    fn drop(&mut self) {
        INNERMOST.with(|innermost| {
            innermost.waker.set(self.outer_waker);
            innermost.len.set(self.outer_len);
            for (leaf, outer) in innermost
                .leaves
                .iter()
                .zip(self.outer_leaves.iter().flatten())
            {
                leaf.set(*outer);
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
        assert!(inner.is_empty());
        pretend_leaf();
        drop(inner);
        assert_eq!(len(), 2);
        assert_eq!(INNERMOST.with(|innermost| innermost.waker.get()), waker(1));
        drop(outer);
        assert_eq!(len(), 0);
        assert!(INNERMOST.with(|innermost| innermost.waker.get()).is_null());
    }

    #[test]
    fn without_a_session_a_clone_is_no_leaf() {
        let scope = LeafScope::begin(waker(1));
        LeafScope::note(waker(1));
        assert!(scope.is_empty());
    }
}
