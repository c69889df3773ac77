//! The read-write lock.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockResult};

use exectrace::hook::{BlockReason, Blocked};

use super::lock_result::{at_once, map, map_try};
use super::rw_queues::{ReadRelease, RwQueues, WriteRelease};

/// [`std::sync::RwLock`], its waits traced as GoBlockSync and each release as the wake of those that it lets in: a writer, or
/// else all readers.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::RwLock;
///
/// let names = RwLock::new(vec!["a"]);
/// assert_eq!(names.read().unwrap().len(), 1);
/// names.write().unwrap().push("b");
/// assert_eq!(names.into_inner().unwrap(), ["a", "b"]);
/// ```
pub struct RwLock<T: ?Sized> {
    queues: RwQueues,
    inner: std::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A lock that is free: see [`std::sync::RwLock::new`].
    #[inline]
    pub const fn new(value: T) -> Self {
        Self {
            queues: RwQueues::new(),
            inner: std::sync::RwLock::new(value),
        }
    }

    /// The value: see [`std::sync::RwLock::into_inner`].
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; the value is in the error.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Shares the lock with other readers, waiting for it if need be: see [`std::sync::RwLock::read`].
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; the guard is in the error.
    ///
    /// # Panics
    ///
    /// It may panic, or never return, if the thread holds the lock already.
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let inner = match at_once(self.inner.try_read()) {
            Some(inner) => inner,
            None => self.wait_to_read(),
        };
        map(inner, |inner| RwLockReadGuard::new(&self.queues, inner))
    }

    #[cold]
    #[inline(never)]
    fn wait_to_read(&self) -> LockResult<std::sync::RwLockReadGuard<'_, T>> {
        let _waiting = self.queues.readers.wait(Blocked::new(BlockReason::Sync));
        self.inner.read()
    }

    /// Shares the lock if no writer has it: see [`std::sync::RwLock::try_read`].
    ///
    /// # Errors
    ///
    /// If that cannot be at once, or the lock is poisoned.
    #[inline]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        map_try(self.inner.try_read(), |inner| {
            RwLockReadGuard::new(&self.queues, inner)
        })
    }

    /// Takes the lock alone, waiting for it if need be: see [`std::sync::RwLock::write`].
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; the guard is in the error.
    ///
    /// # Panics
    ///
    /// It may panic, or never return, if the thread holds the lock already.
    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let inner = match at_once(self.inner.try_write()) {
            Some(inner) => inner,
            None => self.wait_to_write(),
        };
        map(inner, |inner| RwLockWriteGuard::new(&self.queues, inner))
    }

    #[cold]
    #[inline(never)]
    fn wait_to_write(&self) -> LockResult<std::sync::RwLockWriteGuard<'_, T>> {
        let _waiting = self.queues.writers.wait(Blocked::new(BlockReason::Sync));
        self.inner.write()
    }

    /// Takes the lock alone if it is free: see [`std::sync::RwLock::try_write`].
    ///
    /// # Errors
    ///
    /// If it is not free, or poisoned.
    #[inline]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        map_try(self.inner.try_write(), |inner| {
            RwLockWriteGuard::new(&self.queues, inner)
        })
    }

    /// Whether a writer panicked: see [`std::sync::RwLock::is_poisoned`].
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// Forgets the panic: see [`std::sync::RwLock::clear_poison`].
    #[inline]
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }

    /// The value, which nobody else can reach: see [`std::sync::RwLock::get_mut`].
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; the value is in the error.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// [`std::sync::RwLockReadGuard`] of a traced [`RwLock`].
#[must_use = "the lock is released when this is dropped"]
#[clippy::has_significant_drop]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    // Declared first, so dropped first: the wake comes before what it announces.
    _release: ReadRelease<'a>,
    inner: std::sync::RwLockReadGuard<'a, T>,
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    #[inline]
    fn new(queues: &'a RwQueues, inner: std::sync::RwLockReadGuard<'a, T>) -> Self {
        Self {
            _release: queues.begin_read(),
            inner,
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// [`std::sync::RwLockWriteGuard`] of a traced [`RwLock`].
#[must_use = "the lock is released when this is dropped"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    // Declared first, so dropped first: the wake comes before what it announces.
    _release: WriteRelease<'a>,
    inner: std::sync::RwLockWriteGuard<'a, T>,
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    #[inline]
    fn new(queues: &'a RwQueues, inner: std::sync::RwLockWriteGuard<'a, T>) -> Self {
        Self {
            _release: queues.begin_write(),
            inner,
        }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
