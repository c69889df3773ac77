//! Spawns named tasks on a set, traced.

use std::fmt;
use std::future::Future;
use std::io;

use tokio::task::AbortHandle;

use super::JoinSet;
use crate::blocking::traced_closure;
use crate::own_spawn::OwnSpawn;
use crate::runtime::Handle;
use crate::task::LocalSet;
use crate::task::local_spawn::LocalSpawn;
use crate::traced::Traced;

/// As [`tokio::task::join_set::Builder`]; the tasks are traced.
#[must_use = "builders do nothing unless used to spawn a task"]
pub struct Builder<'a, T> {
    inner: tokio::task::join_set::Builder<'a, T>,
}

impl<T: 'static> JoinSet<T> {
    /// As [`tokio::task::JoinSet::build_task`].
    pub fn build_task(&mut self) -> Builder<'_, T> {
        Builder {
            inner: self.inner.build_task(),
        }
    }
}

impl<'a, T: 'static> Builder<'a, T> {
    /// As [`tokio::task::join_set::Builder::name`].
    pub fn name(self, name: &'a str) -> Self {
        Self {
            inner: self.inner.name(name),
        }
    }

    /// As [`tokio::task::join_set::Builder::spawn`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.spawn_on(future, &Handle::current())
    }

    /// As [`tokio::task::join_set::Builder::spawn_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let traced = handle.traced(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn_on(traced, handle)
    }

    /// As [`tokio::task::join_set::Builder::spawn_blocking`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn_blocking<F>(self, closure: F) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.inner.spawn_blocking(traced_closure(closure))
    }

    /// As [`tokio::task::join_set::Builder::spawn_blocking_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_blocking_on<F>(self, closure: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.inner
            .spawn_blocking_on(traced_closure(closure), handle)
    }

    /// As [`tokio::task::join_set::Builder::spawn_local`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a [`LocalSet`] and of a [`LocalRuntime`](crate::runtime::LocalRuntime).
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        let traced = Traced::new(future);
        let spawning = LocalSpawn::begin(&traced);
        let handle = self.inner.spawn_local(traced);
        spawning.end();
        handle
    }

    /// As [`tokio::task::join_set::Builder::spawn_local_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        self.inner.spawn_local_on(Traced::new(future), local_set)
    }
}

impl<T> fmt::Debug for Builder<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
