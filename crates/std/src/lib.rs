//! The standard library with its threads, locks, condition variables and channels traced.
//!
//! One line at the root of a crate, and a recording of `exectrace` shows when each of its threads ran, on what it waited, and
//! who let it go on:
//!
//! ```
//! extern crate exectrace_std as std;
//! # fn main() {}
//! ```
//!
//! Where the whole crate is too much, change `use std::` to `use exectrace_std::` in some places. The types wrap those of the
//! standard library and have their methods, signatures and behaviour: poisoning, fairness, panics, lifetimes and `Send` and
//! `Sync` are as before. All other items are the standard library's own.
//!
//! | module | what is traced |
//! | --- | --- |
//! | [`thread`](mod@thread) | threads as tasks with the stack that spawned them; sleep, park, yield, join, the end of a scope |
//! | [`sync`] | waits for [`Mutex`](sync::Mutex), [`RwLock`](sync::RwLock), [`Condvar`](sync::Condvar), [`Barrier`](sync::Barrier), [`OnceLock`](sync::OnceLock) |
//! | [`sync::mpsc`] | waits for a message, or for room in a channel |
//! | [`blocking`] | calls of the system that block, where the program marks them |
//!
//! # Examples
//!
//! ```
//! extern crate exectrace_std as std;
//!
//! use std::sync::{Arc, Mutex, mpsc};
//! use std::{thread, time::Duration};
//!
//! /// The program as it was.
//! fn sum_slowly() -> Result<u32, Box<dyn std::error::Error>> {
//!     let total = Arc::new(Mutex::new(0));
//!     let (numbers, inbox) = mpsc::channel();
//!     let adder = thread::spawn({
//!         let total = Arc::clone(&total);
//!         move || {
//!             for number in inbox {
//!                 *total.lock().unwrap() += number;
//!             }
//!         }
//!     });
//!     for number in 1..=3 {
//!         thread::sleep(Duration::from_millis(1));
//!         numbers.send(number)?;
//!     }
//!     drop(numbers);
//!     adder.join().unwrap();
//!     let total = *total.lock().unwrap();
//!     Ok(total)
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let session = exectrace::start(std::io::sink())?;
//!     assert_eq!(sum_slowly()?, 6);
//!     let statistics = session.stop();
//!     assert_eq!(statistics.events.of("GoSleep"), 3);
//!     assert!(statistics.events.of("GoEnd") >= 1);
//!     Ok(())
//! }
//! ```
//!
//! # What it costs
//!
//! An operation that does not wait writes nothing: a free lock is taken by `try_lock`, and a release looks at one number
//! beside the lock. Where a thread must wait, it waits in the standard library's own operation, between two hooks. While no
//! session is running nothing else happens.
//!
//! # Who let a thread go on
//!
//! Whoever unlocks, notifies, sends or receives says so just before, on behalf of the thread that comes next by the order in
//! which they came. The standard library does not tell which thread it wakes, nor whether that thread then finds the lock
//! taken again. So a recording may show a thread as runnable that in truth still waits, until it goes on or another is let in
//! before it; it never shows a thread run that did not, and a thread that went on for another reason (a time-out, a wake that
//! nobody foresaw) is shown as let go by nobody.
//!
//! # What is not there
//!
//! [`LazyLock`](sync::LazyLock) and [`Once`](sync::Once) are the standard library's own, so waits for them are not seen. A
//! [`Scope`](thread::Scope) is a type that is not `Sized`. `Builder::spawn_unchecked`, which is unsafe, and
//! `RwLockWriteGuard::downgrade`, which is younger than the oldest compiler that this crate is for, are missing; so are methods
//! and functions that the standard library has not made stable.

#![forbid(unsafe_code)]

pub use std::*;

mod blocking;
pub mod sync;
pub mod thread;
mod wait_table;
mod waiters;

pub use blocking::{Blocking, blocking};
