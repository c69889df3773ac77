//! Traced locks, condition variables, barriers, cells and channels, beside all else of [`std::sync`].
//!
//! | type | where it waits | shown as |
//! | --- | --- | --- |
//! | [`Mutex`] | `lock` | GoBlockSync |
//! | [`RwLock`] | `read`, `write` | GoBlockSync |
//! | [`Condvar`] | `wait` and its like, with the time to get the lock back | GoBlockCond |
//! | [`Barrier`] | `wait`, but for the last to arrive | GoBlockSync |
//! | [`OnceLock`] | `get_or_init`, `set`, `wait` while another thread initialises | GoBlockSync |
//! | [`mpsc`] | `recv` and its like; `send` into a full channel | GoBlockRecv, GoBlockSend |
//!
//! Whoever ends a wait is shown as the one who did, with the stack: see the [crate's page](crate).
//!
//! # Examples
//!
//! ```
//! use exectrace_std::sync::{Condvar, Mutex};
//! use exectrace_std::thread;
//!
//! let session = exectrace::start(std::io::sink())?;
//! let (ready, changed) = (Mutex::new(false), Condvar::new());
//! thread::scope(|scope| {
//!     let guard = ready.lock().unwrap();
//!     scope.spawn(|| {
//!         *ready.lock().unwrap() = true;
//!         changed.notify_one();
//!     });
//!     let guard = changed.wait_while(guard, |ready| !*ready).unwrap();
//!     assert!(*guard);
//! });
//! let statistics = session.stop();
//! assert!(statistics.events.of("GoBlockCond") >= 1);
//! # Ok::<(), exectrace::Error>(())
//! ```

pub use std::sync::*;

mod barrier;
mod condvar;
mod lock_result;
pub mod mpsc;
mod mutex;
mod once_lock;
mod rw_lock;
mod rw_queues;

pub use barrier::Barrier;
pub use condvar::Condvar;
pub use mutex::{Mutex, MutexGuard};
pub use once_lock::OnceLock;
pub use rw_lock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
