//! What execution traces tell: analyses of Go's traces and of those of exectrace.
//!
//! Each analysis is a fold over the events of a trace and ends in a plain report; one pass feeds any number of them. Nothing
//! here prints.
//!
//! # Examples
//!
//! ```
//! use exectrace_analysis::{Analysis, TaskTimes};
//! use exectrace_reader::{Reader, TaskId};
//!
//! # let file = exectrace_format::text::parse("\
//! #     go 1.19 trace
//! #     Batch worker=0 ticks=1000
//! #     Frequency ticks_per_second=1000000000
//! #     ProcStart dt=1 thread=7
//! #     GoCreate dt=4 task=1
//! #     GoStart dt=5 task=1 seq=1
//! #     GoBlockRecv dt=20").unwrap();
//! let mut reader = Reader::tolerant(&file)?;
//! let mut times = TaskTimes::default();
//! while let Some(event) = reader.next() {
//!     times.event(&event?, reader.tables());
//! }
//! let report = times.report(reader.tables());
//! let task = &report.tasks[0];
//! assert_eq!((task.id, task.times.runnable_ns, task.times.running_ns), (TaskId(1), 5, 20));
//! # Ok::<(), exectrace_reader::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | `analysis` | [`Analysis`], what all have in common |
//! | `task_times` | [`TaskTimes`]: how long each task ran, waited for a worker, and was blocked by what |
//! | `distribution` | [`Distribution`]: least, mean, percentiles and most of many values |

mod analysis;
mod distribution;
mod task_times;

pub use analysis::Analysis;
pub use distribution::Distribution;
pub use task_times::{Blocked, GroupTimes, StateTimes, TaskTime, TaskTimes, TaskTimesReport};
