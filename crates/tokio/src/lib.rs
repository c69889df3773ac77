//! Tokio, traced: the whole of Tokio again, with what spawns, blocks and builds runtimes replaced by what also tells the
//! [exectrace] recorder.
//!
//! A recording shows each task as Go's tools show a goroutine: when it ran, waited to run, waited and for what, who woke it,
//! and the await path to the place where it waits. Two ways to use it:
//!
//! - **Without a change to the source.** Let the name `tokio` stand for this crate in the manifest; `tokio::spawn`,
//!   `#[tokio::main]` and all the rest are then ours where they matter, and Tokio's own elsewhere:
//!
//!   ```toml
//!   [dependencies]
//!   exectrace = "0.1"
//!   tokio = { package = "exectrace-tokio", version = "0.1", features = ["full"] }
//!   ```
//!
//! - **Beside Tokio**, by name: [`spawn`], [`runtime`], [`task`], `#[exectrace_tokio::main]`.
//!
//! ```
//! # #[cfg(feature = "full")] {
//! # use exectrace_tokio as tokio;
//! let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! let session = exectrace::start(std::io::sink())?;
//! let answer = runtime.block_on(async {
//!     tokio::spawn(async { 6 * 7 }).await
//! })?;
//! let statistics = session.stop();
//! assert_eq!(answer, 42);
//! assert_eq!(statistics.events.of("GoCreate"), 2);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what is ours in it |
//! | --- | --- |
//! | this one | [`spawn`], [`untraced_tasks`], the attributes `main` and `test` |
//! | [`runtime`] | [`Builder`](runtime::Builder), [`Runtime`](runtime::Runtime), [`LocalRuntime`](runtime::LocalRuntime), [`Handle`](runtime::Handle) |
//! | [`task`] | [`spawn`], [`spawn_blocking`](task::spawn_blocking), [`spawn_local`](task::spawn_local), [`yield_now`](task::yield_now), `block_in_place`, [`JoinSet`](task::JoinSet), [`LocalSet`](task::LocalSet) |
//!
//! While no session is running, a poll costs a load and a branch more than with Tokio alone, and sees the context that Tokio
//! gave it.
//!
//! # What is not seen
//!
//! What a dependency spawns by itself, with its own Tokio, runs untraced. It is counted: see [`untraced_tasks`]; recordings say
//! so too, under the key `exectrace.untraced`. In programs built with `--cfg tokio_unstable`, on runtimes built here, such
//! tasks are seen through Tokio's hooks: when they run, but not who woke them or where they wait.

mod blocking;
mod id_number;
mod leaf_class;
mod live_runtime;
mod own_spawn;
mod poll_frame;
pub mod runtime;
pub mod task;
#[cfg(tokio_unstable)]
mod task_hooks;
mod task_waker;
mod thread_hooks;
mod traced;
mod untraced;

pub use task::spawn;
pub use tokio::*;
pub use untraced::untraced_tasks;

#[cfg(feature = "macros")]
pub use exectrace_tokio_macros::{main, test};

/// Tokio's own attributes, for ours to expand to.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use tokio::{main as tokio_main, test as tokio_test};
