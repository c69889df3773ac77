//! A handle to a runtime, whose spawning functions are traced.

use std::future::Future;
use std::ops::Deref;

use tokio::runtime::{EnterGuard, RuntimeFlavor, TryCurrentError};
use tokio::task::JoinHandle;

use exectrace::hook::{BlockReason, Hosting, current_runtime, enter_runtime};

use crate::blocking::traced_closure;
use crate::id_number::number_of;
use crate::own_spawn::OwnSpawn;
use crate::traced::Traced;

/// As [`tokio::runtime::Handle`], to which it dereferences; what is spawned with it is traced.
///
/// `From` leads to Tokio's type and back, for libraries that ask for it.
///
/// # Examples
///
/// ```
/// use exectrace_tokio::runtime::{Builder, Handle};
///
/// let runtime = Builder::new_current_thread().build()?;
/// let answer = runtime.block_on(async {
///     Handle::current().spawn(async { 42 }).await
/// })?;
/// assert_eq!(answer, 42);
/// let tokios: tokio::runtime::Handle = runtime.handle().clone().into();
/// # drop(tokios);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Handle {
    inner: tokio::runtime::Handle,
}

impl Handle {
    /// As [`tokio::runtime::Handle::current`].
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    pub fn current() -> Self {
        tokio::runtime::Handle::current().into()
    }

    /// As [`tokio::runtime::Handle::try_current`].
    ///
    /// # Errors
    /// Outside of a runtime.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        Ok(tokio::runtime::Handle::try_current()?.into())
    }

    /// As [`tokio::runtime::Handle::enter`].
    pub fn enter(&self) -> EnterGuard<'_> {
        enter_runtime();
        self.inner.enter()
    }

    /// As [`tokio::runtime::Handle::spawn`].
    #[track_caller]
    #[inline]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let traced = self.traced(future);
        let _own = OwnSpawn::begin();
        self.inner.spawn(traced)
    }

    /// As [`tokio::runtime::Handle::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, closure: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.inner.spawn_blocking(traced_closure(closure))
    }

    /// As [`tokio::runtime::Handle::block_on`]. The future is a task of its own; the task that calls, if it is one, waits.
    ///
    /// # Panics
    /// As Tokio's.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _hosting = Hosting::begin(BlockReason::Sync);
        // Only a runtime's own `block_on` drives others as well.
        self.inner.block_on(Traced::root(future, true))
    }

    /// The future as a task of the runtime that [`tokio::spawn`] spawns on. A task that runs there knows which one that is, which
    /// saves the two atomic operations of a handle.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[track_caller]
    #[inline]
    pub(crate) fn traced_in_current<F: Future>(future: F) -> Traced<F> {
        // No closure, which would hide the caller from a panic.
        let runtime = match current_runtime() {
            Some(runtime) => runtime,
            None => Self::number_of_current(),
        };
        let traced = Traced::new(future);
        traced.task().set_runtime(runtime);
        traced
    }

    #[track_caller]
    #[cold]
    fn number_of_current() -> u64 {
        number_of(Self::current().inner.id())
    }

    /// The future as a task of the runtime.
    #[inline]
    pub(crate) fn traced<F: Future>(&self, future: F) -> Traced<F> {
        let traced = Traced::new(future);
        traced.task().set_runtime(number_of(self.inner.id()));
        traced
    }

    /// Whether threads of its own run the runtime's tasks.
    pub(crate) fn has_workers(&self) -> bool {
        self.inner.runtime_flavor() != RuntimeFlavor::CurrentThread
    }
}

impl Deref for Handle {
    type Target = tokio::runtime::Handle;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl From<tokio::runtime::Handle> for Handle {
    fn from(inner: tokio::runtime::Handle) -> Self {
        Self { inner }
    }
}

impl From<Handle> for tokio::runtime::Handle {
    fn from(handle: Handle) -> Self {
        handle.inner
    }
}
