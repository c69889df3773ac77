//! Spawns named tasks, traced.

use std::future::Future;
use std::io;

use tokio::task::JoinHandle;

use super::LocalSet;
use super::local_spawn::LocalSpawn;
use crate::blocking::traced_closure;
use crate::own_spawn::OwnSpawn;
use crate::runtime::Handle;
use crate::traced::Traced;

/// As [`tokio::task::Builder`]; the tasks are traced.
#[derive(Debug, Default)]
pub struct Builder<'a> {
    inner: tokio::task::Builder<'a>,
}

impl<'a> Builder<'a> {
    /// As [`tokio::task::Builder::new`].
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`tokio::task::Builder::name`].
    pub fn name(&self, name: &'a str) -> Self {
        Self {
            inner: self.inner.name(name),
        }
    }

    /// As [`tokio::task::Builder::spawn`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.spawn_on(future, &Handle::current())
    }

    /// As [`tokio::task::Builder::spawn_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let traced = handle.traced(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn_on(traced, handle)
    }

    /// As [`tokio::task::Builder::spawn_local`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a [`LocalSet`] and of a [`LocalRuntime`](crate::runtime::LocalRuntime).
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let traced = Traced::new(future);
        let spawning = LocalSpawn::begin(&traced);
        let handle = self.inner.spawn_local(traced);
        spawning.end();
        handle
    }

    /// As [`tokio::task::Builder::spawn_local_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_local_on<F>(
        self,
        future: F,
        local_set: &LocalSet,
    ) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.inner.spawn_local_on(Traced::new(future), local_set)
    }

    /// As [`tokio::task::Builder::spawn_blocking`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn_blocking<F, R>(self, closure: F) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.inner.spawn_blocking(traced_closure(closure))
    }

    /// As [`tokio::task::Builder::spawn_blocking_on`].
    ///
    /// # Errors
    /// As Tokio's.
    #[track_caller]
    pub fn spawn_blocking_on<F, R>(self, closure: F, handle: &Handle) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.inner
            .spawn_blocking_on(traced_closure(closure), handle)
    }
}
