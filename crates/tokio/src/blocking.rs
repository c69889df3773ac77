//! Closures that block, as tasks.

use exectrace::hook::{Syscall, Task, TaskRef};

use crate::thread_hooks;

/// The closure as a task of its own, which is in a system call while the closure runs: nobody else waits for its thread.
pub(crate) fn traced_closure<F, R>(closure: F) -> impl FnOnce() -> R
where
    F: FnOnce() -> R,
{
    let entry: fn(F) -> R = call::<F, R>;
    let task = Task::new(entry as *const ());
    move || {
        thread_hooks::runs_blocking_closure();
        let run = task.start();
        let result = in_syscall(closure);
        run.end();
        exectrace::hook::worker_parks();
        result
    }
}

/// Runs `closure` while the thread's task, if it has one, is in a system call.
pub(crate) fn in_syscall<F, R>(closure: F) -> R
where
    F: FnOnce() -> R,
{
    let _syscall = TaskRef::current().map(|_| Syscall::enter());
    call(closure)
}

/// One function for each type of closure: what the task is called by.
#[inline(never)]
fn call<F, R>(closure: F) -> R
where
    F: FnOnce() -> R,
{
    closure()
}
