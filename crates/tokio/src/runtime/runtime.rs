//! A runtime whose tasks are traced.

use std::future::Future;
#[cfg(feature = "rt-multi-thread")]
use std::io;
use std::ops::Deref;
use std::time::Duration;

use tokio::runtime::EnterGuard;
use tokio::task::JoinHandle;

use exectrace::hook::{BlockReason, Hosting, enter_runtime};

use super::Handle;
use crate::live_runtime::LiveRuntime;
use crate::traced::Traced;

/// As [`tokio::runtime::Runtime`], to which it dereferences; what is spawned with it is traced.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "rt-multi-thread")] {
/// let runtime = exectrace_tokio::runtime::Runtime::new()?;
/// let answer = runtime.block_on(async { 42 });
/// assert_eq!(answer, 42);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Runtime {
    inner: tokio::runtime::Runtime,
    handle: Handle,
    // Declared last, so dropped when the runtime is gone.
    _live: LiveRuntime,
}

impl Runtime {
    pub(super) fn of(inner: tokio::runtime::Runtime) -> Self {
        Self {
            handle: inner.handle().clone().into(),
            _live: LiveRuntime::of(inner.handle()),
            inner,
        }
    }

    /// As [`tokio::runtime::Runtime::new`].
    ///
    /// # Errors
    /// As Tokio's.
    #[cfg(feature = "rt-multi-thread")]
    pub fn new() -> io::Result<Self> {
        super::Builder::new_multi_thread().enable_all().build()
    }

    /// As [`tokio::runtime::Runtime::handle`].
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// As [`tokio::runtime::Runtime::spawn`].
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// As [`tokio::runtime::Runtime::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, closure: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(closure)
    }

    /// As [`tokio::runtime::Runtime::block_on`]. The future is a task of its own; the task that calls, if it is one, waits.
    ///
    /// # Panics
    /// As Tokio's.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _hosting = Hosting::begin(BlockReason::Sync);
        self.inner
            .block_on(Traced::root(future, self.handle.has_workers()))
    }

    /// As [`tokio::runtime::Runtime::enter`].
    pub fn enter(&self) -> EnterGuard<'_> {
        enter_runtime();
        self.inner.enter()
    }

    /// As [`tokio::runtime::Runtime::shutdown_timeout`].
    pub fn shutdown_timeout(self, duration: Duration) {
        self.inner.shutdown_timeout(duration);
    }

    /// As [`tokio::runtime::Runtime::shutdown_background`].
    pub fn shutdown_background(self) {
        self.inner.shutdown_background();
    }
}

impl Deref for Runtime {
    type Target = tokio::runtime::Runtime;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}
