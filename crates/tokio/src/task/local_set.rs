//! A set of tasks that stay on one thread.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;

use crate::runtime::Runtime;
use crate::traced::Traced;

/// As [`tokio::task::LocalSet`], to which it dereferences; what is spawned on it is traced.
///
/// Whoever polls the set runs its tasks: a task that does is preempted while one of them runs.
///
/// # Examples
///
/// ```
/// use exectrace_tokio::task::LocalSet;
///
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// let set = LocalSet::new();
/// let answer = set.spawn_local(async { 42 });
/// assert_eq!(set.block_on(&runtime, answer)?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct LocalSet {
    inner: tokio::task::LocalSet,
}

impl LocalSet {
    /// As [`tokio::task::LocalSet::new`].
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`tokio::task::LocalSet::spawn_local`].
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.inner.spawn_local(Traced::new(future))
    }

    /// As [`tokio::task::LocalSet::block_on`].
    ///
    /// # Panics
    /// As Tokio's.
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        runtime.block_on(self.inner.run_until(future))
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.inner).poll(context)
    }
}

impl Deref for LocalSet {
    type Target = tokio::task::LocalSet;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl DerefMut for LocalSet {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}
