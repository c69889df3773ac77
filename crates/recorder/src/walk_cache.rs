//! Stacks that a thread's hooks found lately: a hook that is called where one was before need not hash and look up its own.
//!
//! ```text
//!  innermost frame ──► place │ where the walk began, its bounds │ frame │ frame │ … │ stack and session
//!                                                               each: caller's frame pointer, return address
//! ```
//!
//! A worker calls its hooks from few functions, at the same depths of its stack over and over. What a walk finds hangs on where it
//! begins, its bounds and the two words of each frame alone: where those are the same, so is the stack. They are compared without
//! following frame pointers, so that no load waits for the one before.
#![expect(unsafe_code, reason = "loads of the thread's own stack")]

use crate::gate::SessionStamp;
use crate::stack_walk::Walk;
use crate::tables::StackEntry;

/// Deeper stacks are walked each time.
const FRAMES_MAX: usize = 24;

/// Places of each kind of hook, a power of two. In all 3.5 KiB a thread.
const PLACES: usize = 2;

/// Of so many walks that a place does not know one is noted there: else two that alternate would cost more than without a cache.
const TRIES: u32 = 4;

/// Kinds of hooks that have places of their own, since each is called from other functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookKind {
    /// A task is made.
    Creation,
    /// A task is woken.
    Wake,
    /// A waker is cloned.
    Leaf,
    /// All others.
    Other,
}

const KINDS: usize = 4;

/// The stacks of one thread.
#[derive(Debug)]
pub(crate) struct WalkCache {
    places: [Place; PLACES * KINDS],
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Place {
    walk: Walk,
    session: u64,
    stack: Option<&'static StackEntry>,
    length: u32,
    /// Walks that were not known here, since the last one that was noted.
    tries: u32,
    frames: [Frame; FRAMES_MAX],
}

/// What lies where a frame pointer leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) next: usize,
    pub(crate) pc: u64,
}

impl WalkCache {
    pub(crate) const fn new() -> Self {
        let place = Place {
            walk: Walk::NONE,
            session: 0,
            stack: None,
            length: 0,
            tries: 0,
            frames: [Frame { next: 0, pc: 0 }; FRAMES_MAX],
        };
        Self {
            places: [place; PLACES * KINDS],
        }
    }

    /// The stack that the walk would find, if it is here and the session has used it.
    #[inline(always)]
    pub(crate) fn find(&self, walk: &Walk, stamp: SessionStamp) -> Option<&'static StackEntry> {
        let place = &self.places[index(walk)];
        if place.walk != *walk || place.session != stamp.word() {
            return None;
        }
        let (mut at, mut differing) = (walk.frame, 0);
        for known in &place.frames[..(place.length as usize).min(FRAMES_MAX)] {
            // SAFETY: the walk that was noted saw a frame there, between its own innermost frame and the end of the thread's stack,
            // which are the same now: so all of it is in use.
            let frame = unsafe { (at as *const Frame).read() };
            differing |= (frame.next ^ known.next) as u64 | (frame.pc ^ known.pc);
            at = known.next;
        }
        if differing == 0 { place.stack } else { None }
    }

    /// The walk has found this stack, which the session has used, and would not have gone on whatever lies beyond.
    pub(crate) fn note(
        &mut self,
        walk: &Walk,
        frames: impl ExactSizeIterator<Item = Frame>,
        stamp: SessionStamp,
        stack: &'static StackEntry,
    ) {
        let place = &mut self.places[index(walk)];
        place.tries = place.tries.wrapping_add(1);
        let is_turn = place.session != stamp.word() || place.tries.is_multiple_of(TRIES);
        if !is_turn || frames.len() > FRAMES_MAX {
            return;
        }
        place.walk = *walk;
        place.session = stamp.word();
        place.stack = Some(stack);
        place.length = frames.len() as u32;
        for (known, frame) in place.frames.iter_mut().zip(frames) {
            *known = frame;
        }
    }
}

