//! Turns at what looks at all of a trace and is answered at once, such as what a filter leaves.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many have a turn at once: each takes a processor.
const AT_ONCE_MAX: usize = 2;

/// Who would wait for more than so many others is told to come again.
const WAITING_MAX: usize = 30;

/// Turns of a trace.
#[derive(Debug)]
pub(crate) struct Turns {
    /// Places of those that have a turn or wait for one.
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

/// A turn, until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Turns {
    /// Waits for a turn; `None` where too many do.
    pub(crate) async fn take(&self) -> Option<Turn> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        Some(Turn {
            _place: place,
            _turn: turn,
        })
    }
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE_MAX + WAITING_MAX)),
            turns: Arc::new(Semaphore::new(AT_ONCE_MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn two_have_a_turn_some_wait_and_others_are_sent_away() {
        let turns = Turns::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut asking: Vec<_> = (0..AT_ONCE_MAX + WAITING_MAX)
            .map(|_| Box::pin(turns.take()))
            .collect();
        let mut taken = Vec::new();
        asking.retain_mut(|asking| match asking.as_mut().poll(&mut context) {
            Poll::Ready(turn) => {
                taken.push(turn.expect("there is a place"));
                false
            }
            Poll::Pending => true,
        });
        assert_eq!((taken.len(), asking.len()), (AT_ONCE_MAX, WAITING_MAX));
        let late = pin!(turns.take()).poll(&mut context);
        assert!(matches!(late, Poll::Ready(None)));
        // One has done its work: the next has a turn, and there is a place for one more.
        taken.pop();
        let next = asking[0].as_mut().poll(&mut context);
        assert!(matches!(next, Poll::Ready(Some(_))));
        // Who goes away while waiting makes room, too.
        drop((next, taken, asking));
        let alone = pin!(turns.take()).poll(&mut context);
        assert!(matches!(alone, Poll::Ready(Some(_))));
    }
}
