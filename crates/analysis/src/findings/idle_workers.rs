//! Workers without work while tasks are ready to run.

use std::collections::HashSet;

use exectrace_reader::{Event, Kind, State, Timestamp};

use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Loss, Rule};
use crate::{Context, LifeId};

/// A worker takes some time to wake up.
const LEAST_NS: i64 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct IdleWorkers {
    is_of_rust: bool,
    idle: HashSet<i64>,
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
        match event.kind {
            Kind::WorkerTransition { worker, to, .. } => {
                if to == State::Idle && scene.is_executor(worker, context) {
                    self.idle.insert(worker.0);
                } else {
                    self.idle.remove(&worker.0);
                }
            }
            Kind::TaskTransition { .. } | Kind::UserLog { .. } => {}
            _ => return,
        }
        // What says that it is a recording may come after its first workers.
        if !self.is_of_rust && context.description.writer().is_some() {
            self.is_of_rust = true;
            self.open = None;
            self.idle.clear();
        }
        // One idle worker is enough: it would take one after the other.
        let waiting = if self.idle.is_empty() {
            0
        } else {
            scene.queued()
        };
        if let Some(open) = &mut self.open {
            let since_ns = event.time.since_ns(open.before);
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

    fn losses(&self, context: &Context<'_>, explained_ns: &mut i64) -> Vec<Loss> {
        let lost_ns = (self.lost_ns - *explained_ns).max(0);
        *explained_ns = explained_ns.saturating_add(lost_ns);
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
        if now.since_ns(open.since) >= LEAST_NS {
            self.count += 1;
            self.lost_ns = self.lost_ns.saturating_add(open.lost_ns);
            let life = &context.lives[open.oldest];
            let stretch = (open.since, now);
            self.worst
                .add_case(open.lost_ns, life.task, stretch, life.stack);
        }
    }
}
