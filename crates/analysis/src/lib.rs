//! What execution traces tell: analyses of Go's traces and of those of exectrace.
//!
//! Each analysis is a fold over the events of a trace and the states of its tasks, and ends in a plain report; one [`Pass`] feeds
//! any number of them. Nothing here prints.
//!
//! # Examples
//!
//! ```
//! use exectrace_analysis::{Pass, TaskTimes, Window};
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
//! let mut pass = Pass::new(Window::WHOLE, TaskTimes::default());
//! while let Some(event) = reader.next() {
//!     pass.event(&event?, reader.tables());
//! }
//! let report = pass.report(reader.tables());
//! let task = &report.tasks[0];
//! assert_eq!((task.id, task.times.runnable_ns, task.times.running_ns), (TaskId(1), 5, 20));
//! # Ok::<(), exectrace_reader::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | `analysis` | [`Analysis`], what all have in common, and the [`Context`] that it sees |
//! | `pass`, `passed` | [`Pass`]: events in, states of tasks followed, analyses fed; [`Passed`]: what comes of all that a reader gives |
//! | `window` | [`Window`]: a stretch of a trace |
//! | `interval`, `lives` | [`Interval`]s of tasks' [`Lives`], and the [`Edge`]s between them |
//! | `threads` | [`Threads`]: what a recording said of its threads |
//! | `task_times` | [`TaskTimes`]: how long each task ran, waited for a worker, and was blocked by what |
//! | `annotations` | [`Annotations`]: user tasks, user regions and logs |
//! | `latency` | [`Latency`]: how long user tasks and regions took, by name |
//! | `gc` | [`Gc`]: cycles of a garbage collector, stops of the world, assists, sweeps, and the heap over time |
//! | `workers` | [`Workers`]: how workers and threads are used over time |
//! | `mutator_utilization` | [`MutatorUtilization`]: what a garbage collector leaves of the workers |
//! | `histogram` | [`Histogram`]: many values by size |
//! | `task_life` | [`TaskLife`]: all that one task did, state by state |
//! | `why` | [`Why`]: why a task or a user task took so long, and who woke whom; a [`SubjectSearch`] finds it first |
//! | `named_frame` | [`NamedFrame`]s: frames of stacks, in texts |
//! | `filter` | [`Filter`]: which records of an analysis are meant, in a small language; a row a field |
//! | `id` | [`Id`]s as people write them |
//! | `profile`, `profile_report`, `profile_type` | [`Profile`]: where time was spent, by stack: CPU samples, and the states in which tasks do not run |
//! | `blockers` | [`Blockers`]: which code made others wait |
//! | `selection` | [`Selection`]: which tasks an analysis tells of |
//! | `named_frame` | [`NamedFrame`]: a frame of a stack, with names |
//! | `findings` | [`Findings`]: what cost the tasks of a program time, the worst first |
//! | `load`, `requests` | [`Load`]: how busy a program was over time; [`Requests`]: how long what it did for its users took |
//! | `state_words` | [`state_word`]: states of tasks in words |
//! | `shortage` | [`Shortage`]: what a program is short of |
//! | `comparison` | [`Measures`] of two traces, and a [`Comparison`] of them: what changed, and what is only noise |
//! | `distribution` | [`Distribution`]: least, mean, percentiles and most of many values |

mod analysis;
mod annotations;
mod blockers;
mod carried_user_tasks;
mod collector_activity;
mod comparison;
mod creation;
mod distribution;
mod filter;
mod findings;
mod frame_list;
mod functions;
mod gc;
mod histogram;
mod id;
mod interval;
mod key_hasher;
mod latency;
mod life_times;
mod lives;
mod load;
mod marking_times;
mod mutator_utilization;
mod named_frame;
mod origin;
mod pass;
mod passed;
mod profile;
mod profile_report;
mod profile_type;
mod requests;
mod selection;
mod selector;
mod shortage;
mod state_words;
mod stretch;
mod task_life;
mod task_record;
mod task_times;
mod threads;
mod time_buckets;
mod utilization_function;
mod why;
mod window;
mod worker_utilization;
mod workers;

pub use analysis::{Analysis, Context};
pub use annotations::{
    Annotations, AnnotationsReport, Ended, Moment, StrayEnd, UserLog, UserRegion, UserRegionPlace,
    UserTask, UserTaskPlace,
};
pub use blockers::{Blocker, Blockers, BlockersReport, Longest, Waker};
pub use comparison::{
    Comparison, Difference, Family, Measure, Measures, MeasuresReport, TaskState, Threshold, Topic,
    Unit, Verdict, findings_beyond,
};
pub use distribution::Distribution;
pub use filter::{
    Expected, Field, FieldType, Filter, FilterError, Record, RecordKind, RecordKinds, SharedFilter,
    Value,
};
pub use findings::{Class, Evidence, Finding, Findings, FindingsReport, Place, Severity};
pub use gc::{Gc, GcAssistFunction, GcCycle, GcReport, GcStop, GcStopReason, Heap, HeapPoint};
pub use histogram::{Histogram, HistogramBin};
pub use id::{Id, NoId};
pub use interval::{Edge, Interval};
pub use latency::{
    AnnotationKind, Latency, LatencyGroup, LatencyInstance, LatencyLog, LatencyParent, LatencyPart,
    LatencyReport, LatencyStrayEnd, OpenEnds,
};
pub use life_times::LifeTimes;
pub use lives::{Life, LifeId, Lives};
pub use load::{Load, LoadBucket, LoadReport};
pub use marking_times::{MarkingLookup, MarkingTimes};
pub use mutator_utilization::{
    CollectorWork, MutatorUtilization, MutatorUtilizationReport, UtilizationCurve,
    UtilizationPoint, UtilizationWindow,
};
pub use named_frame::NamedFrame;
pub use pass::Pass;
pub use passed::Passed;
pub use profile::Profile;
pub use profile_report::{ProfileFunction, ProfileReport, ProfileStack, ProfileSums};
pub use profile_type::ProfileType;
pub use requests::{REQUEST_BUCKETS, Request, RequestGroup, RequestId, Requests, RequestsReport};
pub use selection::{Selection, UserTaskChoice};
pub use shortage::Shortage;
pub use state_words::{STATE_WORDS, state_word};
pub use task_life::{LifeInterval, TaskLife, TaskLifeReport, TaskLifetime};
pub use task_times::{
    Blocked, BlockedSpread, GroupTimes, StateTimes, TaskTime, TaskTimes, TaskTimesReport,
};
pub use threads::Threads;
pub use why::{ChainEnd, Link, PathPart, Subject, SubjectSearch, Why, WhyReport};
pub use window::Window;
pub use workers::{ThreadUse, WorkerUse, Workers, WorkersReport};
