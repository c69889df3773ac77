//! A piece of work that a second thread does ahead, unless the reader needs it before and takes it back.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a piece of work works on, and makes.
pub(super) trait Work {
    /// Does it.
    fn work(&mut self);
}

/// A piece of work, and who does it.
#[derive(Debug)]
pub(super) struct Piece<T> {
    state: Mutex<State<T>>,
    finished: Condvar,
}

#[derive(Debug)]
enum State<T> {
    /// There is nothing to do.
    Idle,
    /// It is to be done.
    Asked(T),
    /// The second thread does it.
    Begun,
    /// It is done.
    Done(T),
    /// The second thread panicked over it.
    Lost,
}

impl<T: Work> Piece<T> {
    /// Nothing to do yet.
    pub(super) fn idle() -> Self {
        Self {
            state: Mutex::new(State::Idle),
            finished: Condvar::new(),
        }
    }

    /// It is to be done.
    pub(super) fn ask(&self, work: T) {
        *self.lock() = State::Asked(work);
    }

    /// The second thread does it, if nobody has done it.
    pub(super) fn work(&self) {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Begun) {
            State::Asked(mut work) => {
                drop(state);
                let unfinished = Unfinished(self);
                work.work();
                std::mem::forget(unfinished);
                *self.lock() = State::Done(work);
                self.finished.notify_one();
            }
            other => *state = other,
        }
    }

    /// Takes it back, done or not; waits if the second thread is at it. `None` if there was nothing to do.
    ///
    /// # Panics
    ///
    /// When the second thread panicked over it.
    pub(super) fn take(&self) -> Option<T> {
        let is_begun = |state: &mut State<T>| matches!(state, State::Begun);
        let state = self.finished.wait_while(self.lock(), is_begun);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Idle) {
            State::Asked(work) | State::Done(work) => Some(work),
            State::Idle | State::Begun => None,
            State::Lost => panic!("the thread that reads ahead has panicked"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells on the way out of a panic that nobody will finish.
struct Unfinished<'p, T>(&'p Piece<T>);

impl<T> Drop for Unfinished<'_, T> {
    fn drop(&mut self) {
        let state = self.0.state.lock();
        *state.unwrap_or_else(PoisonError::into_inner) = State::Lost;
        self.0.finished.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often it was done, and may fail.
    #[derive(Debug, PartialEq)]
    struct Count(usize);

    impl Work for Count {
        fn work(&mut self) {
            assert_ne!(self.0, 100, "as the test wants it");
            self.0 += 1;
        }
    }

    #[test]
    fn work_is_done_once_or_taken_back() {
        let piece = Piece::idle();
        assert_eq!(piece.take(), None);
        piece.ask(Count(1));
        assert_eq!(piece.take(), Some(Count(1)));
        piece.work();
        assert_eq!(piece.take(), None);
        piece.ask(Count(5));
        piece.work();
        piece.work();
        assert_eq!(piece.take(), Some(Count(6)));
    }

    #[test]
    fn a_panic_of_the_other_thread_is_told_to_who_waits() {
        let piece = Piece::idle();
        piece.ask(Count(100));
        std::thread::scope(|scope| {
            let failed = scope.spawn(|| piece.work()).join();
            assert!(failed.is_err());
            let waits = scope.spawn(|| piece.take()).join();
            assert!(waits.is_err());
        });
    }
}
