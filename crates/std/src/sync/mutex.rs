//! The mutex.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockResult};

use exectrace::hook::{BlockReason, Blocked};

use super::lock_result::{at_once, map, map_try};
use crate::waiters::Waiters;

/// [`std::sync::Mutex`], its waits traced as GoBlockSync and each unlock as the wake of the thread that waits longest.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::Mutex;
///
/// static COUNT: Mutex<u32> = Mutex::new(0);
///
/// *COUNT.lock().unwrap() += 1;
/// assert_eq!(*COUNT.lock().unwrap(), 1);
/// ```
pub struct Mutex<T: ?Sized> {
    waiters: Waiters,
    inner: std::sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A mutex that is free: see [`std::sync::Mutex::new`].
    #[inline]
    pub const fn new(value: T) -> Self {
        Self {
            waiters: Waiters::new(),
            inner: std::sync::Mutex::new(value),
        }
    }

    /// The value: see [`std::sync::Mutex::into_inner`].
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the value is in the error.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Takes the mutex, waiting for it if need be: see [`std::sync::Mutex::lock`].
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the guard is in the error.
    ///
    /// # Panics
    ///
    /// It may panic, or never return, if the thread holds the mutex already.
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let inner = match at_once(self.inner.try_lock()) {
            Some(inner) => inner,
            None => self.wait(),
        };
        map(inner, |inner| MutexGuard::new(&self.waiters, inner))
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) -> LockResult<std::sync::MutexGuard<'_, T>> {
        let _waiting = self.waiters.wait(Blocked::new(BlockReason::Sync));
        self.inner.lock()
    }

    /// Takes the mutex if it is free: see [`std::sync::Mutex::try_lock`].
    ///
    /// # Errors
    ///
    /// If it is not free, or poisoned.
    #[inline]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        map_try(self.inner.try_lock(), |inner| {
            MutexGuard::new(&self.waiters, inner)
        })
    }

    /// Whether a thread panicked with the mutex in its hands: see [`std::sync::Mutex::is_poisoned`].
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// Forgets the panic: see [`std::sync::Mutex::clear_poison`].
    #[inline]
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }

    /// The value, which nobody else can reach: see [`std::sync::Mutex::get_mut`].
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the value is in the error.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// [`std::sync::MutexGuard`] of a traced [`Mutex`].
#[must_use = "the mutex is free again when this is dropped"]
#[clippy::has_significant_drop]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    // Declared first, so dropped first: the wake comes before what it announces.
    unlock: Unlock<'a>,
    inner: std::sync::MutexGuard<'a, T>,
}

/// The mutex is about to be free.
#[derive(Debug)]
struct Unlock<'a>(&'a Waiters);

impl Drop for Unlock<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.wake_first();
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    #[inline]
    pub(super) fn new(waiters: &'a Waiters, inner: std::sync::MutexGuard<'a, T>) -> Self {
        Self {
            unlock: Unlock(waiters),
            inner,
        }
    }

    /// The guard taken apart, for an operation that frees the mutex.
    #[inline]
    pub(super) fn about_to_unlock(self) -> (&'a Waiters, std::sync::MutexGuard<'a, T>) {
        let Self { unlock, inner } = self;
        let waiters = unlock.0;
        drop(unlock);
        (waiters, inner)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
