//! The wire formats of Go's execution traces: event tables, varints, batch framing, limits, text form.
//!
//! A recording of exectrace is an execution trace as Go's runtime writes them, so that Go's tools
//! open it and ours open Go's. This crate knows what the bytes mean, for whoever writes them and
//! whoever reads them; it does no I/O, has no clock and no state, and contains no unsafe code.
//!
//! Everything about an event type stands in one row of a table, [`go_v1`] or [`go_v2`]: number, name,
//! arguments, the version that brought each, and the [role](role::Role), by which readers and
//! analyses match. The types, the encoder, the decoder, the text form and the list in
//! docs/format.md come from the row.
//!
//! Decoders take any bytes: they never panic, allocate nothing, and a fault is an [`Error`] that says
//! where. They check one record at a time; whether records make sense together is the reader's to
//! say.
//!
//! # Examples
//!
//! ```
//! use exectrace_format::go_v1::{Batch, Event, EventType, Frequency, GoCreate, GoStart, Records};
//! use exectrace_format::{Seq, StackId, TaskId, Version, WorkerId};
//!
//! // Write.
//! let mut file = Version::Go1_19.header().to_vec();
//! Batch { worker: WorkerId(0), ticks: 1000 }.append(0, &mut file);
//! GoCreate { task: TaskId(1), start_stack: StackId(0), stack: StackId(0) }.append(5, &mut file);
//! GoStart { task: TaskId(1), seq: Seq(1) }.append(7, &mut file);
//! Frequency { ticks_per_second: 1_000_000_000 }.append(0, &mut file);
//!
//! // Read.
//! let mut ticks = 0;
//! for record in Records::of_file(&file)? {
//!     let record = record?;
//!     match record.event_type {
//!         EventType::Batch => ticks = Batch::from_args(&record.args).ticks,
//!         _ => ticks += record.delta,
//!     }
//! }
//! assert_eq!(ticks, 1012);
//! # Ok::<(), exectrace_format::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | [`go_v1`], [`go_v2`] | the tables; writing and decoding records of each format |
//! | [`role`] | what events mean, whatever their version |
//! | [`spec`] | the rows as values |
//! | [`text`] | traces as text, both ways |
//! | [`varint`] | the numbers |
//! | [`limits`] | the lengths that writers keep to and readers check |

mod error;
mod event_list;
mod frames;
pub mod go_v1;
pub mod go_v2;
mod ids;
pub mod limits;
pub mod role;
pub mod spec;
mod table;
pub mod text;
pub mod varint;
mod version;

pub use error::Error;
pub use event_list::event_list_markdown;
pub use frames::{Frame, Frames};
pub use ids::{Seq, StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
pub use version::{Format, Version};
