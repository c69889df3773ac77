//! A runtime of one thread for tasks that stay on it.

use std::future::Future;
use std::io;
use std::ops::Deref;
use std::time::Duration;

use tokio::runtime::{EnterGuard, LocalOptions};
use tokio::task::JoinHandle;

use exectrace::hook::{BlockReason, Hosting, enter_runtime};

use super::{Builder, Handle};
use crate::live_runtime::LiveRuntime;
use crate::own_spawn::OwnSpawn;
use crate::traced::Traced;

/// As [`tokio::runtime::LocalRuntime`], to which it dereferences; what is spawned with it is traced.
///
/// # Examples
///
/// ```
/// use std::rc::Rc;
///
/// let runtime = exectrace_tokio::runtime::LocalRuntime::new()?;
/// let local = Rc::new(42);
/// let answer = runtime.spawn_local(async move { *local });
/// assert_eq!(runtime.block_on(answer)?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LocalRuntime {
    inner: tokio::runtime::LocalRuntime,
    handle: Handle,
    // Declared last, so dropped when the runtime is gone.
    _live: LiveRuntime,
}

impl LocalRuntime {
    pub(super) fn of(inner: tokio::runtime::LocalRuntime) -> Self {
        Self {
            handle: inner.handle().clone().into(),
            _live: LiveRuntime::of(inner.handle()),
            inner,
        }
    }

    /// As [`tokio::runtime::LocalRuntime::new`].
    ///
    /// # Errors
    /// As Tokio's.
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread()
            .enable_all()
            .build_local(LocalOptions::default())
    }

    /// As [`tokio::runtime::LocalRuntime::handle`].
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// As [`tokio::runtime::LocalRuntime::spawn_local`].
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let traced = self.handle.traced(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn_local(traced)
    }

    /// As [`tokio::runtime::LocalRuntime::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, closure: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(closure)
    }

    /// As [`tokio::runtime::LocalRuntime::block_on`]. The future is a task of its own; the task that calls, if it is one, waits.
    ///
    /// # Panics
    /// As Tokio's.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _hosting = Hosting::begin(BlockReason::Sync);
        self.inner.block_on(Traced::root(future, false))
    }

    /// As [`tokio::runtime::LocalRuntime::enter`].
    pub fn enter(&self) -> EnterGuard<'_> {
        enter_runtime();
        self.inner.enter()
    }

    /// As [`tokio::runtime::LocalRuntime::shutdown_timeout`].
    pub fn shutdown_timeout(self, duration: Duration) {
        self.inner.shutdown_timeout(duration);
    }

    /// As [`tokio::runtime::LocalRuntime::shutdown_background`].
    pub fn shutdown_background(self) {
        self.inner.shutdown_background();
    }
}

impl Deref for LocalRuntime {
    type Target = tokio::runtime::LocalRuntime;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}