#[inline(always)]
fn index(walk: &Walk) -> usize {
    walk.hook as usize * PLACES + (walk.frame / 16) % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Mode;
    use crate::intern_table::{Chunk, InternTable};
    use crate::stack_walk::{FRAMES_MAX as WALK_FRAMES_MAX, StackBuffer, own_bounds};

    /// A thread's cache, and what a hook does with it.
    struct Thread {
        cache: WalkCache,
        /// Its own: sessions of other tests use the process's.
        table: &'static InternTable<u64>,
        stamp: SessionStamp,
        frames_max: usize,
    }

    impl Thread {
        fn new() -> Self {
            Self {
                cache: WalkCache::new(),
                table: Box::leak(Box::new(InternTable::new(4, 1 << 20).expect("memory"))),
                stamp: SessionStamp::new(1, Mode::default()),
                frames_max: WALK_FRAMES_MAX,
            }
        }

        /// What the cache knows of a walk from here, and what the walk finds; it is noted.
        #[inline(never)]
        fn hook(&mut self, hook: HookKind) -> (Option<Vec<u64>>, Vec<u64>) {
            let walk = Walk::here(hook, own_bounds(), self.frames_max);
            let known = self.cache.find(&walk, self.stamp);
            let mut walked = StackBuffer::new();
            walked.walk(&walk);
            let stack = self
                .table
                .intern(walked.pcs(), walked.hash(), self.stamp, &mut Chunk::empty())
                .expect("room");
            self.table.take_used();
            if let Some(frames) = walked.frames(&walk) {
                self.cache.note(&walk, frames, self.stamp, stack);
            }
            (
                known.map(|stack| stack.content().to_vec()),
                walked.pcs().to_vec(),
            )
        }
    }

    /// Calls `work` from a frame that lies so much deeper.
    #[inline(never)]
    fn deeper<T>(depth: usize, work: &mut dyn FnMut() -> T) -> T {
        if depth == 0 {
            return work();
        }
        std::hint::black_box(deeper(depth - 1, work))
    }

    /// On a stack that is no deeper than what is kept, whatever runs the tests.
    fn on_own_thread(work: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, work);
            thread.expect("a thread").join().expect("no panic");
        });
    }

    #[test]
    fn a_hook_called_again_from_the_same_place_is_known_with_its_stack() {
        on_own_thread(|| {
            let mut thread = Thread::new();
            thread.frames_max = 4;
            // One call, also in optimised code.
            let seen: Vec<_> = (0..std::hint::black_box(3))
                .map(|_| thread.hook(HookKind::Wake))
                .collect();
            assert_eq!(seen[0].0, None);
            for (known, walked) in &seen[1..] {
                assert_eq!(known.as_ref(), Some(walked));
            }
        });
    }

    #[test]
    fn a_return_address_anywhere_in_the_stack_makes_another_one() {
        #[inline(never)]
        fn one(thread: &mut Thread) -> (Option<Vec<u64>>, Vec<u64>) {
            let seen = middle(thread);
            std::hint::black_box(1);
            seen
        }
        #[inline(never)]
        fn other(thread: &mut Thread) -> (Option<Vec<u64>>, Vec<u64>) {
            let seen = middle(thread);
            std::hint::black_box(2);
            seen
        }
        #[inline(never)]
        fn middle(thread: &mut Thread) -> (Option<Vec<u64>>, Vec<u64>) {
            std::hint::black_box(thread.hook(HookKind::Leaf))
        }
        on_own_thread(|| {
            let mut thread = Thread::new();
            thread.frames_max = 4;
            for call in [one, one, other, other, one, other, one] {
                let (known, walked) = std::hint::black_box(call)(&mut thread);
                assert!(known.is_none_or(|known| known == walked));
            }
        });
    }

    #[test]
    fn other_bounds_another_session_and_another_kind_of_hook_know_nothing() {
        on_own_thread(|| {
            let mut thread = Thread::new();
            for (hook, frames_max, session, is_known) in [
                (HookKind::Wake, 4, 1, false),
                (HookKind::Wake, 4, 1, true),
                (HookKind::Wake, 3, 1, false),
                (HookKind::Leaf, 4, 1, false),
                (HookKind::Wake, 4, 2, false),
                (HookKind::Wake, 4, 2, true),
                (HookKind::Wake, 4, 1, false),
            ] {
                thread.frames_max = frames_max;
                thread.stamp = SessionStamp::new(session, Mode::default());
                let (known, walked) = thread.hook(hook);
                assert_eq!(known.is_some(), is_known, "{hook:?} {frames_max} {session}");
                assert!(known.is_none_or(|known| known == walked));
            }
        });
    }

    #[test]
    fn one_of_two_that_alternate_keeps_the_place() {
        on_own_thread(|| {
            let mut thread = Thread::new();
            thread.frames_max = 4;
            // How large frames are hangs on how the test is built: at some of these depths the two have the same place.
            for depth in 0..8 {
                thread.stamp = SessionStamp::new(1 + depth as u64, Mode::default());
                let mut known = 0;
                for _ in 0..16 {
                    let mut hook = || usize::from(thread.hook(HookKind::Wake).0.is_some());
                    known += hook();
                    known += deeper(depth, &mut hook);
                }
                assert!(known >= 10, "{known} of 32, {depth} calls deeper");
            }
        });
    }

    #[test]
    fn a_stack_deeper_than_a_place_is_never_known() {
        let mut thread = Thread::new();
        for _ in 0..2 {
            let (known, walked) = deeper(FRAMES_MAX, &mut || thread.hook(HookKind::Other));
            assert!(known.is_none() && walked.len() > FRAMES_MAX);
        }
    }
}
