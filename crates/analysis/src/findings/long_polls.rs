//! Tasks that hold a worker of a runtime without a pause.
//!
//! Go preempts such tasks; the runtimes of Rust cannot.

use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{Event, Kind, StackId, State, TaskId};

use super::lengths::{self, Lengths};
use super::place::{self, Place};
use super::scene::{LONG_RUN_NS, Late, Scene};
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::key_hasher::BuildKeyHasher;
use crate::{Context, Interval, LifeId};

/// A shorter poll is none that is long, and one of this length is always.
const LEAST_NS: i64 = LONG_RUN_NS;
const MOST_NS: i64 = 10_000_000;

/// One in so many of a function's polls must be long, or only those of `MOST_NS` count: a kernel takes the processor from whoever
/// has it, for some milliseconds and now and then, and a recording does not tell.
const RARE: u64 = 100;

/// So many samples of a poll say where it was.
const SAMPLES_MAX: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct LongPolls {
    /// All polls.
    lengths: Lengths,
    /// How many polls each life had.
    polls: Vec<u64>,
    /// Those of `LEAST_NS` and more, by function.
    by_function: BTreeMap<u64, Tally>,
    /// What timers lost that came late beside polls, by the polls' function.
    late_ns: BTreeMap<u64, i64>,
    /// The CPU samples of tasks that run.
    samples: HashMap<u64, Vec<StackId>, BuildKeyHasher>,
}

#[derive(Clone, Debug)]
struct Tally {
    life: LifeId,
    lengths: Lengths,
    /// What others waited meanwhile, and what of that was while a worker was idle.
    queued: Lengths,
    idle: Lengths,
    worst: Worst,
    samples: BTreeMap<u64, u64>,
}

impl Rule for LongPolls {
    fn event(&mut self, event: &Event, context: &Context<'_>, _: &Scene) {
        let is_in = context.window.contains(event.time);
        if event.kind == Kind::Sample && event.task != TaskId(0) && is_in {
            let samples = self.samples.entry(event.task.0).or_default();
            if samples.len() < SAMPLES_MAX {
                samples.push(event.stack);
            }
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>, scene: &Scene) {
        if interval.state != State::Running {
            return;
        }
        let samples = self.samples.remove(&interval.task.0);
        if !scene.is_held_by_tasks(interval.begin.worker, context) {
            return;
        }
        let ns = interval.ns();
        self.lengths.add(ns, 0);
        let place = interval.life.0 as usize;
        if self.polls.len() <= place {
            self.polls.resize(place + 1, 0);
        }
        self.polls[place] += 1;
        if ns < LEAST_NS {
            return;
        }
        // Who waited for a worker meanwhile lost time; and so did the worker, which nobody else could have.
        let waited = scene.waited_beside(interval.life);
        let lost_ns = waited.queued_ns.max(ns - LEAST_NS);
        let life = &context.lives[interval.life];
        let function = life.function(context.tables);
        let tally = self.by_function.entry(function.0).or_insert_with(|| Tally {
            life: interval.life,
            lengths: Lengths::default(),
            queued: Lengths::default(),
            idle: Lengths::default(),
            worst: Worst::default(),
            samples: BTreeMap::new(),
        });
        tally.lengths.add(ns, lost_ns);
        tally.queued.add(ns, waited.queued_ns);
        tally.idle.add(ns, waited.idle_ns);
        let sampled = samples.iter().flatten().next();
        let stack = sampled.copied().unwrap_or(interval.end.stack);
        let stack = if stack == StackId(0) {
            life.stack()
        } else {
            stack
        };
        tally.worst.add(lost_ns, interval, stack);
        for stack in samples.into_iter().flatten() {
            *tally.samples.entry(stack.0).or_default() += 1;
        }
    }

    fn late_timer(&mut self, late: &Late, _: &Interval, context: &Context<'_>) {
        let mut rest_ns = late.ns;
        for &(life, ns) in &late.beside {
            let function = context.lives[life].function(context.tables);
            let sum = self.late_ns.entry(function.0).or_default();
            *sum = sum.saturating_add(ns.min(rest_ns));
            rest_ns -= ns.min(rest_ns);
        }
    }

    fn losses(&self, context: &Context<'_>, explained: &mut Explained) -> Vec<Loss> {
        let long_ns = lengths::long_ns(self.lengths.median_ns(), LEAST_NS, MOST_NS);
        let mut polls = BTreeMap::<u64, u64>::new();
        for ((_, life), count) in context.lives.iter().zip(&self.polls) {
            *polls.entry(life.function(context.tables).0).or_default() += count;
        }
        let mut losses = Vec::new();
        for (function, tally) in &self.by_function {
            let of_function = polls.get(function).copied().unwrap_or_default();
            let is_rare = tally.lengths.from(long_ns).count * RARE < of_function;
            let from_ns = if is_rare { MOST_NS } else { long_ns };
            let cost = tally.lengths.from(from_ns);
            if cost.count == 0 {
                continue;
            }
            let (queued, idle) = (tally.queued.from(from_ns), tally.idle.from(from_ns));
            explained.queued_ns = explained.queued_ns.saturating_add(queued.lost_ns);
            explained.idle_ns = explained.idle_ns.saturating_add(idle.lost_ns);
            let late_ns = self.late_ns.get(function).copied().unwrap_or_default();
            losses.push(Loss {
                class: Class::LongPoll,
                lost_ns: cost.lost_ns.saturating_add(late_ns),
                count: cost.count,
                place: tally.place(cost.ns, context),
                cause: None,
                evidence: tally.worst.evidence(context),
            });
        }
        losses
    }
}

impl Tally {
    /// The line that most samples are at, if the polls spent their time on a processor; else the function: who sleeps or is
    /// blocked where no hook sees it has no stack.
    fn place(&self, ns: i64, context: &Context<'_>) -> Option<Place> {
        let mut places = BTreeMap::<Place, u64>::new();
        for (&stack, &count) in &self.samples {
            if let Some(place) = place::own(StackId(stack), context.tables) {
                *places.entry(place).or_default() += count;
            }
        }
        let samples: u64 = places.values().sum();
        let rate = context.description.sample_rate();
        let sampled_ns = rate.map_or(0.0, |rate| samples as f64 * 1e9 / rate.effective_hz);
        let most = places.into_iter().max_by_key(|(_, count)| *count);
        match most {
            Some((place, _)) if sampled_ns >= ns as f64 / 4.0 => Some(place),
            _ => place::outermost(context.lives[self.life].stack(), context.tables),
        }
    }
}
