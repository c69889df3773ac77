//! The gate of a lane: how a session is stopped without stopping the world.
//!
//! ```text
//!  hook                                   stopper
//!  ────                                   ───────
//!  seq := s + 1   (Release)               session := 0      (swap, SeqCst)
//!  session = 0? ──yes──► seq := s + 2     membarrier, or a full fence
//!      │ no                               seq odd? wait until it changes
//!  write into the lane's batch            take the batch
//!  seq := s + 2   (Release)
//! ```
//!
//! `seq` is odd while the lane's thread is inside a hook. Either the hook sees that the session word is cleared and leaves,
//! or the stopper sees that `seq` is odd and waits: one of the two, because the hook's store and load and the stopper's swap
//! and load have a full fence between them on both sides. The stopper's `membarrier` stands for the hook's fence too, so
//! that a hook pays for none; where the kernel has no `membarrier` the session word carries [`FENCE`] and the hook fences itself.
//!
//! The Release on *raising* `seq` is needed as well as the one on lowering it. With a plain store the stopper could read an
//! even value that a former hook left, then the raised value of the next one, without a right to what the former hook wrote.

use crate::sync::{AtomicU32, AtomicU64, Ordering, fence, yield_now};

/// Bit of the session word: hooks must fence, since the stopper cannot do it for them.
const FENCE: u64 = 1;
/// Bit of the session word: ticks are those of the system's clock, not the processor's.
const SYSTEM_CLOCK: u64 = 2;
const MODE_BITS: u32 = 2;

/// What no session's word is.
pub(crate) const NO_SESSION: u64 = u64::MAX;

/// What hooks of a session must do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    /// They fence, since the stopper cannot do it for them.
    pub(crate) fence: bool,
    /// They ask the system for the time, since the processor does not tell.
    pub(crate) system_clock: bool,
}

/// What a session word says: the tick at which the session began, and its mode bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SessionStamp(u64);

impl SessionStamp {
    /// The stamp of a session that begins at `start_tick`, which must not be 0.
    pub(crate) fn new(start_tick: u64, mode: Mode) -> Self {
        let mut word = start_tick << MODE_BITS;
        if mode.fence {
            word |= FENCE;
        }
        if mode.system_clock {
            word |= SYSTEM_CLOCK;
        }
        Self(word)
    }

    /// The stamp that a word says; of 0, that of no session.
    #[inline(always)]
    pub(crate) fn of_word(word: u64) -> Self {
        Self(word)
    }

    /// The word as it is stored.
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// Tick at which the session began.
    #[inline]
    pub(crate) fn start_tick(self) -> u64 {
        self.0 >> MODE_BITS
    }

    /// Whether ticks are those of the system's clock.
    #[inline(always)]
    pub(crate) fn has_system_clock(self) -> bool {
        self.0 & SYSTEM_CLOCK != 0
    }

    /// What hooks that can do neither fence nor ask the system's clock may expect in [`Gate::enter_for`]: the word, or none.
    pub(crate) fn quick_word(self) -> u64 {
        if self.0 & (FENCE | SYSTEM_CLOCK) == 0 {
            self.0
        } else {
            NO_SESSION
        }
    }
}

/// One lane's side of the protocol. Only the lane's thread raises and lowers it.
#[derive(Debug)]
pub(crate) struct Gate {
    seq: AtomicU32,
}

