//! Traced threads, beside all else of [`std::thread`].
//!
//! A thread is a task: it is created where it is spawned, with that stack and by that thread's task, and ends with the
//! thread's closure, be it by a panic. Tasks are grouped by the closure that they run. A thread that was not spawned here,
//! such as the main thread, becomes a task when it first waits, spawns or lets another go on while a session is running.
//!
//! | function | shown as | let go by |
//! | --- | --- | --- |
//! | [`sleep`] | GoSleep | the clock |
//! | [`park`], [`park_timeout`] | GoBlock | the thread that calls [`Thread::unpark`] |
//! | [`yield_now`] | GoSched | – |
//! | [`JoinHandle::join`], [`ScopedJoinHandle::join`] | GoBlockSync | the thread that ends |
//! | the end of a [`scope()`] | GoBlockSync | the last of its threads to end |
//!
//! # Examples
//!
//! ```
//! use exectrace_std::thread;
//!
//! let session = exectrace::start(std::io::sink())?;
//! let mut counts = [0; 2];
//! thread::scope(|scope| {
//!     for count in &mut counts {
//!         scope.spawn(|| {
//!             thread::park_timeout(std::time::Duration::from_millis(1));
//!             *count += 1;
//!         });
//!     }
//! });
//! let statistics = session.stop();
//! assert_eq!(statistics.events.of("GoBlock"), 2);
//! assert!(statistics.events.of("GoEnd") >= 2);
//! # Ok::<(), exectrace::Error>(())
//! ```

pub use std::thread::*;

mod builder;
mod entry;
mod join_handle;
mod new_thread;
mod scope;
mod scope_members;
mod scoped_join_handle;
mod thread_handle;
mod waits;

pub use builder::Builder;
pub use join_handle::JoinHandle;
pub use scope::{Scope, Spawner, scope};
pub use scoped_join_handle::ScopedJoinHandle;
pub use thread_handle::{Thread, current};
pub use waits::{park, park_timeout, sleep, yield_now};
#[expect(deprecated, reason = "the standard library still has them")]
pub use waits::{park_timeout_ms, sleep_ms};

/// Spawns a thread: see [`std::thread::spawn`].
///
/// # Panics
///
/// If the system has no thread to give; [`Builder::spawn`] says so instead.
///
/// # Examples
///
/// ```
/// let thread = exectrace_std::thread::spawn(|| 6 * 7);
/// assert_eq!(thread.join().unwrap(), 42);
/// ```
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}
