//! The types of profiles.

use exectrace_reader::State;

/// What a profile is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProfileType {
    /// CPU samples, by their stacks.
    Cpu,
    /// All time in which tasks neither ran nor were unknown, by the stacks at which they stopped.
    OffCpu,
    /// Tasks that could have run and waited for a worker, by the stacks of who let them: the waker's or creator's, or their own
    /// where they gave way.
    Sched,
    /// Tasks that waited for the network, by their stacks.
    Net,
    /// Tasks that waited for channels, locks and conditions, by their stacks.
    Sync,
    /// System calls, by their stacks; in format v1 those that blocked.
    Syscall,
}

impl ProfileType {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Cpu,
        Self::OffCpu,
        Self::Sched,
        Self::Net,
        Self::Sync,
        Self::Syscall,
    ];

    /// The name: `cpu`, `offcpu`, `sched`, `net`, `sync` or `syscall`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::OffCpu => "offcpu",
            Self::Sched => "sched",
            Self::Net => "net",
            Self::Sync => "sync",
            Self::Syscall => "syscall",
        }
    }

    /// Whether time in a state counts, for some reason.
    pub(crate) const fn has_state(self, state: State) -> bool {
        use State as S;
        match self {
            Self::Cpu => false,
            Self::OffCpu => matches!(state, S::Runnable | S::Waiting | S::Syscall | S::Idle),
            Self::Sched => matches!(state, S::Runnable),
            Self::Net | Self::Sync => matches!(state, S::Waiting),
            Self::Syscall => matches!(state, S::Syscall),
        }
    }

    /// Whether waiting for a reason counts. Go's words are the same in all versions; recordings of exectrace have some of their own.
    pub(crate) fn has_reason(self, reason: &str) -> bool {
        match self {
            Self::Net => reason == "network",
            Self::Sync => {
                ["chan", "sync", "select"]
                    .iter()
                    .any(|word| reason.contains(word))
                    || ["receive", "send", "notify"].contains(&reason)
            }
            _ => true,
        }
    }
}
