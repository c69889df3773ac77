//! [`tokio::task`] with traced tasks.

#[cfg(all(tokio_unstable, feature = "tracing"))]
mod builder;
#[cfg(not(tokio_unstable))]
mod join_set;
#[cfg(tokio_unstable)]
pub mod join_set;
mod local_set;
mod local_spawn;
mod spawn;
mod yield_now;

#[cfg(all(tokio_unstable, feature = "tracing"))]
pub use builder::Builder;
pub use join_set::JoinSet;
pub use local_set::LocalSet;
#[cfg(feature = "rt-multi-thread")]
pub use spawn::block_in_place;
pub use spawn::{spawn, spawn_blocking, spawn_local};
pub use tokio::task::*;
pub use yield_now::yield_now;
