//! How long each life was in each state.
//!
//! There are millions of lives, and most of them ran, were in the queue, and were blocked for one reason or two, and no more: so times of
//! all other states, and of each reason, lie in one list, those of a life chained.

use std::cmp::Reverse;
use std::collections::HashMap;

use exectrace_reader::{State, StringId};

use crate::key_hasher::BuildKeyHasher;
use crate::lives::LifeId;

/// How long each life was in each state, in nanoseconds.
///
/// Whoever keeps the intervals of tasks can add them up by this, too, and has the same numbers as a pass over the trace. Lives are then
/// numbered as they like, one after another.
#[derive(Clone, Debug, Default)]
pub struct LifeTimes {
    /// By the ids of lives; those behind the last have none.
    times: Vec<Times>,
    others: Vec<OtherTime>,
    /// What the times in `others` are of, each once, …
    kinds: Vec<Other>,
    /// … and where it is.
    place_of_kind: HashMap<Other, u32, BuildKeyHasher>,
}

/// The times of one life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) running_ns: i64,
    pub(crate) runnable_ns: i64,
    /// The place of the latest of its other times.
    others: u32,
}

/// How long a life was in one of the other states, or blocked for one reason.
#[derive(Clone, Copy, Debug)]
struct OtherTime {
    ns: i64,
    /// The place of what it is of.
    kind: u32,
    /// The place of the life's time before.
    before: u32,
}

/// A state that few lives are in, or a reason to be blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Other {
    Syscall,
    Unknown,
    Blocked(StringId),
}

/// The place of no time.
const NONE: u32 = u32::MAX;

impl Default for Times {
    fn default() -> Self {
        Self {
            running_ns: 0,
            runnable_ns: 0,
            others: NONE,
        }
    }
}

impl LifeTimes {
    /// Adds an interval of a life: its state, why it was in that, and how long.
    ///
    /// # Panics
    ///
    /// When lives have more than four billion states and reasons to be blocked: a file of that many events does not fit into memory.
    pub fn add(&mut self, life: LifeId, state: State, reason: StringId, ns: i64) {
        let place = life.0 as usize;
        self.until(place + 1);
        let times = &mut self.times[place];
        match state {
            State::Running => grow(&mut times.running_ns, ns),
            State::Runnable => grow(&mut times.runnable_ns, ns),
            State::Syscall => self.add_other(place, Other::Syscall, ns),
            State::Waiting | State::Idle => self.add_other(place, Other::Blocked(reason), ns),
            // Nothing is known of a task that was let out of sight; before its creation there is no time.
            State::Undetermined | State::NotExist => self.add_other(place, Other::Unknown, ns),
        }
    }

    /// There are at least so many lives.
    pub fn until(&mut self, lives: usize) {
        if self.times.len() < lives {
            self.times.resize_with(lives, Times::default);
        }
    }

    fn add_other(&mut self, life: usize, kind: Other, ns: i64) {
        let latest = self.times[life].others;
        let mut place = latest;
        while let Some(other) = self.others.get_mut(place as usize) {
            if self.kinds[other.kind as usize] == kind {
                grow(&mut other.ns, ns);
                return;
            }
            place = other.before;
        }
        // Lives are no more than 32 bits count, and have few reasons; what is too much for memory is too much here.
        let place = |length| u32::try_from(length).expect("fewer times than 32 bits count");
        let next = place(self.others.len());
        let kind = *self.place_of_kind.entry(kind).or_insert_with(|| {
            self.kinds.push(kind);
            place(self.kinds.len() - 1)
        });
        self.others.push(OtherTime {
            ns,
            kind,
            before: latest,
        });
        self.times[life].others = next;
    }

    /// How long it ran, and was in the queue.
    pub(crate) fn of(&self, life: LifeId) -> &Times {
        &self.times[life.0 as usize]
    }

    /// How long it was in a system call.
    pub(crate) fn syscall_ns(&self, life: LifeId) -> i64 {
        self.other_ns(life, Other::Syscall)
    }

    /// How long nothing is known of it.
    pub(crate) fn unknown_ns(&self, life: LifeId) -> i64 {
        self.other_ns(life, Other::Unknown)
    }

    fn other_ns(&self, life: LifeId, kind: Other) -> i64 {
        let mut others = self.others(life);
        let found = others.find(|(other, _)| *other == kind);
        found.map_or(0, |(_, ns)| ns)
    }

    /// How long it was blocked, by reason: the first one last.
    pub(crate) fn blocked(&self, life: LifeId) -> impl Iterator<Item = (StringId, i64)> {
        self.others(life).filter_map(|(kind, ns)| match kind {
            Other::Blocked(reason) => Some((reason, ns)),
            Other::Syscall | Other::Unknown => None,
        })
    }

    fn others(&self, life: LifeId) -> impl Iterator<Item = (Other, i64)> {
        let at = |place: u32| self.others.get(place as usize);
        let chain = std::iter::successors(at(self.of(life).others), move |it| at(it.before));
        chain.map(|it| (self.kinds[it.kind as usize], it.ns))
    }

    /// How long it was blocked, for whatever reason.
    pub(crate) fn blocked_ns(&self, life: LifeId) -> i64 {
        let blocked = self.blocked(life).map(|(_, ns)| ns);
        blocked.fold(0, i64::saturating_add)
    }

    /// Of some lives so many that were there longest, the longest first.
    #[must_use]
    pub fn longest(&self, mut lives: Vec<LifeId>, most: usize) -> Vec<LifeId> {
        lives.sort_by_key(|&life| Reverse(self.life_ns(life)));
        lives.truncate(most);
        lives
    }

    /// How long it was there.
    pub(crate) fn life_ns(&self, life: LifeId) -> i64 {
        let times = self.of(life);
        let others = self.others(life).map(|(_, ns)| ns);
        let states = [times.running_ns, times.runnable_ns];
        states
            .into_iter()
            .chain(others)
            .fold(0, i64::saturating_add)
    }
}

/// Adds to a sum. Made-up times can be so far apart that it does not hold them all.
pub(crate) fn grow(sum: &mut i64, ns: i64) {
    *sum = sum.saturating_add(ns);
}
