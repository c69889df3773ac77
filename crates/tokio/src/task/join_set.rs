//! A collection of traced tasks.

#[cfg(all(tokio_unstable, feature = "tracing"))]
mod builder;

#[cfg(all(tokio_unstable, feature = "tracing"))]
pub use builder::Builder;

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};

use tokio::task::AbortHandle;

use super::LocalSet;
use super::local_spawn::LocalSpawn;
use crate::blocking::traced_closure;
use crate::own_spawn::OwnSpawn;
use crate::runtime::Handle;
use crate::traced::Traced;

/// As [`tokio::task::JoinSet`], to which it dereferences; what is spawned on it is traced.
///
/// # Examples
///
/// ```
/// use exectrace_tokio::task::JoinSet;
///
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// let answers = runtime.block_on(async {
///     let set: JoinSet<u32> = (1..=3).map(|number| async move { number }).collect();
///     set.join_all().await
/// });
/// assert_eq!(answers.iter().sum::<u32>(), 6);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct JoinSet<T> {
    inner: tokio::task::JoinSet<T>,
}

impl<T> JoinSet<T> {
    /// As [`tokio::task::JoinSet::new`].
    pub fn new() -> Self {
        Self {
            inner: tokio::task::JoinSet::new(),
        }
    }
}

impl<T: 'static> JoinSet<T> {
    /// As [`tokio::task::JoinSet::spawn`].
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let traced = Handle::traced_in_current(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn(traced)
    }

    /// As [`tokio::task::JoinSet::spawn_on`].
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let traced = handle.traced(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn_on(traced, handle)
    }

    /// As [`tokio::task::JoinSet::spawn_local`].
    ///
    /// # Panics
    /// Outside of a [`LocalSet`] and of a [`LocalRuntime`](crate::runtime::LocalRuntime).
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        let traced = Traced::new(future);
        let spawning = LocalSpawn::begin(&traced);
        let handle = self.inner.spawn_local(traced);
        spawning.end();
        handle
    }

    /// As [`tokio::task::JoinSet::spawn_local_on`].
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.inner.spawn_local_on(Traced::new(future), local_set)
    }

    /// As [`tokio::task::JoinSet::spawn_blocking`].
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, closure: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.inner.spawn_blocking(traced_closure(closure))
    }

    /// As [`tokio::task::JoinSet::spawn_blocking_on`].
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, closure: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.inner
            .spawn_blocking_on(traced_closure(closure), handle)
    }

    /// As [`tokio::task::JoinSet::join_all`].
    ///
    /// # Panics
    /// As Tokio's, if a task panicked or was aborted.
    pub async fn join_all(self) -> Vec<T> {
        self.inner.join_all().await
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T> Deref for JoinSet<T> {
    type Target = tokio::task::JoinSet<T>;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl<T> DerefMut for JoinSet<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}

impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, futures: I) {
        for future in futures {
            self.spawn(future);
        }
    }
}

impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = Self::new();
        set.extend(futures);
        set
    }
}