/// Why a hook has no business in the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No session is running.
    Off,
    /// The thread is inside a hook already: a signal handler, or an allocator that a hook called.
    Busy,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self {
            seq: AtomicU32::new(0),
        }
    }

    /// Enters the lane for the session that `session` holds. After `Ok`, [`Gate::leave`] must follow.
    ///
    /// # Signal safety
    /// Safe in a handler that interrupted a hook of the same thread: it is refused as [`Refusal::Busy`].
    #[inline]
    pub(crate) fn enter(&self, session: &AtomicU64) -> Result<SessionStamp, Refusal> {
        if !self.raise() {
            return Err(Refusal::Busy);
        }
        // Acquire: shows what the starter prepared; pairs with the Release store of the session word.
        let mut word = session.load(Ordering::Acquire);
        if word & FENCE == FENCE {
            fence(Ordering::SeqCst);
            // Acquire: as above, now after the fence.
            word = session.load(Ordering::Acquire);
        }
        if word == 0 {
            self.leave();
            return Err(Refusal::Off);
        }
        Ok(SessionStamp(word))
    }

    /// Enters the lane if the session is the one that the caller expects, by its word, whose hooks need no fence. After true,
    /// [`Gate::leave`] must follow.
    ///
    /// # Signal safety
    /// As [`Gate::enter`].
    #[inline(always)]
    pub(crate) fn enter_for(&self, session: &AtomicU64, expected: u64) -> bool {
        if !self.raise() {
            return false;
        }
        // Acquire: as in `enter`.
        let is_it = session.load(Ordering::Acquire) == expected;
        if !is_it {
            self.leave();
        }
        is_it
    }

    /// Says that the thread is inside a hook. False if it is already.
    #[inline(always)]
    fn raise(&self) -> bool {
        // Relaxed: only this thread stores here.
        let seq = self.seq.load(Ordering::Relaxed);
        if seq & 1 == 1 {
            return false;
        }
        // Release: hands the stopper what former hooks wrote; pairs with the Acquire load in `wait_until_out`.
        self.seq.store(seq.wrapping_add(1), Ordering::Release);
        // The compiler must not move the load of the session above the store; the processor is the stopper's business.
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
        true
    }

    /// Leaves the lane.
    #[inline]
    pub(crate) fn leave(&self) {
        // Relaxed: only this thread stores here.
        let seq = self.seq.load(Ordering::Relaxed);
        debug_assert!(seq & 1 == 1, "leave without enter");
        // Release: hands the stopper what this hook wrote; pairs with the Acquire load in `wait_until_out`.
        self.seq.store(seq.wrapping_add(1), Ordering::Release);
    }

    /// Whether the lane's thread is inside a hook, as seen by that thread.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        // Relaxed: asked by the thread that stores here.
        self.seq.load(Ordering::Relaxed) & 1 == 1
    }

    /// Waits, after the session word was cleared and the fence made, until no hook that saw the session is in the lane.
    /// `pause` is called between two looks with their count and answers false to give up.
    ///
    /// Returns whether the lane is free to be taken.
    pub(crate) fn wait_until_out(&self, mut pause: impl FnMut(u32) -> bool) -> bool {
        // Acquire: takes over what the hooks wrote; pairs with the Release stores in `enter` and `leave`.
        let seen = self.seq.load(Ordering::Acquire);
        if seen & 1 == 0 {
            return true;
        }
        let mut looks = 0;
        // Acquire: as above. Any change will do: a later hook sees that the session is over.
        while self.seq.load(Ordering::Acquire) == seen {
            if !pause(looks) {
                return false;
            }
            yield_now();
            looks = looks.saturating_add(1);
        }
        true
    }
}

/// Explored by loom: `RUSTFLAGS="--cfg loom" cargo test -p exectrace --release --lib loom`.
#[cfg(all(test, loom))]
#[expect(unsafe_code, reason = "the model's batch is shared as a lane's is")]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    const FENCED: Mode = Mode {
        fence: true,
        system_clock: false,
    };

    struct Shared {
        session: AtomicU64,
        gate: Gate,
        batch: UnsafeCell<Vec<u64>>,
    }

    /// Two hooks run while another thread stops: whatever the interleaving, the stopper alone touches the batch after
    /// its wait, and finds just the events whose hooks saw the session.
    #[test]
    fn loom_stop_takes_all_that_hooks_wrote() {
        loom::model(|| {
            let shared = Arc::new(Shared {
                session: AtomicU64::new(SessionStamp::new(7, FENCED).word()),
                gate: Gate::new(),
                batch: UnsafeCell::new(Vec::new()),
            });
            let hooks = {
                let shared = shared.clone();
                thread::spawn(move || {
                    let mut written = 0;
                    for event in 0..2 {
                        if shared.gate.enter(&shared.session).is_ok() {
                            // SAFETY: between `enter` and `leave` the batch is this thread's alone.
                            shared
                                .batch
                                .with_mut(|batch| unsafe { (*batch).push(event) });
                            written += 1;
                            shared.gate.leave();
                        }
                    }
                    written
                })
            };
            // SeqCst: the stopper's side of the fence pair.
            shared.session.swap(0, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            assert!(shared.gate.wait_until_out(|_| true));
            // SAFETY: the session is over and the lane is out of its hook: the batch is the stopper's.
            let taken = shared
                .batch
                .with_mut(|batch| unsafe { std::mem::take(&mut *batch) });
            let written = hooks.join().expect("the hook thread ends");
            assert_eq!(taken, (0..written).collect::<Vec<u64>>());
        });
    }

    /// A signal handler inside a hook is refused and leaves the hook's state alone.
    #[test]
    fn loom_nested_entry_is_busy() {
        loom::model(|| {
            let session = AtomicU64::new(SessionStamp::new(7, Mode::default()).word());
            let gate = Gate::new();
            gate.enter(&session).expect("the lane is free");
            assert_eq!(gate.enter(&session), Err(Refusal::Busy));
            assert!(!gate.enter_for(&session, 7 << MODE_BITS));
            assert!(gate.is_inside());
            gate.leave();
            assert!(gate.enter(&session).is_ok());
            gate.leave();
            for (expected, enters) in [(7, true), (8, false)] {
                assert_eq!(gate.enter_for(&session, expected << MODE_BITS), enters);
                assert_eq!(gate.is_inside(), enters);
                if enters {
                    gate.leave();
                }
            }
        });
    }
}
