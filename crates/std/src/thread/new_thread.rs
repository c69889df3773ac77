//! A thread from its spawn to its end.

use exectrace::hook::{Task, ThreadRole, adopt_thread, set_thread_role};

use super::join_handle::JOINING;
use super::scope_members::Member;
use crate::wait_table::Place;

/// A thread that is about to be spawned. If that fails, its task ends unseen.
#[derive(Debug)]
pub(super) struct NewThread {
    task: Task,
    scope: Option<Member>,
}

impl NewThread {
    /// To be called by the thread that spawns, with the address that stands for the closure.
    pub(super) fn new(entry: *const ()) -> Self {
        // A thread that spawns is somebody, so that the recording shows who.
        adopt_thread();
        Self {
            task: Task::for_thread(entry),
            scope: None,
        }
    }

    /// As [`Self::new`], for a thread of a scope.
    pub(super) fn in_scope(entry: *const (), scope: Member) -> Self {
        let mut thread = Self::new(entry);
        thread.scope = Some(scope);
        thread
    }

    /// To be called by the new thread: runs what it was spawned for.
    #[inline(always)]
    pub(super) fn run<T>(self, main: impl FnOnce() -> T) -> T {
        let Self { task, scope } = self;
        set_thread_role(ThreadRole::Thread);
        // Dropped from the last to the first, by a panic, too: who waits for the end is woken, then the task ends.
        let _run = task.start();
        let _end = End;
        let _scope = scope;
        main()
    }
}

/// The thread is about to end. Its drop announces that to those who join it.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        JOINING.wake_at(Place::own_end);
    }
}
