//! Two threads whose events happen by turns.

use super::Now;

/// The thread with the earliest event, and the one with the next.
///
/// Where two threads work together their events alternate, often one by one: so one run has both at hand.
#[derive(Debug)]
pub(in crate::v2) struct Pair<S> {
    sides: [Side<S>; 2],
    /// Whose turn it is.
    turn: usize,
}

/// One of them.
#[derive(Clone, Debug)]
pub(in crate::v2) struct Side<S> {
    pub(in crate::v2) source: S,
    pub(in crate::v2) now: Now,
    /// When its next event comes, if it is the other's turn.
    pub(in crate::v2) next_ns: i64,
}

impl<S> Side<S> {
    #[inline(always)]
    pub(in crate::v2) fn new(source: S, now: Now, next_ns: Option<i64>) -> Self {
        Self {
            source,
            now,
            next_ns: next_ns.unwrap_or(i64::MAX),
        }
    }
}

impl<S> Pair<S> {
    /// It is the first one's turn.
    #[inline(always)]
    pub(in crate::v2) fn new(first: Side<S>, second: Side<S>) -> Self {
        Self {
            sides: [first, second],
            turn: 0,
        }
    }

    /// A thread that no other's events come between.
    #[inline(always)]
    pub(in crate::v2) fn alone(side: Side<S>) -> Self
    where
        S: Clone,
    {
        let nobody = Side {
            next_ns: i64::MAX,
            ..side.clone()
        };
        Self::new(side, nobody)
    }

    /// Whether it is the second one's turn.
    #[inline(always)]
    pub(in crate::v2) fn is_second(&self) -> bool {
        self.turn != 0
    }

    /// The one whose turn it is, and the one that waits.
    #[inline(always)]
    pub(in crate::v2) fn into_turns(self) -> [Side<S>; 2] {
        let [first, second] = self.sides;
        if self.turn == 0 {
            [first, second]
        } else {
            [second, first]
        }
    }

    /// The one whose turn it is.
    #[inline(always)]
    pub(in crate::v2) fn side(&self) -> &Side<S> {
        &self.sides[self.turn & 1]
    }

    #[inline(always)]
    pub(super) fn side_mut(&mut self) -> &mut Side<S> {
        &mut self.sides[self.turn & 1]
    }

    /// The one that waits.
    #[inline(always)]
    pub(super) fn other(&self) -> &Side<S> {
        &self.sides[(self.turn ^ 1) & 1]
    }

    /// The one whose turn it was waits from here on.
    #[inline(always)]
    pub(super) fn take_turns(&mut self, side: Side<S>) {
        *self.side_mut() = side;
        self.turn ^= 1;
    }
}
