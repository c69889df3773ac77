//! What a runtime's threads tell: what they are there for, and when they have nothing to run.

use std::cell::Cell;

use exectrace::hook::{self, ThreadRole};

thread_local! {
    /// What was last said of the thread.
    static ROLE: Cell<Option<ThreadRole>> = const { Cell::new(None) };
}

/// A thread of a runtime begins. Tokio does not say which kind: workers show themselves when they first park.
pub(crate) fn thread_starts() {
    is_there_for(ThreadRole::Blocking);
}

/// The thread, which runs tasks, has none to run.
pub(crate) fn worker_parks() {
    is_there_for(ThreadRole::Worker);
    hook::worker_parks();
}

/// The thread runs a blocking closure: after `block_in_place` has given its tasks to another thread, a worker may.
pub(crate) fn runs_blocking_closure() {
    is_there_for(ThreadRole::Blocking);
}

#[inline]
fn is_there_for(role: ThreadRole) {
    if ROLE.replace(Some(role)) != Some(role) {
        hook::set_thread_role(role);
    }
}
