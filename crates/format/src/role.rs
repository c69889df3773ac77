//! What an event means, whatever its number and version.
//!
//! Readers and analyses match on the role and never on the event type, so that a new event in an
//! old role is one row of a table and nothing else.

/// What an event means.
///
/// Where a subject is named, it is the argument of that subject's id type if the event has one,
/// else the current one of the thread or worker that wrote the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Part of the file's structure: batches, tables, clocks.
    Structure,
    /// The subject passes from the first state to the second.
    Transition(Subject, State, State),
    /// The subject is in the state that an argument gives.
    Status(Subject),
    /// The running task hands its worker to the one in the argument and passes to this state.
    Switch(State),
    /// The running task enters a system call; only a later block says that it waited there.
    SyscallBegin,
    /// A range begins.
    RangeBegin(Range),
    /// A range began before and is still open.
    RangeActive(Range),
    /// A range ends.
    RangeEnd(Range),
    /// A measured value: the first argument.
    Metric(Metric),
    /// One observation of the CPU profile.
    Sample,
    /// The running task gets a label.
    Label,
    /// A user task begins.
    UserTaskBegin,
    /// A user task ends.
    UserTaskEnd,
    /// A user region begins or ends, as its mode says (v1).
    UserRegion,
    /// A user region begins.
    UserRegionBegin,
    /// A user region ends.
    UserRegionEnd,
    /// The program's author logs a message.
    UserLog,
    /// Names a task that runs timers (only old files).
    TimerTask,
    /// The last unblock of the running task was for nothing (only old files).
    FutileWakeup,
    /// Belongs to an experiment of the runtime.
    Experiment,
}

/// Whose state an event changes or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A task.
    Task,
    /// A worker.
    Worker,
}

/// The state of a task or worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Not told yet: the trace began in the middle. No event of the tables says it.
    Undetermined,
    /// Before its creation and after its end.
    NotExist,
    /// A task that waits for a worker.
    Runnable,
    /// On a worker; a worker: on a thread.
    Running,
    /// A task that waits for something else than a worker.
    Waiting,
    /// In a system call.
    Syscall,
    /// A worker without a thread.
    Idle,
}

/// A kind of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Range {
    /// The collector's concurrent mark phase.
    Gc,
    /// All tasks but one are stopped.
    StopTheWorld,
    /// A worker sweeps the heap.
    Sweep,
    /// A task helps the collector to mark.
    MarkAssist,
}

/// A kind of measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// How many workers there may be.
    Workers,
    /// Bytes of live heap.
    HeapLive,
    /// Bytes of heap at which the collector starts.
    HeapGoal,
}

impl State {
    /// The name, which is Go's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undetermined => "Undetermined",
            Self::NotExist => "NotExist",
            Self::Runnable => "Runnable",
            Self::Running => "Running",
            Self::Waiting => "Waiting",
            Self::Syscall => "Syscall",
            Self::Idle => "Idle",
        }
    }
}

impl Range {
    /// The name, which is Go's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gc => "GC concurrent mark phase",
            Self::StopTheWorld => "stop-the-world",
            Self::Sweep => "GC incremental sweep",
            Self::MarkAssist => "GC mark assist",
        }
    }
}

impl Metric {
    /// The name, which is Go's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workers => "/sched/gomaxprocs:threads",
            Self::HeapLive => "/memory/classes/heap/objects:bytes",
            Self::HeapGoal => "/gc/heap/goal:bytes",
        }
    }
}
