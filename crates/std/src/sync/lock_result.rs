//! Results of locks: the guard is wrapped, poisoned or not.

use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// Wraps what the lock gave.
#[inline]
pub(super) fn map<G, W>(result: LockResult<G>, wrap: impl FnOnce(G) -> W) -> LockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

/// Wraps what the lock gave, if it gave something.
#[inline]
pub(super) fn map_try<G, W>(
    result: TryLockResult<G>,
    wrap: impl FnOnce(G) -> W,
) -> TryLockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
            wrap(poisoned.into_inner()),
        ))),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// What was tried, unless one must wait for it.
#[inline]
pub(super) fn at_once<G>(tried: TryLockResult<G>) -> Option<LockResult<G>> {
    match tried {
        Ok(guard) => Some(Ok(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Some(Err(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}
