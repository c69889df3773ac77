//! The count of lost records that the reader has not been told of.
//!
//! One word, a [`Tally`], holds the count and a generation, raised whenever the count changes
//! between zero and not zero. While the count is zero only the writer changes the word; while it
//! is not, the writer may raise it, and either side may take it, by compare-and-swap.
//!
//! The generation tells a taker that the count is still that of the time it has read: without
//! it, a count that was taken and then reached the same number again would look untouched.
//!
//! The writer keeps the tally that it left, so that it need not load the word before it counts
//! another loss: if the exchange fails, the reader has taken the loss.

use crate::sync::{AtomicU64, Ordering};

/// Loss that the writer counts and either side may take.
pub(crate) struct Overflow {
    // Shared atomically.
    tally: AtomicU64,
    /// Time of the first loss; the writer stores it while the count is zero.
    time: AtomicU64,
}

/// How many records have been lost (low half), in which generation (high half).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(u64);

/// Records that were lost in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The time of the first of them.
    pub(crate) time: u64,
    /// How many; stays at its greatest rather than wrap.
    pub(crate) count: u32,
}

impl Overflow {
    /// Nothing lost.
    pub(crate) fn new() -> Self {
        Self {
            tally: AtomicU64::new(Tally::default().0),
            time: AtomicU64::new(0),
        }
    }

    /// Counts a first loss; returns the new tally. For the writer, whose tally is of none.
    ///
    /// # Signal safety
    ///
    /// Safe.
    #[inline]
    pub(crate) fn raise(&self, tally: Tally, time: u64) -> Tally {
        let raised = Tally(tally.next_generation().0 | 1);
        // Relaxed: published by the store below. A reader that took the loss before has read its
        // time, since the writer knows of the taking by the Acquire in Overflow::add or
        // Overflow::take.
        self.time.store(time, Ordering::Relaxed);
        // Release: publishes the time, and all records written before; pairs with the Acquire
        // load in Overflow::tally. Nobody else changes the word while the count is zero.
        self.tally.store(raised.0, Ordering::Release);
        raised
    }

    /// Counts another loss; returns the new tally, or an error if the reader has taken the loss
    /// before. For the writer, whose tally is not of none.
    ///
    /// # Signal safety
    ///
    /// Safe.
    #[inline]
    pub(crate) fn add(&self, tally: Tally) -> Result<Tally, Tally> {
        let more = Tally(tally.0 + u64::from(tally.count() < u32::MAX));
        // Relaxed: the store in Overflow::raise heads a release sequence that this continues.
        // Acquire on failure: the reader has read the time; pairs with the Release in
        // Overflow::take.
        self.tally
            .compare_exchange(tally.0, more.0, Ordering::Relaxed, Ordering::Acquire)
            .map(|_| more)
            .map_err(Tally)
    }

    /// The tally as it is now. For the reader.
    pub(crate) fn tally(&self) -> Tally {
        // Acquire: pairs with the Release store in Overflow::raise.
        Tally(self.tally.load(Ordering::Acquire))
    }

    /// Takes the loss of a tally that is not of none, unless it has changed; an error is the
    /// tally as it is now. For either side.
    ///
    /// # Signal safety
    ///
    /// Safe.
    pub(crate) fn take(&self, tally: Tally) -> Result<Loss, Tally> {
        // Relaxed: it was published with the tally, and is unchanged as long as the generation
        // is.
        let time = self.time.load(Ordering::Relaxed);
        let taken = tally.next_generation();
        // Release: the time has been read; pairs with the Acquire in Overflow::add and, below,
        // in the writer's own try to take. Acquire on failure: the other half of that.
        self.tally
            .compare_exchange(tally.0, taken.0, Ordering::Release, Ordering::Acquire)
            .map_err(Tally)?;
        let count = tally.count();
        Ok(Loss { time, count })
    }
}

impl Tally {
    /// How many have been lost.
    #[inline]
    fn count(self) -> u32 {
        self.0 as u32
    }

    /// Whether none has been lost.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.count() == 0
    }

    /// None lost, in the next generation.
    #[inline]
    pub(crate) fn next_generation(self) -> Self {
        Self(u64::from(((self.0 >> 32) as u32).wrapping_add(1)) << 32)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_loss_has_the_first_time_and_the_count() {
        let overflow = Overflow::new();
        assert!(overflow.tally().is_none());
        let tally = overflow.raise(overflow.tally(), 7);
        let tally = overflow.add(tally).unwrap();
        assert_eq!(overflow.tally(), tally);
        assert_eq!(overflow.take(tally), Ok(Loss { time: 7, count: 2 }));
        assert!(overflow.tally().is_none());
    }

    #[test]
    fn a_loss_that_was_taken_is_not_added_to() {
        let overflow = Overflow::new();
        let tally = overflow.raise(Tally::default(), 1);
        overflow.take(tally).unwrap();
        let now = overflow.add(tally).unwrap_err();
        assert!(now.is_none());
        let tally = overflow.raise(now, 2);
        assert_eq!(overflow.take(tally), Ok(Loss { time: 2, count: 1 }));
    }

    #[test]
    fn a_loss_that_was_taken_and_came_again_is_another() {
        let overflow = Overflow::new();
        let seen = overflow.raise(Tally::default(), 1);
        overflow.take(seen).unwrap();
        let tally = overflow.raise(overflow.tally(), 2);
        assert_eq!(overflow.take(seen), Err(tally));
        assert_eq!(overflow.take(tally), Ok(Loss { time: 2, count: 1 }));
    }

    #[test]
    fn the_count_stays_at_its_greatest() {
        let overflow = Overflow::new();
        let tally = overflow.raise(Tally::default(), 1);
        let most = Tally(tally.0 + u64::from(u32::MAX - 2));
        overflow.tally.store(most.0, Ordering::Relaxed);
        let tally = overflow.add(most).unwrap();
        let tally = overflow.add(tally).unwrap();
        let count = u32::MAX;
        assert_eq!(overflow.take(tally), Ok(Loss { time: 1, count }));
    }

    #[test]
    fn the_generation_wraps() {
        let last = Tally(u64::from(u32::MAX) << 32);
        let overflow = Overflow::new();
        overflow.tally.store(last.0, Ordering::Relaxed);
        let tally = overflow.raise(last, 1);
        assert_eq!(tally, Tally(1));
        assert_eq!(overflow.take(tally), Ok(Loss { time: 1, count: 1 }));
    }
}
