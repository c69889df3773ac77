//! What of two traces is compared.

use crate::ProfileType;

/// What a quantity is about. The same name in two traces is the same topic, whatever the ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// User tasks of a name.
    UserTask(String),
    /// Regions of a name.
    Region(String),
    /// Tasks that run a function; empty for those of which nothing tells it.
    Group(String),
    /// A function in a profile, or an address where the trace has no names; empty for what has no stack.
    Function(ProfileType, String),
    /// A stack in a profile: its functions, innermost first.
    Stack(ProfileType, Vec<String>),
}

/// What is measured of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// How long they took: a percentile, in nanoseconds. Of tasks, those that were created and ended in what is looked at.
    Took(u8),
    /// How many tasks were created in a second.
    Created,
    /// How long a task was in a state: the median of those that were created and ended in what is looked at, in nanoseconds.
    PerTask(TaskState),
    /// How long all were in a state, for each nanosecond of the trace: how many were in it on average.
    Share(TaskState),
    /// How long all were blocked for a reason, in the trace's words; a share, as the above.
    Blocked(String),
    /// What was spent in a function alone, or at a stack, for each nanosecond of the trace.
    Flat,
    /// What was spent in a function and in what it calls.
    Cumulative,
}

/// A state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TaskState {
    /// It runs.
    Running,
    /// It could run, and waits for a worker.
    Runnable,
    /// It waits for anything else.
    Blocked,
    /// It is in a system call that blocked.
    Syscall,
}

/// What a quantity is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Nanoseconds for each nanosecond of the trace.
    Share,
    /// Times a second.
    PerSecond,
}

impl Measure {
    /// What it is counted in.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        match self {
            Self::Took(_) | Self::PerTask(_) => Unit::Ns,
            Self::Created => Unit::PerSecond,
            Self::Share(_) | Self::Blocked(_) | Self::Flat | Self::Cumulative => Unit::Share,
        }
    }

    /// Whether more of it is worse, whatever the program was asked to do meanwhile: how long something took, what it cost a task in
    /// time on a worker, and how long a task waited for one. Who waits longer may only have less to do.
    #[must_use]
    pub const fn is_cost(&self) -> bool {
        use TaskState as S;
        matches!(
            self,
            Self::Took(_) | Self::PerTask(S::Running | S::Runnable)
        )
    }
}

impl TaskState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Running, Self::Runnable, Self::Blocked, Self::Syscall];

    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Blocked => "blocked",
            Self::Syscall => "syscall",
        }
    }
}
