//! States as tracks show them.

use exectrace_reader::State;

/// Bits of a shade's number.
pub(super) const SHADE_BITS: u32 = 3;

/// A state as tracks show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Shade {
    /// A task runs.
    Running = 1,
    /// It could, if it had a worker.
    Runnable,
    /// It waits for something.
    Waiting,
    /// It is in a system call.
    Syscall,
    /// What it does is not told.
    Undetermined,
    /// Something that has a begin and an end is between them.
    Open,
}

impl Shade {
    /// In the order of their numbers, which begin with 1.
    pub(crate) const ALL: [Self; 6] = [
        Self::Running,
        Self::Runnable,
        Self::Waiting,
        Self::Syscall,
        Self::Undetermined,
        Self::Open,
    ];

    /// That of a state of a task; `None` of one in which it does not exist.
    pub(crate) fn of(state: State) -> Option<Self> {
        match state {
            State::Running => Some(Self::Running),
            State::Runnable => Some(Self::Runnable),
            State::Waiting => Some(Self::Waiting),
            State::Syscall => Some(Self::Syscall),
            State::Undetermined => Some(Self::Undetermined),
            _ => None,
        }
    }

    /// The state of a task that it shows.
    pub(crate) fn state(self) -> State {
        match self {
            Self::Running => State::Running,
            Self::Runnable => State::Runnable,
            Self::Waiting => State::Waiting,
            Self::Syscall => State::Syscall,
            Self::Undetermined | Self::Open => State::Undetermined,
        }
    }

    /// That of a number.
    pub(super) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Its place among those that mixes tell apart.
    pub(crate) fn place(self) -> usize {
        self as usize - 1
    }

    /// What answers call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Waiting => "waiting",
            Self::Syscall => "syscall",
            Self::Undetermined => "undetermined",
            Self::Open => "open",
        }
    }
}
