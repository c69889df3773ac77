//! Closures that block, as tasks.

mod entry;

use exectrace::hook::{Syscall, Task, TaskRef, worker_parks};

use crate::thread_hooks;

/// The closure as a task of its own, which is in a system call while the closure runs: nobody else waits for its thread.
pub(crate) fn traced_closure<F, R>(closure: F) -> impl FnOnce() -> R
where
    F: FnOnce() -> R + 'static,
{
    let task = Task::new(entry::address::<F, R>());
    move || {
        thread_hooks::runs_blocking_closure();
        let run = task.start();
        let result = in_syscall(|| entry::run(closure));
        run.end();
        worker_parks();
        result
    }
}

/// Runs `closure` while the thread's task, if it has one, is in a system call.
pub(crate) fn in_syscall<F, R>(closure: F) -> R
where
    F: FnOnce() -> R,
{
    let _syscall = TaskRef::current().map(|_| Syscall::enter());
    closure()
}
