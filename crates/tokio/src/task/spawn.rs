//! The functions that spawn or block in the current runtime.

use std::future::Future;

use tokio::task::JoinHandle;

use super::local_spawn::LocalSpawn;
use crate::blocking;
use crate::own_spawn::OwnSpawn;
use crate::runtime::Handle;
use crate::traced::Traced;

/// As [`tokio::spawn`]; the task is traced.
///
/// # Panics
/// Outside of a runtime.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// let answer = runtime.block_on(async { exectrace_tokio::spawn(async { 42 }).await })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
#[inline]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let traced = Handle::traced_in_current(future);
    let _own = OwnSpawn::begin();
    tokio::spawn(traced)
}

/// As [`tokio::task::spawn_local`]; the task is traced.
///
/// # Panics
/// Outside of a [`LocalSet`](super::LocalSet) and of a [`LocalRuntime`](crate::runtime::LocalRuntime).
///
/// # Examples
///
/// ```
/// use exectrace_tokio::task;
///
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// let local = task::LocalSet::new();
/// let answer = local.block_on(&runtime, async { task::spawn_local(async { 42 }).await })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let traced = Traced::new(future);
    let spawning = LocalSpawn::begin(&traced);
    let handle = tokio::task::spawn_local(traced);
    spawning.end();
    handle
}

/// As [`tokio::task::spawn_blocking`]; the closure is a task of its own.
///
/// # Panics
/// Outside of a runtime.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// let answer = runtime.block_on(async { exectrace_tokio::task::spawn_blocking(|| 42).await })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn spawn_blocking<F, R>(closure: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    tokio::task::spawn_blocking(blocking::traced_closure(closure))
}

/// As [`tokio::task::block_in_place`]; the task counts as in a system call meanwhile.
///
/// # Panics
/// As Tokio's, in a runtime of one thread.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_multi_thread().build()?;
/// let answer = runtime.block_on(async { exectrace_tokio::task::block_in_place(|| 42) });
/// assert_eq!(answer, 42);
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(feature = "rt-multi-thread")]
#[track_caller]
pub fn block_in_place<F, R>(closure: F) -> R
where
    F: FnOnce() -> R,
{
    tokio::task::block_in_place(|| blocking::in_syscall(closure))
}
