//! The wire formats of Go's execution traces: event tables, varints, batch framing, limits, text form.

mod error;
mod frames;
pub mod go_v1;
pub mod go_v2;
mod ids;
pub mod limits;
pub mod role;
pub mod spec;
mod table;
pub mod varint;
mod version;

pub use error::Error;
pub use frames::{Frame, Frames};
pub use ids::{Seq, StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
pub use version::{Format, Version};
