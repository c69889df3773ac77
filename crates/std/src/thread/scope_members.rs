//! The threads of scopes that have not ended: a scope's end waits for the last of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use exectrace::hook::{BlockReason, Blocked};

use crate::wait_table::Place;
use crate::waiters::{Waiters, Waiting};

/// How many threads wait at the end of a scope, as far as a session sees.
static ENDING: Waiters = Waiters::new();

/// Scopes that have threads, and how many. A scope is known by its address, which is its own as long as it has threads.
static SCOPES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn scopes() -> MutexGuard<'static, Vec<(usize, usize)>> {
    // Nothing panics while it is locked.
    SCOPES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread of a scope. The drop of the last one announces that the scope can end.
#[derive(Debug)]
pub(super) struct Member {
    scope: usize,
}

impl Member {
    /// One more thread of the scope at that address.
    pub(super) fn new(scope: usize) -> Self {
        let mut scopes = scopes();
        match scopes.iter_mut().find(|(address, _)| *address == scope) {
            Some((_, members)) => *members += 1,
            None => scopes.push((scope, 1)),
        }
        Self { scope }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if leave(self.scope) {
            ENDING.wake_at(|| Place::Scope(self.scope));
        }
    }
}

/// One thread less; whether it was the last one.
fn leave(scope: usize) -> bool {
    let mut scopes = scopes();
    let Some(index) = scopes.iter().position(|(address, _)| *address == scope) else {
        return false;
    };
    scopes[index].1 -= 1;
    let is_last = scopes[index].1 == 0;
    if is_last {
        scopes.swap_remove(index);
    }
    is_last
}

/// The calling thread waits for the threads of the scope, if it has any.
pub(super) fn wait_for_members(scope: usize) -> Option<Waiting<'static>> {
    let has_members = scopes().iter().any(|(address, _)| *address == scope);
    has_members.then(|| ENDING.wait_at(Place::Scope(scope), Blocked::new(BlockReason::Sync)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_member_is_told() {
        let members = [Member::new(8), Member::new(8), Member::new(16)];
        assert!(wait_for_members(8).is_some());
        assert!(wait_for_members(24).is_none());
        std::mem::forget(members);
        assert!(!leave(8));
        assert!(leave(16));
        assert!(leave(8));
        assert!(!leave(8));
        assert!(wait_for_members(8).is_none());
    }
}
