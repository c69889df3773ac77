//! What comes of a profile.

use exectrace_reader::State;

use crate::{NamedFrame, ProfileType};

/// How often something was seen, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileSums {
    /// How many stretches of time there were, or samples.
    pub count: u64,
    /// How long they took in all, in nanoseconds.
    pub ns: i64,
    /// How many of them began before what is looked at, or went on after it.
    pub open_count: u64,
    /// How much of the time is theirs.
    pub open_ns: i64,
}

/// Where time was spent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProfileReport {
    /// What it is a profile of.
    pub profile_type: ProfileType,
    /// All of it.
    pub sums: ProfileSums,
    /// By function: the one with the most time of its own comes first.
    pub functions: Vec<ProfileFunction>,
    /// By stack and reason: the one with the most time comes first.
    pub stacks: Vec<ProfileStack>,
    /// The frames that stacks are made of.
    pub frames: Vec<NamedFrame>,
}

/// What was spent at one stack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileStack {
    /// Its frames, innermost first, as places in the report's list; none where no stack is told.
    pub frames: Vec<u32>,
    /// The state in which tasks were; running for samples.
    pub state: State,
    /// Why, in the trace's words; empty where nothing is told.
    pub reason: String,
    /// How much.
    pub sums: ProfileSums,
}

/// What was spent in one function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileFunction {
    /// The function, or an address where the trace has no names; empty for what has no stack.
    pub function: String,
    /// What was spent where it is innermost.
    pub flat: ProfileSums,
    /// What was spent in it and in what it calls.
    pub cumulative: ProfileSums,
}

impl ProfileSums {
    /// Adds one more.
    pub(crate) fn add_one(&mut self, ns: i64, is_open: bool) {
        self.count += 1;
        self.ns = self.ns.saturating_add(ns);
        if is_open {
            self.open_count += 1;
            self.open_ns = self.open_ns.saturating_add(ns);
        }
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.ns = self.ns.saturating_add(other.ns);
        self.open_count += other.open_count;
        self.open_ns = self.open_ns.saturating_add(other.open_ns);
    }
}

impl ProfileFunction {
    /// One in which nothing was spent so far.
    pub(crate) fn new(function: &str) -> Self {
        Self {
            function: function.to_owned(),
            flat: ProfileSums::default(),
            cumulative: ProfileSums::default(),
        }
    }
}

impl ProfileStack {
    /// What tasks waited for there, in a word or the trace's: `runnable` for a worker, `syscall` for a system call, `not told` where
    /// nothing is.
    #[must_use]
    pub fn waits_for(&self) -> &str {
        match (self.state, self.reason.as_str()) {
            (State::Runnable, _) => "runnable",
            (State::Syscall, _) => "syscall",
            (_, "") => "not told",
            (_, reason) => reason,
        }
    }
}

impl ProfileReport {
    /// The frames of one of its stacks, innermost first.
    pub fn frames_of(&self, stack: &ProfileStack) -> impl DoubleEndedIterator<Item = &NamedFrame> {
        let places = stack.frames.iter();
        places.filter_map(|&place| self.frames.get(place as usize))
    }
}
