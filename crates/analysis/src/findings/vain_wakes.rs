//! Tasks that are woken together and find nothing to do: one of them gets what there is, and the others wait again.
//!
//! That a task soon waits again does not tell that its wake was in vain: it may be quick. So herds alone count: tasks that waited at one
//! place, were woken by one task at once, and of which some went on to something else.

use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{Event, Kind, StackId, State, StringId, Tables, TaskId, Timestamp};

use super::place;
use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::key_hasher::BuildKeyHasher;
use crate::{Context, Interval};

/// How tasks wait for locks, in Go's words: who waited for a condition has to take its lock again.
const LOCK: &[u8] = b"sync";

/// From one to the next a waker needs no longer.
const TOGETHER_NS: i64 = 100_000;

/// Who runs for longer found something.
const VAIN_NS: i64 = 100_000;

/// Of two that are woken for two things one may be quick.
const HERD_MIN: u64 = 3;

/// What a herd has in common: the stacks where it waited and that woke it.
type Stacks = (u64, u64);

#[derive(Clone, Debug, Default)]
pub(super) struct VainWakes {
    /// Tasks that were woken and have not shown yet what for.
    woken: HashMap<u64, Woken, BuildKeyHasher>,
    /// The last herd of each kind.
    herds: HashMap<Stacks, Herd, BuildKeyHasher>,
    /// What earlier ones lost.
    tallies: BTreeMap<Stacks, Tally>,
    /// Whether a reason is that of a lock.
    is_lock: HashMap<u64, bool, BuildKeyHasher>,
}

#[derive(Clone, Copy, Debug)]
struct Woken {
    stacks: Stacks,
    /// Which herd of these stacks.
    herd: u64,
    since: Timestamp,
    ran_ns: i64,
}

/// Tasks that were woken together.
#[derive(Clone, Debug, Default)]
struct Herd {
    number: u64,
    waker: TaskId,
    /// When the last of them was woken.
    last: Timestamp,
    size: u64,
    /// Those that found something.
    useful: u64,
    vain: Tally,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

impl Rule for VainWakes {
    fn event(&mut self, event: &Event, _: &Context<'_>, _: &Scene) {
        match event.kind {
            Kind::TaskTransition {
                from: State::NotExist,
                ..
            }
            | Kind::UserTaskBegin { .. }
            | Kind::UserTaskEnd { .. }
            | Kind::UserRegionBegin { .. }
            | Kind::UserRegionEnd { .. }
            | Kind::UserLog { .. } => self.found(event.task),
            Kind::TaskTransition {
                task,
                to: State::NotExist,
                ..
            } => self.found(task),
            _ => {}
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>, _: &Scene) {
        match interval.state {
            State::Running => self.ran(interval),
            State::Waiting => self.waited(interval, context.tables),
            State::Syscall => self.found(interval.task),
            _ => {}
        }
    }

    fn losses(&self, context: &Context<'_>, _: &mut Explained) -> Vec<Loss> {
        let mut tallies = self.tallies.clone();
        for (stacks, herd) in &self.herds {
            if herd.counts() {
                herd.add_to(tallies.entry(*stacks).or_default());
            }
        }
        let losses = tallies.into_iter().map(|((waiting, waking), tally)| Loss {
            class: Class::VainWake,
            lost_ns: tally.lost_ns,
            count: tally.count,
            place: place::own(StackId(waiting), context.tables),
            cause: place::own(StackId(waking), context.tables),
            evidence: tally.worst.evidence(context),
        });
        losses.collect()
    }
}

impl VainWakes {
    /// A task found something to do.
    fn found(&mut self, task: TaskId) {
        if let Some((_, herd)) = self.settle(task) {
            herd.useful += 1;
        }
    }

    /// What a task was woken for is clear.
    fn settle(&mut self, task: TaskId) -> Option<(Woken, &mut Herd)> {
        let woken = self.woken.remove(&task.0)?;
        let herd = self.herds.get_mut(&woken.stacks)?;
        (herd.number == woken.herd).then_some((woken, herd))
    }

    fn ran(&mut self, interval: &Interval) {
        let Some(woken) = self.woken.get_mut(&interval.task.0) else {
            return;
        };
        woken.ran_ns = woken.ran_ns.saturating_add(interval.ns());
        if woken.ran_ns > VAIN_NS || interval.is_open_right {
            self.found(interval.task);
        } else if woken.stacks.0 == interval.end.stack.0
            && let Some((woken, herd)) = self.settle(interval.task)
        {
            herd.vain.count += 1;
            herd.vain.lost_ns = herd.vain.lost_ns.saturating_add(woken.ran_ns);
            let stretch = (woken.since, interval.end.time);
            let stack = interval.end.stack;
            herd.vain
                .worst
                .add_case(woken.ran_ns, interval.task, stretch, stack);
        }
    }

    /// A wait has ended.
    fn waited(&mut self, interval: &Interval, tables: &Tables<'_>) {
        if self.is_for_lock(interval.reason, tables) {
            return;
        }
        // It waited elsewhere since it was woken, and who wakes has something to do.
        self.found(interval.task);
        self.found(interval.end.writer);
        let is_cut = interval.is_open_left || interval.is_open_right;
        let (waiting, waking) = (interval.begin.stack, interval.end.writer_stack);
        if is_cut || waiting == StackId(0) || waking == StackId(0) {
            return;
        }
        let stacks = (waiting.0, waking.0);
        let now = interval.end.time;
        let herd = self.herds.entry(stacks).or_default();
        if herd.waker != interval.end.writer || now.since_ns(herd.last) > TOGETHER_NS {
            if herd.counts() {
                herd.add_to(self.tallies.entry(stacks).or_default());
            }
            *herd = Herd {
                number: herd.number + 1,
                waker: interval.end.writer,
                ..Herd::default()
            };
        }
        herd.last = now;
        herd.size += 1;
        let woken = Woken {
            stacks,
            herd: herd.number,
            since: now,
            ran_ns: 0,
        };
        self.woken.insert(interval.task.0, woken);
    }

    fn is_for_lock(&mut self, reason: StringId, tables: &Tables<'_>) -> bool {
        let is_lock = self.is_lock.entry(reason.0);
        *is_lock.or_insert_with(|| tables.string(reason) == LOCK)
    }
}

impl Herd {
    /// Whether it is one, and some of it were woken in vain.
    fn counts(&self) -> bool {
        self.size >= HERD_MIN && self.useful > 0 && self.vain.count > 0
    }

    fn add_to(&self, tally: &mut Tally) {
        tally.count += self.vain.count;
        tally.lost_ns = tally.lost_ns.saturating_add(self.vain.lost_ns);
        tally.worst.merge(&self.vain.worst);
    }
}
