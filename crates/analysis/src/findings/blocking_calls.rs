//! Tasks of a runtime that block their worker in system calls.
//!
//! Go gives the worker of such a task to others; the runtimes of Rust cannot.

use std::collections::BTreeMap;

use exectrace_reader::{StackId, State};

use super::place;
use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::{Context, Interval};

/// Shorter calls hold nobody up.
const LEAST_NS: i64 = 500_000;

#[derive(Clone, Debug, Default)]
pub(super) struct BlockingCalls {
    by_stack: BTreeMap<u64, Tally>,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

impl Rule for BlockingCalls {
    fn interval(&mut self, interval: &Interval, context: &Context<'_>, scene: &Scene) {
        let is_blocking = interval.state == State::Syscall
            && interval.ns() >= LEAST_NS
            && scene.is_held_by_tasks(interval.begin.worker, context);
        if is_blocking {
            let tally = self.by_stack.entry(interval.begin.stack.0).or_default();
            tally.count += 1;
            tally.lost_ns = tally.lost_ns.saturating_add(interval.ns());
            tally
                .worst
                .add(interval.ns(), interval, interval.begin.stack);
        }
    }

    fn losses(&self, context: &Context<'_>, explained: &mut Explained) -> Vec<Loss> {
        let losses = self.by_stack.iter().map(|(&stack, tally)| {
            explained.queued_ns = explained.queued_ns.saturating_add(tally.lost_ns);
            Loss {
                class: Class::BlockingCall,
                lost_ns: tally.lost_ns,
                count: tally.count,
                place: place::own(StackId(stack), context.tables),
                cause: None,
                evidence: tally.worst.evidence(context),
            }
        });
        losses.collect()
    }
}
