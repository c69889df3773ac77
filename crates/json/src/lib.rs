//! What the analyses of execution traces tell, as JSON: the objects that `exectrace NAME --json` prints and that its viewer serves.
//!
//! Each object says which schema it follows, and in which version; [`SCHEMAS`] has them all. Each is a struct of its own beside the
//! report that it tells: so what analyses know can change without breaking a promise. When something was is told by all in nanoseconds
//! since the trace's first event, and options take it as it was told.
//!
//! # Examples
//!
//! ```
//! use exectrace_analysis::{Pass, Window, Workers};
//! use exectrace_json::{About, WorkersLine};
//! use exectrace_reader::Reader;
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
//! let mut pass = Pass::new(Window::WHOLE, Workers::default());
//! while let Some(event) = reader.next() {
//!     pass.event(&event?, reader.tables());
//! }
//! let report = pass.report(reader.tables());
//! let about = About { file: "some.trace", ..About::default() };
//! let json = serde_json::to_value(WorkersLine::of(&report, &about, usize::MAX))?;
//! assert_eq!(json["schema"], "exectrace.workers");
//! assert_eq!(json["workers"][0]["busy_ns"], 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | `about` | [`About`]: the trace that an object is about |
//! | `diff` | [`DiffLine`]: what changed from one trace to another |
//! | `blockers`, `findings`, `gc`, `info`, `latency`, `profile`, `summary`, `tasks`, `why`, `workers` | an object each: [`BlockersLine`] and so on |
//! | `reports`, `asked`, `trace_file`, `report_error` | [`REPORTS`]: a [`Report`] by its name and options, of a [`TraceFile`] |
//! | [`values`], `moment` | values of options as people write them; [`Moment`]s among them, which [`since_first()`] writes |
//! | `life_line` | the life of one task, in [`TasksLine`] |
//! | `frame_line`, `spread_line` | [`FrameLine`]: a frame of a stack; how times are spread |
//! | `class_words` | [`ClassWords`]: kinds of findings in words, and what to do about them |
//! | `distrust` | [`Distrust`]: why a trace is not to be trusted as a whole |
//! | `instant` | [`instant()`]: what a wall clock showed |
//! | `schema` | [`SCHEMAS`]: what all objects look like |

mod about;
mod asked;
mod blockers;
mod class_words;
mod diff;
mod distrust;
mod findings;
mod frame_line;
mod gc;
mod info;
mod instant;
mod latency;
mod life_line;
mod moment;
mod plan;
mod profile;
mod report_error;
mod reports;
mod schema;
mod spread_line;
mod summary;
mod tasks;
mod together;
mod trace_file;
pub mod values;
mod why;
mod workers;

pub use about::About;
pub use blockers::BlockersLine;
pub use class_words::ClassWords;
pub use diff::{DiffLine, DifferenceLine};
pub use distrust::{Distrust, between, dropped_line, loss_line};
pub use findings::FindingsLine;
pub use frame_line::FrameLine;
pub use gc::GcLine;
pub use info::{Examined, InfoLine};
pub use instant::instant;
pub use latency::LatencyLine;
pub use moment::{Axis, Moment, NoClock, NoMoment, since_first};
pub use profile::ProfileLine;
pub use report_error::ReportError;
pub use reports::{REPORTS, Report};
pub use schema::{NamedSchema, SCHEMAS};
pub use summary::SummaryLine;
pub use tasks::TasksLine;
pub use trace_file::TraceFile;
pub use why::WhyLine;
pub use workers::WorkersLine;
