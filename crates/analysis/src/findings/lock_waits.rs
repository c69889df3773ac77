//! Tasks that wait for locks.

use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{StackId, State, StringId, Tables};

use super::place::{self, Place};
use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::key_hasher::BuildKeyHasher;
use crate::{Context, Interval};

/// How tasks wait for locks, in Go's words.
const REASON: &[u8] = b"sync";

/// What the names of functions have that take locks; one of them is among the innermost.
const LOCKS: [&str; 4] = ["mutex", "rwlock", "mutex_guard", "semacquire"];
const LOCK_FRAMES: usize = 8;

#[derive(Clone, Debug, Default)]
pub(super) struct LockWaits {
    /// Whether a reason is that of a lock.
    reasons: HashMap<u64, bool, BuildKeyHasher>,
    /// By the stack that waits and that which let it go on.
    by_stacks: BTreeMap<(u64, u64), Tally>,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

impl Rule for LockWaits {
    fn interval(&mut self, interval: &Interval, context: &Context<'_>, _: &Scene) {
        if interval.state != State::Waiting || !self.is_of_lock(interval.reason, context.tables) {
            return;
        }
        let stacks = (interval.begin.stack.0, interval.end.writer_stack.0);
        let tally = self.by_stacks.entry(stacks).or_default();
        tally.count += 1;
        tally.lost_ns = tally.lost_ns.saturating_add(interval.ns());
        tally
            .worst
            .add(interval.ns(), interval, interval.begin.stack);
    }

    fn losses(&self, context: &Context<'_>, _: &mut Explained) -> Vec<Loss> {
        // What waits at a place, and the places that let it go on.
        let mut by_place = BTreeMap::<Place, (Tally, BTreeMap<Place, i64>)>::new();
        for (&(waiting, waking), tally) in &self.by_stacks {
            let waiting = StackId(waiting);
            if !takes_a_lock(waiting, context.tables) {
                continue;
            }
            let Some(place) = place::own(waiting, context.tables) else {
                continue;
            };
            let (sum, wakers) = by_place.entry(place).or_default();
            sum.count += tally.count;
            sum.lost_ns = sum.lost_ns.saturating_add(tally.lost_ns);
            sum.worst.merge(&tally.worst);
            if let Some(waker) = place::own(StackId(waking), context.tables) {
                let ns = wakers.entry(waker).or_default();
                *ns = ns.saturating_add(tally.lost_ns);
            }
        }
        let losses = by_place.into_iter().map(|(place, (sum, wakers))| Loss {
            class: Class::LockWait,
            lost_ns: sum.lost_ns,
            count: sum.count,
            place: Some(place),
            cause: wakers
                .into_iter()
                .max_by_key(|(_, ns)| *ns)
                .map(|(waker, _)| waker),
            evidence: sum.worst.evidence(context),
        });
        losses.collect()
    }
}

impl LockWaits {
    fn is_of_lock(&mut self, reason: StringId, tables: &Tables<'_>) -> bool {
        let is_of_lock = self.reasons.entry(reason.0);
        *is_of_lock.or_insert_with(|| tables.string(reason) == REASON)
    }
}

/// Go and the runtimes of Rust wait for other things in the same words: for groups of tasks, say.
fn takes_a_lock(stack: StackId, tables: &Tables<'_>) -> bool {
    tables.frames(stack).take(LOCK_FRAMES).any(|frame| {
        let function = tables.text(frame.function).to_ascii_lowercase();
        LOCKS.iter().any(|lock| function.contains(lock)) && !function.contains("waitgroup")
    })
}
