//! Workers without work while tasks are ready to run.

use exectrace_reader::{Event, Timestamp};

use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::{Context, LifeId};

/// A worker takes some time to wake up.
const LEAST_NS: i64 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct IdleWorkers {
    /// Since when a task waits while a worker is idle.
    open: Option<Open>,
    count: u64,
    lost_ns: i64,
    worst: Worst,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    since: Timestamp,
    before: Timestamp,
    lost_ns: i64,
    /// How many waited until now.
    waiting: i64,
    oldest: LifeId,
}

impl Rule for IdleWorkers {
    fn event(&mut self, event: &Event, context: &Context<'_>, scene: &Scene) {
        // One idle worker is enough: it would take one after the other.
        let waiting = if scene.has_idle() { scene.queued() } else { 0 };
        if let Some(open) = &mut self.open {
            let part = context.window.clip(open.before, event.time);
            let since_ns = part.map_or(0, |(from, to)| to.since_ns(from));
            open.lost_ns = open
                .lost_ns
                .saturating_add(open.waiting.saturating_mul(since_ns));
            (open.before, open.waiting) = (event.time, waiting);
            if waiting == 0 {
                self.close(event.time, context);
            }
        } else if let (1.., Some((oldest, _))) = (waiting, scene.oldest()) {
            self.open = Some(Open {
                since: event.time,
                before: event.time,
                lost_ns: 0,
                waiting,
                oldest,
            });
        }
    }

    fn losses(&self, context: &Context<'_>, explained: &mut Explained) -> Vec<Loss> {
        let lost_ns = (self.lost_ns - explained.idle_ns).max(0);
        explained.queued_ns = explained.queued_ns.saturating_add(lost_ns);
        let evidence = self.worst.evidence(context);
        vec![Loss {
            class: Class::IdleWorker,
            lost_ns,
            count: self.count,
            place: evidence.first().and_then(|case| case.stack.last().cloned()),
            cause: None,
            evidence,
        }]
    }
}

impl IdleWorkers {
    fn close(&mut self, now: Timestamp, context: &Context<'_>) {
        let Some(open) = self.open.take() else {
            return;
        };
        let Some(stretch) = context.window.clip(open.since, now) else {
            return;
        };
        if stretch.1.since_ns(stretch.0) >= LEAST_NS {
            self.count += 1;
            self.lost_ns = self.lost_ns.saturating_add(open.lost_ns);
            let life = &context.lives[open.oldest];
            self.worst
                .add_case(open.lost_ns, life.task, stretch, life.stack());
        }
    }
}
