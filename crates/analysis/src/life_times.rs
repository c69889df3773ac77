//! How long each life was in each state.
//!
//! There are millions of lives, and most are blocked for one reason or two: so the reasons of all lie in one list, those of a life
//! chained.

use std::cmp::Reverse;

use exectrace_reader::{State, StringId};

use crate::lives::LifeId;

/// How long each life was in each state, in nanoseconds.
///
/// Whoever keeps the intervals of tasks can add them up by this, too, and has the same numbers as a pass over the trace. Lives are then
/// numbered as they like, one after another.
#[derive(Clone, Debug, Default)]
pub struct LifeTimes {
    /// By the ids of lives; those behind the last have none.
    times: Vec<Times>,
    blocked: Vec<BlockedTime>,
}

/// The times of one life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) running_ns: i64,
    pub(crate) runnable_ns: i64,
    pub(crate) syscall_ns: i64,
    pub(crate) unknown_ns: i64,
    /// The place of the latest reason that it was blocked for.
    blocked: u32,
}

/// How long a life was blocked for one reason.
#[derive(Clone, Copy, Debug)]
struct BlockedTime {
    reason: StringId,
    ns: i64,
    /// The place of the reason before.
    before: u32,
}

/// The place of no reason.
const NONE: u32 = u32::MAX;

impl Default for Times {
    fn default() -> Self {
        Self {
            running_ns: 0,
            runnable_ns: 0,
            syscall_ns: 0,
            unknown_ns: 0,
            blocked: NONE,
        }
    }
}

impl LifeTimes {
    /// Adds an interval of a life: its state, why it was in that, and how long.
    ///
    /// # Panics
    ///
    /// When lives have more than four billion reasons to be blocked: a file of that many events does not fit into memory.
    pub fn add(&mut self, life: LifeId, state: State, reason: StringId, ns: i64) {
        let place = life.0 as usize;
        self.until(place + 1);
        let times = &mut self.times[place];
        match state {
            State::Running => grow(&mut times.running_ns, ns),
            State::Runnable => grow(&mut times.runnable_ns, ns),
            State::Syscall => grow(&mut times.syscall_ns, ns),
            State::Waiting | State::Idle => self.block(place, reason, ns),
            // Nothing is known of a task that was let out of sight; before its creation there is no time.
            State::Undetermined | State::NotExist => grow(&mut times.unknown_ns, ns),
        }
    }

    /// There are at least so many lives.
    pub fn until(&mut self, lives: usize) {
        if self.times.len() < lives {
            self.times.resize_with(lives, Times::default);
        }
    }

    fn block(&mut self, life: usize, reason: StringId, ns: i64) {
        let latest = self.times[life].blocked;
        let mut place = latest;
        while let Some(blocked) = self.blocked.get_mut(place as usize) {
            if blocked.reason == reason {
                grow(&mut blocked.ns, ns);
                return;
            }
            place = blocked.before;
        }
        // Lives are no more than 32 bits count, and have few reasons; what is too much for memory is too much here.
        let next = u32::try_from(self.blocked.len()).expect("fewer reasons than 32 bits count");
        self.blocked.push(BlockedTime {
            reason,
            ns,
            before: latest,
        });
        self.times[life].blocked = next;
    }

    /// The times of a life, but for what it was blocked by.
    pub(crate) fn of(&self, life: LifeId) -> &Times {
        &self.times[life.0 as usize]
    }

    /// How long it was blocked, by reason: the first one last.
    pub(crate) fn blocked(&self, life: LifeId) -> impl Iterator<Item = (StringId, i64)> {
        let at = |place: u32| self.blocked.get(place as usize);
        let chain = std::iter::successors(at(self.of(life).blocked), move |it| at(it.before));
        chain.map(|it| (it.reason, it.ns))
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
        let states = [
            times.running_ns,
            times.runnable_ns,
            times.syscall_ns,
            times.unknown_ns,
            self.blocked_ns(life),
        ];
        states.into_iter().fold(0, i64::saturating_add)
    }
}

/// Adds to a sum. Made-up times can be so far apart that it does not hold them all.
pub(crate) fn grow(sum: &mut i64, ns: i64) {
    *sum = sum.saturating_add(ns);
}
