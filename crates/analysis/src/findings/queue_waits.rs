//! Tasks that are ready to run and wait long for a worker.

use std::collections::BTreeMap;

use exectrace_reader::{StackId, State, Tables};

use super::lengths::{self, Lengths};
use super::place;
use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::{Context, Interval, LifeId};

/// A shorter wait is none that is long, and one of this length is always.
const LEAST_NS: i64 = 1_000_000;
const MOST_NS: i64 = 10_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct QueueWaits {
    /// All waits.
    lengths: Lengths,
    /// Those of `LEAST_NS` and more.
    long: Lengths,
    worst: Worst,
    /// What ran while somebody had waited for long already, by function: how long, and one that did.
    runs: BTreeMap<u64, (i64, LifeId)>,
}

impl Rule for QueueWaits {
    fn interval(&mut self, interval: &Interval, context: &Context<'_>, scene: &Scene) {
        match interval.state {
            State::Runnable if !scene.is_thread(interval.life) => {
                let ns = interval.ns();
                self.lengths.add(ns, 0);
                let stack = context.lives[interval.life].stack();
                if ns >= LEAST_NS && !is_of_go_runtime(stack, context.tables) {
                    self.long.add(ns, ns);
                    self.worst.add(ns, interval, stack);
                }
            }
            State::Running if !scene.is_thread(interval.life) => {
                let Some((_, since)) = scene.oldest() else {
                    return;
                };
                let overlap_ns = interval.end.time.since_ns(interval.begin.time.max(since));
                if overlap_ns > 0 && interval.end.time.since_ns(since) >= LEAST_NS {
                    let function = context.lives[interval.life].function(context.tables);
                    let run = self.runs.entry(function.0).or_insert((0, interval.life));
                    run.0 = run.0.saturating_add(overlap_ns);
                }
            }
            _ => {}
        }
    }

    fn losses(&self, context: &Context<'_>, explained: &mut Explained) -> Vec<Loss> {
        let long_ns = lengths::long_ns(self.lengths.median_ns(), LEAST_NS, MOST_NS);
        let cost = self.long.from(long_ns);
        let lost_ns = (cost.lost_ns - explained.queued_ns).max(0);
        let runs = self.runs.values();
        let total_ns = runs.fold(0_i64, |sum, (ns, _)| sum.saturating_add(*ns));
        let most = self.runs.values().max_by_key(|(ns, _)| *ns);
        let cause = most
            .filter(|(ns, _)| *ns > total_ns / 2)
            .and_then(|&(_, life)| place::outermost(context.lives[life].stack(), context.tables));
        let evidence = self.worst.evidence(context);
        let victim = evidence.first().and_then(|case| case.stack.last().cloned());
        vec![Loss {
            class: Class::QueueWait,
            lost_ns,
            count: cost.count,
            place: victim,
            cause,
            evidence,
        }]
    }
}

/// Whether a task is one of Go's runtime, which works when nobody else does.
fn is_of_go_runtime(stack: StackId, tables: &Tables<'_>) -> bool {
    let outermost = tables.frames(stack).last();
    outermost.is_some_and(|frame| tables.string(frame.function).starts_with(b"runtime."))
}
