//! Why a trace is refused, and where.

use std::fmt;

use exectrace_format::limits::{V1_WORKERS_MAX, V2_THREADS_MAX};
use exectrace_format::role::State;
use exectrace_format::{TaskId, ThreadId};

/// Why a trace cannot be read on, and where that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub cause: Cause,
    /// The byte of the file at which the record, batch or generation begins that is at fault.
    pub offset: u64,
    /// The generation, in format v2.
    pub generation: Option<u64>,
    /// The thread whose batch it is, where there is one.
    pub thread: Option<ThreadId>,
    /// The task that the event is about, where there is one.
    pub task: Option<TaskId>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The bytes are not what the format says.
    Format(exectrace_format::Error),
    /// A batch of another generation than the one that is open, or the one after it.
    GenerationOutOfOrder {
        /// The open one.
        open: u64,
        /// That of the batch.
        found: u64,
    },
    /// The file ends inside of a generation.
    GenerationCut,
    /// A generation does not say how long its units of time are.
    NoFrequency,
    /// A generation says it twice.
    FrequencyRepeated,
    /// A generation does not say what its clock showed.
    NoClockSnapshot,
    /// A generation says it twice.
    ClockSnapshotRepeated,
    /// A string id is defined twice, or is 0.
    StringRepeated {
        /// The id in the file.
        id: u64,
    },
    /// A stack id is defined twice, or is 0.
    StackRepeated {
        /// The id in the file.
        id: u64,
    },
    /// No record defines this string.
    NoSuchString {
        /// The id in the file.
        id: u64,
    },
    /// No record defines this stack.
    NoSuchStack {
        /// The id in the file.
        id: u64,
    },
    /// There are more workers than a reader takes.
    TooManyWorkers,
    /// There are more threads in a generation than a reader takes.
    TooManyThreads,
    /// There are no events.
    Empty,
    /// An event comes before one that must come first.
    TimeOrder,
    /// A system call ends that was not seen to block.
    StraySyscallExit,
    /// A kind whose number means nothing.
    NoSuchKind {
        /// The number.
        number: u64,
    },
    /// The worker runs another task.
    TaskElsewhere,
    /// None of the threads' next events can come next.
    NoOrder,
    /// An event of a thread that lacks, or has, what its type demands.
    Context {
        /// Task, worker or thread.
        subject: &'static str,
        /// Whether it should be there.
        wanted: bool,
    },
    /// A state whose number means nothing.
    NoSuchState {
        /// The number.
        number: u64,
    },
    /// A task is in another state than an event of it demands or tells.
    TaskState {
        /// The state in which it is; `None` if nobody has heard of it.
        is: Option<State>,
        /// The state in which it should be.
        wanted: State,
    },
    /// A worker is in another state than an event of it demands or tells.
    WorkerState {
        /// The worker.
        worker: u64,
        /// The state in which it is; `None` if nobody has heard of it.
        is: Option<State>,
        /// The state in which it should be.
        wanted: State,
    },
    /// A task is created that exists.
    TaskExists,
    /// A task is introduced after the first generation.
    TaskUnheardOf,
    /// A task in a system call belongs to another thread.
    SyscallElsewhere,
    /// A worker's thread cannot be found, or holds another one.
    WorkerElsewhere {
        /// The worker.
        worker: u64,
    },
    /// A number in a sequence is not the next one.
    OutOfSequence {
        /// The number that is written.
        found: u64,
    },
    /// The collector is not in the state that an event of it demands.
    CollectorState,
    /// A range begins that is open, or ends that is not.
    Range {
        /// Whether it is open.
        open: bool,
    },
    /// A user task begins that is active.
    UserTaskExists {
        /// Its id.
        user_task: u64,
    },
    /// A user region ends that is not the innermost of its task.
    RegionNotInnermost,
}

impl Error {
    pub(crate) fn at(cause: Cause, offset: u64) -> Self {
        Self {
            cause,
            offset,
            generation: None,
            thread: None,
            task: None,
        }
    }

    pub(crate) fn of_format(error: exectrace_format::Error) -> Self {
        Self::at(Cause::Format(error), error.offset())
    }

