//! How a blocked reader sleeps, and how a signal handler wakes it.
//!
//! std's [`Thread::unpark`](std::thread::Thread::unpark) is what wakes: on Linux, and wherever
//! else std parks on a futex, it is an atomic swap and at most one system call, and so safe in
//! a signal handler. The writer must reach the sleeper's `Thread` for that, without cloning or
//! dropping it (either may free memory), and without a race when the reader has meanwhile been
//! moved to another thread.
//!
//! # Sleeping
//!
//! The reader writes its thread's handle into a slot, says that it is asleep, and looks once
//! more for news; if there is any it says that it is up again. The writer makes its news
//! visible and then looks whether the reader is asleep. A sequentially consistent fence stands
//! between the two steps of either side, so that one of them sees the other.
//!
//! # The duty to wake
//!
//! Who changes `asleep` from true to false ends the sleep, and only one can. The writer that
//! does so owes exactly one `unpark`; a second piece of news finds the flag clear and owes
//! nothing. Flag and wake go together: clearing it without a wake would lose the reader, and a
//! wake without clearing it would be one too many.
//!
//! # Two slots
//!
//! Having cleared the flag, the writer still needs the slot for its `unpark`, while the reader
//! may be up already (a park may end without reason), move to another thread and go to sleep
//! again. So sleeps use two slots in turn. Let the writer end sleep *n*. Before, it finished
//! the unpark of sleep *n* − 1; so when the reader learns of the end of sleep *n*, the slot of
//! sleep *n* − 1 is free, and that is the one it takes for sleep *n* + 1. Both sides count the
//! sleeps that the writer ended, each for itself, modulo two. A sleep that the reader ended
//! itself counts for neither: nobody has touched its slot.
#![expect(
    unsafe_code,
    reason = "the slots are shared between a writer and a reader without a lock"
)]

use std::cell::UnsafeCell;

use crate::sync::{AtomicBool, Ordering, Shadow, Thread, fence, thread};

/// Wakes a sleeping reader.
pub(crate) struct Alarm {
    // Shared atomically.
    asleep: AtomicBool,

    // The reader's, but for the slot of a sleep that the writer has ended and not yet left.
    sleepers: [UnsafeCell<Option<Thread>>; 2],
    shadow: Shadow,
}

/// How many sleeps have been ended by the writer, modulo two, as one side counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn(bool);

// SAFETY: `Thread` is Send and Sync, and the two methods that touch a slot are called by one
// reader and by one writer, whose accesses are ordered as the module's documentation says.
unsafe impl Sync for Alarm {}

impl Alarm {
    /// An alarm that nobody waits for.
    pub(crate) fn new() -> Self {
        Self {
            asleep: AtomicBool::new(false),
            sleepers: [UnsafeCell::new(None), UnsafeCell::new(None)],
            shadow: Shadow::new(2),
        }
    }

    /// Sleeps until the writer wakes this thread, or not at all if there is news by now.
    ///
    /// # Safety
    ///
    /// Only the reader calls this, always with the same turn.
    pub(crate) unsafe fn sleep_unless(&self, turn: &mut Turn, news: impl FnOnce() -> bool) {
        let slot = turn.slot();
        self.shadow.write(slot, 1);
        let sleeper = self.sleepers[slot].get();
        // SAFETY: the pointer is that of a cell, and the writer has left this slot (see the
        // module's documentation) and comes back only if it sees `asleep` set below.
        let sleeper = unsafe { &mut *sleeper };
        *sleeper = Some(thread::current());

        // Release: publishes the slot; pairs with the Acquire exchange in Alarm::wake.
        self.asleep.store(true, Ordering::Release);
        // SeqCst: pairs with the fence in Alarm::wake. Either `news` sees what the writer did
        // before that fence, or the writer sees `asleep` after it.
        fence(Ordering::SeqCst);
        if news() && self.end_sleep(Ordering::Relaxed) {
            return;
        }
        // Acquire: pairs with the fence before the exchange in Alarm::wake; what the writer did
        // before that is done, its use of the other slot for the last wake included.
        while self.asleep.load(Ordering::Acquire) {
            thread::park();
        }
        turn.pass();
    }

    /// Wakes the reader if it sleeps.
    ///
    /// # Safety
    ///
    /// Only the writer calls this, always with the same turn.
    ///
    /// # Signal safety
    ///
    /// Safe where std's `unpark` is (see the module's documentation).
    pub(crate) unsafe fn wake(&self, turn: &mut Turn) {
        // SeqCst: pairs with the fence in Alarm::sleep_unless, which says what for.
        fence(Ordering::SeqCst);
        // Relaxed: the fence orders it; the exchange below decides.
        if !self.asleep.load(Ordering::Relaxed) {
            return;
        }
        // Acquire: the slot is visible; pairs with the Release store in Alarm::sleep_unless. The
        // fence makes it a release as well, that the last wake is over; pairs with the Acquire
        // load there.
        if !self.end_sleep(Ordering::Acquire) {
            return;
        }
        let slot = turn.slot();
        turn.pass();
        self.shadow.read(slot, 1);
        let sleeper = self.sleepers[slot].get();
        // SAFETY: the pointer is that of a cell, and the reader leaves this slot alone until the
        // writer has ended one more sleep.
        let sleeper = unsafe { &*sleeper };
        if let Some(sleeper) = sleeper {
            sleeper.unpark();
        } else if cfg!(any(loom, debug_assertions)) {
            unreachable!("the sides count sleeps differently");
        }
        self.shadow.read(slot, 1);
    }

    /// Takes the duty to end the sleep, with this order; false if the other side has it.
    fn end_sleep(&self, order: Ordering) -> bool {
        // The order is the caller's. Relaxed on failure: who fails concludes nothing.
        self.asleep
            .compare_exchange(true, false, order, Ordering::Relaxed)
            .is_ok()
    }

    /// Whether the reader has gone to sleep.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn is_set(&self) -> bool {
        self.asleep.load(Ordering::Acquire)
    }
}

impl Turn {
    fn slot(self) -> usize {
        usize::from(self.0)
    }

    fn pass(&mut self) {
        self.0 = !self.0;
    }
}
