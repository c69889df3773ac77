//! An execution tracer for Rust programs: when each task ran, waited to run, blocked and on what, and who woke it.
//!
//! Recordings are Go execution traces, so that `go tool trace` opens them. Add two lines to a program:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let session = exectrace::start(std::fs::File::create("service.trace")?)?;
//! // The program's work, with `exectrace-tokio` or `exectrace-std`, or a runtime that calls the hooks.
//! println!("{}", session.stop());
//! # Ok(())
//! # }
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | this one | [`start`], [`Recorder`], [`Session`], [`Statistics`]; annotations: [`UserTask`], [`Region`], [`log`](fn@log) |
//! | [`hook`] | what runtimes call |
//!
//! A program whose global allocator is a [`TracingAllocator`] sees the heap's size in its recordings too.
//!
//! A recording holds CPU samples, 100 per second of CPU time unless [`Recorder::cpu_samples`] says otherwise. With the feature
//! `pprof` a `CpuProfiler` gives them without a recording, as a profile that `go tool pprof` reads.
//!
//! Programs and their standard library should have frame pointers (`-C force-frame-pointers=yes`) and line tables
//! (`debug = "line-tables-only"`); without the former stacks have a frame or two, without the latter no lines.

#![cfg_attr(
    loom,
    expect(
        dead_code,
        reason = "under loom only the modules with models are there, and the models alone use them"
    )
)]

mod gate;
mod sync;
mod task_word;

#[cfg(not(loom))]
mod annotation;
#[cfg(not(loom))]
mod batch;
#[cfg(not(loom))]
mod block_reason;
#[cfg(not(loom))]
mod clock;
#[cfg(not(loom))]
mod collector;
#[cfg(all(not(loom), feature = "pprof"))]
mod cpu_profile;
#[cfg(not(loom))]
mod demangle;
#[cfg(not(loom))]
mod description;
#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod free_list;
#[cfg(not(loom))]
mod gc;
#[cfg(not(loom))]
mod heap;
#[cfg(not(loom))]
pub mod hook;
#[cfg(not(loom))]
mod hosting;
#[cfg(not(loom))]
mod intern_table;
#[cfg(not(loom))]
mod lane;
#[cfg(not(loom))]
mod lane_writer;
#[cfg(not(loom))]
mod leaf;
#[cfg(not(loom))]
mod local_stock;
#[cfg(not(loom))]
mod membarrier;
#[cfg(not(loom))]
mod memory;
#[cfg(not(loom))]
mod output;
#[cfg(not(loom))]
mod patches;
#[cfg(all(not(loom), feature = "pprof"))]
mod pprof;
#[cfg(not(loom))]
mod quick_pen;
#[cfg(not(loom))]
mod recorder;
#[cfg(not(loom))]
mod region;
#[cfg(not(loom))]
mod run;
#[cfg(not(loom))]
mod runtime_range;
#[cfg(not(loom))]
mod sampler;
#[cfg(not(loom))]
mod session;
#[cfg(not(loom))]
mod session_word;
#[cfg(not(loom))]
mod slab;
#[cfg(not(loom))]
mod stack_frames;
#[cfg(not(loom))]
mod stack_walk;
#[cfg(not(loom))]
mod statistics;
#[cfg(all(test, not(loom)))]
mod stress;
#[cfg(not(loom))]
mod symbols;
#[cfg(not(loom))]
mod tables;
#[cfg(not(loom))]
mod task;
#[cfg(not(loom))]
mod task_logger;
#[cfg(not(loom))]
mod task_ref;
#[cfg(not(loom))]
mod task_slab;
#[cfg(not(loom))]
mod thread_entry;
#[cfg(not(loom))]
mod thread_name;
#[cfg(not(loom))]
mod thread_role;
#[cfg(not(loom))]
mod thread_task;
#[cfg(not(loom))]
mod user_task_record;
#[cfg(not(loom))]
mod waker_cell;
#[cfg(not(loom))]
mod walk_cache;
#[cfg(not(loom))]
mod worker_count;
#[cfg(not(loom))]
mod worker_numbers;

#[cfg(not(loom))]
pub use annotation::{Entered, UserTask, log};
#[cfg(not(loom))]
pub use clock::ClockSource;
#[cfg(all(not(loom), feature = "pprof"))]
pub use cpu_profile::{CpuProfile, CpuProfiler};
#[cfg(not(loom))]
pub use error::Error;
#[cfg(not(loom))]
pub use heap::TracingAllocator;
#[cfg(not(loom))]
pub use recorder::{MEMORY_BUDGET_BYTES, PullSession, Recorder, Session, is_enabled, start};
#[cfg(not(loom))]
pub use region::Region;
#[cfg(not(loom))]
pub use statistics::{CpuSampleStatistics, EndReason, EventCounts, StackMethod, Statistics};
