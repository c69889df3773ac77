//! Scopes, whose threads may borrow.

use std::fmt;
use std::panic::RefUnwindSafe;

use super::builder::Builder;
use super::scope_members::{Member, wait_for_members};
use super::scoped_join_handle::ScopedJoinHandle;
use crate::waiters::Waiting;

/// [`std::thread::Scope`] of traced threads; the end of the scope is traced as GoBlockSync, ended by the last of its threads.
///
/// It is the standard library's own scope seen through [`Spawner`], because only that one lives as long as `'scope`.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread::{self, Scope};
///
/// fn count<'scope>(scope: &'scope Scope<'scope, '_>, words: &'scope [&str]) -> usize {
///     scope.spawn(|| words.len()).join().unwrap()
/// }
///
/// let words = ["a", "b"];
/// assert_eq!(thread::scope(|scope| count(scope, &words)), 2);
/// ```
pub type Scope<'scope, 'env> =
    dyn Spawner<'scope, 'env> + Send + Sync + Unpin + RefUnwindSafe + 'scope;

/// What a [`Scope`] is behind its pointer: the scope of the standard library, and nothing else.
pub trait Spawner<'scope, 'env: 'scope>: sealed::Sealed {
    #[doc(hidden)]
    fn inner(&'scope self) -> &'scope std::thread::Scope<'scope, 'env>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for std::thread::Scope<'_, '_> {}
}

impl<'scope, 'env> Spawner<'scope, 'env> for std::thread::Scope<'scope, 'env> {
    fn inner(&'scope self) -> &'scope std::thread::Scope<'scope, 'env> {
        self
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Spawns a thread in the scope: see [`std::thread::Scope::spawn`].
    ///
    /// # Panics
    ///
    /// If the system has no thread to give; [`Builder::spawn_scoped`] says so instead.
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new()
            .spawn_scoped(self, f)
            .expect("failed to spawn thread")
    }

    pub(super) fn new_member(&'scope self) -> Member {
        Member::new(address(self.inner()))
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// Runs `f` with a scope for threads that borrow, and waits for their ends: see [`std::thread::scope`].
///
/// # Panics
///
/// If a thread of the scope that nobody joined panicked.
///
/// # Examples
///
/// ```
/// use exectrace_std::thread;
///
/// let mut words = vec!["a", "b"];
/// thread::scope(|scope| {
///     scope.spawn(|| words.push("c"));
/// });
/// assert_eq!(words, ["a", "b", "c"]);
/// ```
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let mut waiting = None;
    std::thread::scope(|scope| {
        let _end = End {
            scope: address(scope),
            waiting: &mut waiting,
        };
        f(scope)
    })
}

/// The scope's closure is over, in order or by a panic: from its drop on the scope waits for its threads.
struct End<'w> {
    scope: usize,
    waiting: &'w mut Option<Waiting<'static>>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        *self.waiting = wait_for_members(self.scope);
    }
}

fn address(scope: &std::thread::Scope<'_, '_>) -> usize {
    std::ptr::from_ref(scope).addr()
}
