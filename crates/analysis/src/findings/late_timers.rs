//! Sleeps that last longer than those at the same place mostly do.

use std::collections::BTreeMap;

use exectrace_reader::StackId;

use super::place;
use super::scene::Late;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::{Context, Interval};

/// By the stack that sleeps.
#[derive(Clone, Debug, Default)]
pub(super) struct LateTimers {
    by_stack: BTreeMap<u64, Tally>,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

impl Rule for LateTimers {
    fn late_timer(&mut self, late: &Late, interval: &Interval, _: &Context<'_>) {
        // What long polls explain is theirs.
        let explained_ns: i64 = late.beside.iter().map(|(_, ns)| ns).sum();
        let lost_ns = (late.ns - explained_ns).max(0);
        let tally = self.by_stack.entry(interval.begin.stack.0).or_default();
        tally.count += 1;
        tally.lost_ns = tally.lost_ns.saturating_add(lost_ns);
        tally.worst.add(lost_ns, interval, interval.begin.stack);
    }

    fn losses(&self, context: &Context<'_>, _: &mut Explained) -> Vec<Loss> {
        let losses = self.by_stack.iter().map(|(&stack, tally)| Loss {
            class: Class::LateTimer,
            lost_ns: tally.lost_ns,
            count: tally.count,
            place: place::own(StackId(stack), context.tables),
            cause: None,
            evidence: tally.worst.evidence(context),
        });
        losses.collect()
    }
}
