//! The cell that is set once.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use exectrace::hook::{BlockReason, Blocked};

use crate::waiters::Waiters;

/// [`std::sync::OnceLock`], waits for the thread that initialises it traced as GoBlockSync, ended by that thread.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::OnceLock;
///
/// static LIMIT: OnceLock<usize> = OnceLock::new();
///
/// assert_eq!(LIMIT.get(), None);
/// assert_eq!(*LIMIT.get_or_init(|| 64), 64);
/// assert_eq!(LIMIT.set(32), Err(32));
/// ```
pub struct OnceLock<T> {
    waiters: Waiters,
    /// A thread has come to initialise the cell: later ones wait.
    taken: AtomicBool,
    inner: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// A cell without a value: see [`std::sync::OnceLock::new`].
    #[inline]
    pub const fn new() -> Self {
        Self {
            waiters: Waiters::new(),
            taken: AtomicBool::new(false),
            inner: std::sync::OnceLock::new(),
        }
    }

    /// The value, if there is one: see [`std::sync::OnceLock::get`].
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.inner.get()
    }

    /// The value, which nobody else can reach, if there is one: see [`std::sync::OnceLock::get_mut`].
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits for the value: see [`std::sync::OnceLock::wait`].
    pub fn wait(&self) -> &T {
        if let Some(value) = self.inner.get() {
            return value;
        }
        let _waiting = self.waiters.wait(Blocked::new(BlockReason::Sync));
        self.inner.wait()
    }

    /// Gives the cell its value: see [`std::sync::OnceLock::set`].
    ///
    /// # Errors
    ///
    /// If it has one; `value` comes back.
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("called at most once"));
        value.map_or(Ok(()), Err)
    }

    /// The value, which is made if need be: see [`std::sync::OnceLock::get_or_init`].
    ///
    /// # Panics
    ///
    /// If `f` does; the cell is as before then. It may panic, or never return, if `f` initialises the cell itself.
    #[inline]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        match self.inner.get() {
            Some(value) => value,
            None => self.init(f),
        }
    }

    #[cold]
    #[inline(never)]
    fn init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        // Relaxed: only who comes first must differ.
        let is_late = self.taken.swap(true, Ordering::Relaxed);
        let mut waiting = is_late.then(|| self.waiters.wait(Blocked::new(BlockReason::Sync)));
        self.inner.get_or_init(|| {
            // The one before has panicked, or was overtaken.
            drop(waiting.take());
            let _over = Initialising(self);
            f()
        })
    }

    /// The value: see [`std::sync::OnceLock::into_inner`].
    #[inline]
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// Takes the value out of the cell: see [`std::sync::OnceLock::take`].
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        *self.taken.get_mut() = false;
        self.inner.take()
    }
}

/// A thread makes the value. Its drop announces that it has done so, or panicked: the next may try.
struct Initialising<'a, T>(&'a OnceLock<T>);

impl<T> Drop for Initialising<'_, T> {
    fn drop(&mut self) {
        // Relaxed: only who comes first must differ.
        self.0.taken.store(false, Ordering::Relaxed);
        self.0.waiters.wake_all();
    }
}

impl<T> Default for OnceLock<T> {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        Self {
            waiters: Waiters::new(),
            taken: AtomicBool::new(false),
            inner: value.into(),
        }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        Self {
            waiters: Waiters::new(),
            taken: AtomicBool::new(false),
            inner: self.inner.clone(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
