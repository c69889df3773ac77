//! Threads with a name and a stack size.

use std::io;

use super::entry;
use super::join_handle::JoinHandle;
use super::new_thread::NewThread;
use super::scope::Scope;
use super::scoped_join_handle::ScopedJoinHandle;

/// [`std::thread::Builder`] of traced threads.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread::{self, Builder};
///
/// let thread = Builder::new()
///     .name("baker".into())
///     .spawn(|| thread::current().name().map(str::to_owned))?;
/// assert_eq!(thread.join().unwrap().as_deref(), Some("baker"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    inner: std::thread::Builder,
}

impl Builder {
    /// A thread without a name: see [`std::thread::Builder::new`].
    #[expect(
        clippy::new_without_default,
        reason = "the standard library's has none"
    )]
    pub fn new() -> Self {
        Self {
            inner: std::thread::Builder::new(),
        }
    }

    /// Names the thread: see [`std::thread::Builder::name`]. Recordings show the first 15 bytes.
    pub fn name(self, name: String) -> Self {
        Self {
            inner: self.inner.name(name),
        }
    }

    /// Sets the size of the thread's stack: see [`std::thread::Builder::stack_size`].
    pub fn stack_size(self, size: usize) -> Self {
        Self {
            inner: self.inner.stack_size(size),
        }
    }

    /// Spawns the thread: see [`std::thread::Builder::spawn`].
    ///
    /// # Errors
    ///
    /// If the system has no thread to give.
    ///
    /// # Panics
    ///
    /// If the name has a zero byte.
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let thread = NewThread::new(entry::address::<F, T>());
        let spawned = self.inner.spawn(move || thread.run(|| entry::run(f)));
        spawned.map(JoinHandle::new)
    }

    /// Spawns the thread in a scope: see [`std::thread::Builder::spawn_scoped`].
    ///
    /// # Errors
    ///
    /// If the system has no thread to give.
    ///
    /// # Panics
    ///
    /// If the name has a zero byte.
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let entry = entry::address_scoped::<F, T>();
        let thread = NewThread::in_scope(entry, scope.new_member());
        let main = move || thread.run(|| entry::run_scoped(f));
        let spawned = self.inner.spawn_scoped(scope.inner(), main);
        spawned.map(ScopedJoinHandle::new)
    }
}