    pub(crate) fn in_generation(mut self, generation: u64) -> Self {
        self.generation.get_or_insert(generation);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = Vec::new();
        if !self.cause.says_where() {
            places.push(format!("byte {}", self.offset));
        }
        if let Some(generation) = self.generation {
            places.push(format!("generation {generation}"));
        }
        match self.thread {
            Some(ThreadId::NONE) => places.push(String::from("no thread")),
            Some(thread) => places.push(format!("thread {}", thread.0)),
            None => {}
        }
        if let Some(task) = self.task {
            places.push(format!("task {}", task.0));
        }
        if !places.is_empty() {
            write!(f, "{}: ", places.join(", "))?;
        }
        self.cause.fmt(f)
    }
}

impl Cause {
    /// Whether the text of the cause has the place in it, as that of faults in records and batches does.
    fn says_where(&self) -> bool {
        use exectrace_format::Error as E;
        match self {
            Self::Format(error) => !matches!(
                error,
                E::HeaderCut { .. } | E::NotATrace | E::UnsupportedVersion { .. }
            ),
            _ => false,
        }
    }
}

impl std::error::Error for Error {}

/// A state as a word.
struct Word(Option<State>);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            None => "unheard of",
            Some(State::Undetermined) => "undetermined",
            Some(State::NotExist) => "not there",
            Some(State::Runnable) => "runnable",
            Some(State::Running) => "running",
            Some(State::Waiting) => "waiting",
            Some(State::Syscall) => "in a system call",
            Some(State::Idle) => "idle",
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Format(error) => error.fmt(f),
            Self::GenerationOutOfOrder { open, found } => {
                write!(f, "a batch of generation {found} while {open} is open")
            }
            Self::GenerationCut => f.write_str("the file ends before the generation does"),
            Self::NoFrequency => f.write_str("the generation has no frequency"),
            Self::FrequencyRepeated => f.write_str("the generation has two frequencies"),
            Self::NoClockSnapshot => f.write_str("the generation has no clock snapshot"),
            Self::ClockSnapshotRepeated => f.write_str("the generation has two clock snapshots"),
            Self::StringRepeated { id } => write!(f, "string {id} exists"),
            Self::StackRepeated { id } => write!(f, "stack {id} exists"),
            Self::NoSuchString { id } => write!(f, "there is no string {id}"),
            Self::NoSuchStack { id } => write!(f, "there is no stack {id}"),
            Self::TooManyWorkers => write!(f, "more than {V1_WORKERS_MAX} workers"),
            Self::TooManyThreads => write!(f, "more than {V2_THREADS_MAX} threads"),
            Self::Empty => f.write_str("the trace is empty"),
            Self::TimeOrder => f.write_str("the time goes back"),
            Self::StraySyscallExit => f.write_str("a system call ends that was not seen to block"),
            Self::NoSuchKind { number } => write!(f, "there is no kind {number}"),
            Self::TaskElsewhere => f.write_str("the worker does not run the task"),
            Self::NoOrder => f.write_str("no thread's next event can come next"),
            Self::Context { subject, wanted } => {
                let has = if wanted { "has no" } else { "has a" };
                write!(f, "the thread {has} {subject}")
            }
            Self::NoSuchState { number } => write!(f, "there is no state {number}"),
            Self::TaskState { is, wanted } => {
                let (is, wanted) = (Word(is), Word(Some(wanted)));
                write!(f, "the task is {is}, not {wanted}")
            }
            Self::WorkerState { worker, is, wanted } => {
                let (is, wanted) = (Word(is), Word(Some(wanted)));
                write!(f, "worker {worker} is {is}, not {wanted}")
            }
            Self::TaskExists => f.write_str("the task exists"),
            Self::TaskUnheardOf => f.write_str("the task was never created"),
            Self::SyscallElsewhere => f.write_str("the task's system call is another thread's"),
            Self::WorkerElsewhere { worker } => {
                write!(f, "the thread does not hold worker {worker}")
            }
            Self::OutOfSequence { found } => write!(f, "{found} is not the next in sequence"),
            Self::CollectorState => f.write_str("the collector's cycles overlap"),
            Self::Range { open: true } => f.write_str("the range is open already"),
            Self::Range { open: false } => f.write_str("the range is not open"),
            Self::UserTaskExists { user_task } => write!(f, "user task {user_task} exists"),
            Self::RegionNotInnermost => f.write_str("the region is not the task's innermost"),
        }
    }
}
