//! Reads execution traces: Go's from 1.5 to 1.27, and those of exectrace.
//!
//! Whatever the version, what comes out are events of one model, in order of time and checked as Go's own readers check
//! them: [`Reader`] refuses what they refuse, and says where and why.
//!
//! # Examples
//!
//! ```
//! use exectrace_format::go_v1::{Batch, Event as _, Frequency, GoCreate, GoStart, ProcStart};
//! use exectrace_format::role::State;
//! use exectrace_format::{Seq, StackId, TaskId, ThreadId, Version, WorkerId};
//! use exectrace_reader::{Kind, Reader};
//!
//! // A file, as a recorder writes it.
//! let mut file = Version::Go1_19.header().to_vec();
//! Batch { worker: WorkerId(0), ticks: 1000 }.append(0, &mut file);
//! GoCreate { task: TaskId(1), start_stack: StackId(0), stack: StackId(0) }.append(5, &mut file);
//! ProcStart { thread: ThreadId(7) }.append(1, &mut file);
//! GoStart { task: TaskId(1), seq: Seq(1) }.append(7, &mut file);
//! Frequency { ticks_per_second: 1_000_000_000 }.append(0, &mut file);
//!
//! let events: Vec<_> = Reader::new(&file)?.collect::<Result<_, _>>()?;
//! let start = events.last().unwrap();
//! assert_eq!((start.time.0, start.worker, start.thread), (8, WorkerId(0), ThreadId(7)));
//! assert!(matches!(start.kind, Kind::TaskTransition { task: TaskId(1), to: State::Running, .. }));
//! # Ok::<(), exectrace_reader::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | `source` | [`Source`], where bytes come from: files, pipes, packed or not |
//! | `trace` | [`Trace`]: which files are parts of one trace |
//! | `merged` | [`Merged`]: several traces on one axis of time |
//! | `reader` | [`Reader`], the door |
//! | `v1`, `v2` | the two formats: how their events are found and put in order |
//! | `event` | [`Event`] and [`Kind`], the model |
//! | `tables` | [`Tables`]: strings and stacks by ids that hold for the whole trace |
//! | `inventory` | [`Inventory`]: what is in a trace, in numbers |
//! | `description`, `thread_description` | [`Description`]: what a recording of exectrace says about itself; [`ThreadDescription`]: about one of its threads |
//! | `survey` | [`Survey`]: all that together, and whether the file is a trace |
//! | `wire` | [`WireCounts`]: records and bytes by type |
//! | `validator` | [`Validator`]: a second opinion on a stream of events |
//! | `loss`, `repairs` | [`Loss`] and [`Repairs`]: what a tolerant reader could not read, and what it put right |
//! | `error` | [`Error`]: what is wrong, and where |

mod block;
mod damage;
mod description;
mod error;
mod event;
mod id_array;
mod id_map;
mod id_table;
mod inventory;
mod loss;
mod merged;
mod reader;
mod repairs;
mod source;
mod stack_list;
mod survey;
mod tables;
mod thread_description;
mod time;
mod trace;
mod v1;
mod v2;
mod validator;
mod wall_clock;
mod wire;

// The words of events, so that who reads traces needs no other package.
pub use exectrace_format::role::{Metric, Range, State};
pub use exectrace_format::{
    Format, Frame, StackId, StringId, TaskId, ThreadId, UserTaskId, Version, WorkerId,
};

pub use description::{Description, Dropped, SampleRate};
pub use error::{Cause, Error};
pub use event::{Event, EventType, Kind, UserTaskBegin};
pub use inventory::{Counted, Inventory};
pub use loss::{Gap, Loss};
pub use merged::{MergeError, Merged};
pub use reader::{Contents, Mode, Reader};
pub use repairs::{Repair, Repaired, Repairs};
pub use source::{Packing, PackingFault, Source, SourceError, UnpackLimit};
pub use survey::{Survey, Verdict};
pub use tables::Tables;
pub use thread_description::ThreadDescription;
pub use time::Timestamp;
pub use trace::Trace;
pub use validator::{Rule, Validator, Violation};
pub use wall_clock::WallClock;
pub use wire::{WireCount, WireCounts};
