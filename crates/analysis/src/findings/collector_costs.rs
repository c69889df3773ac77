//! What the garbage collector takes from tasks.

use std::collections::HashMap;

use exectrace_reader::{Event, Kind, Metric, Range, StackId, TaskId, Timestamp};

use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::Context;
use crate::key_hasher::BuildKeyHasher;

#[derive(Clone, Debug, Default)]
pub(super) struct CollectorCosts {
    assists: Tally,
    stops: Tally,
    /// Since when tasks mark, and where.
    assisting: HashMap<u64, (Timestamp, StackId), BuildKeyHasher>,
    /// Since when the world is stopped, and by whom.
    stopped: Option<(Timestamp, TaskId, StackId)>,
    workers: i64,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

impl Rule for CollectorCosts {
    fn event(&mut self, event: &Event, context: &Context<'_>, _: &Scene) {
        match event.kind {
            Kind::RangeBegin {
                range: Range::MarkAssist,
                ..
            } => {
                self.assisting
                    .insert(event.task.0, (event.time, event.stack));
            }
            Kind::RangeEnd {
                range: Range::MarkAssist,
                ..
            } => {
                if let Some((since, stack)) = self.assisting.remove(&event.task.0) {
                    let stretch = context.window.clip(since, event.time);
                    self.assists.add(1, event.task, stretch, stack);
                }
            }
            Kind::RangeBegin {
                range: Range::StopTheWorld,
                ..
            } => self.stopped = Some((event.time, event.task, event.stack)),
            Kind::RangeEnd {
                range: Range::StopTheWorld,
                ..
            } => {
                if let Some((since, task, stack)) = self.stopped.take() {
                    let stretch = context.window.clip(since, event.time);
                    self.stops.add(self.workers.max(1), task, stretch, stack);
                }
            }
            Kind::Metric {
                metric: Metric::Workers,
                value,
            } => self.workers = i64::try_from(value).unwrap_or(1),
            _ => {}
        }
    }

    fn losses(&self, context: &Context<'_>, _: &mut Explained) -> Vec<Loss> {
        let classes = [
            (Class::GcAssist, &self.assists),
            (Class::StopTheWorld, &self.stops),
        ];
        let losses = classes.map(|(class, tally)| {
            let evidence = tally.worst.evidence(context);
            Loss {
                class,
                lost_ns: tally.lost_ns,
                count: tally.count,
                place: evidence.first().and_then(|case| {
                    let own = case.stack.iter().find(|place| place.is_own());
                    own.or(case.stack.first()).cloned()
                }),
                cause: None,
                evidence,
            }
        });
        losses.into()
    }
}

impl Tally {
    /// A stretch, if it is in the window, in which so many could have run.
    fn add(
        &mut self,
        workers: i64,
        task: TaskId,
        stretch: Option<(Timestamp, Timestamp)>,
        stack: StackId,
    ) {
        if let Some((from, to)) = stretch {
            let lost_ns = to.since_ns(from).saturating_mul(workers);
            self.count += 1;
            self.lost_ns = self.lost_ns.saturating_add(lost_ns);
            self.worst.add_case(lost_ns, task, (from, to), stack);
        }
    }
}
