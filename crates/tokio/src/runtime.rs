//! [`tokio::runtime`] with traced runtimes.

mod builder;
mod handle;
mod local_runtime;
#[expect(clippy::module_inception, reason = "the file is named after its type")]
mod runtime;

pub use builder::Builder;
pub use handle::Handle;
pub use local_runtime::LocalRuntime;
pub use runtime::Runtime;
pub use tokio::runtime::*;
