//! What is wrong: where the tasks of a program lost time, and to what.
//!
//! Each rule is a file: it takes intervals and events as an analysis does, and gives findings with the time that was lost, its
//! place in the code and intervals as evidence. A rule compares with the trace's own distribution and with absolute bounds, so
//! that a program that is slow all over has findings, too. Findings of all rules are ranked by the time that was lost.

mod allocations;
mod blocking_calls;
mod collector_costs;
mod idle_workers;
mod late_timers;
mod lengths;
mod lock_waits;
mod long_polls;
mod place;
mod queue_waits;
mod record;
mod scene;
mod vain_wakes;
mod worst;

use std::cmp::Reverse;

use exectrace_reader::{Event, TaskId, Timestamp};

use self::allocations::Allocations;
use self::blocking_calls::BlockingCalls;
use self::collector_costs::CollectorCosts;
use self::idle_workers::IdleWorkers;
use self::late_timers::LateTimers;
use self::lock_waits::LockWaits;
use self::long_polls::LongPolls;
pub use self::place::Place;
use self::queue_waits::QueueWaits;
use self::scene::{Late, Scene};
use self::vain_wakes::VainWakes;
use crate::{Analysis, Context, Filter, Interval};

/// Looks for what cost the tasks of a program time.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    scene: Scene,
    long_polls: LongPolls,
    idle_workers: IdleWorkers,
    queue_waits: QueueWaits,
    lock_waits: LockWaits,
    vain_wakes: VainWakes,
    late_timers: LateTimers,
    blocking_calls: BlockingCalls,
    collector_costs: CollectorCosts,
    allocations: Allocations,
    filter: Filter,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FindingsReport {
    /// How long the trace, or the window, is, in nanoseconds.
    pub span_ns: i64,
    /// The findings, those that cost most first.
    pub findings: Vec<Finding>,
}

/// Something that cost tasks time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing.
    pub class: Class,
    /// How bad it is: a matter of `share`.
    pub severity: Severity,
    /// The time that tasks lost, in nanoseconds; several can lose at once.
    pub lost_ns: i64,
    /// The same for each nanosecond of the trace: how many tasks it held up on average.
    pub share: f64,
    /// How often it happened.
    pub count: u64,
    /// The code that it is about, if that is told.
    pub place: Option<Place>,
    /// The code that made the tasks wait, where that is other code.
    pub cause: Option<Place>,
    /// Where it can be seen, the worst first.
    pub evidence: Vec<Evidence>,
}

/// Where a finding can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The task.
    pub task: TaskId,
    /// From when.
    pub from: Timestamp,
    /// To when.
    pub to: Timestamp,
    /// The code there, innermost first.
    pub stack: Vec<Place>,
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A task of a runtime held its worker too long without a pause.
    LongPoll,
    /// Workers were idle while tasks were ready to run.
    IdleWorker,
    /// Tasks were ready to run and waited long for a worker.
    QueueWait,
    /// Tasks waited for a lock.
    LockWait,
    /// Tasks were woken together, and all but some found nothing to do.
    VainWake,
    /// Tasks slept longer than at the same place they mostly do.
    LateTimer,
    /// A task of a runtime blocked its worker in a system call.
    BlockingCall,
    /// Tasks had to mark the heap for the garbage collector.
    GcAssist,
    /// All tasks were stopped.
    StopTheWorld,
    /// CPU time went into memory allocation.
    Allocation,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It cost less than a fiftieth of the time of one task.
    Low,
    /// It cost a fiftieth of the time of one task, or more.
    Medium,
    /// It cost a tenth of the time of one task, or more.
    High,
}

/// What costs less than this share is no finding, and what costs less than this, which any program loses now and then.
const SHARE_MIN: f64 = 0.002;
const LOST_MIN_NS: i64 = 1_000_000;

/// From this share on the severity is medium, and high.
const SHARE_MEDIUM: f64 = 0.02;
const SHARE_HIGH: f64 = 0.1;

/// What a rule makes of a place.
#[derive(Clone, Debug)]
struct Loss {
    class: Class,
    lost_ns: i64,
    count: u64,
    place: Option<Place>,
    cause: Option<Place>,
    evidence: Vec<Evidence>,
}

/// The waiting that rules have a cause for: it is not told once more by rules that come behind them.
#[derive(Clone, Copy, Debug, Default)]
struct Explained {
    /// For a worker.
    queued_ns: i64,
    /// Of that, what was while a worker was idle.
    idle_ns: i64,
}

/// A fold that looks for one kind of loss.
trait Rule {
    /// An event, also before and behind the window.
    fn event(&mut self, event: &Event, context: &Context<'_>, scene: &Scene) {
        let _ = (event, context, scene);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>, scene: &Scene) {
        let _ = (interval, context, scene);
    }

    /// A sleep that lasted longer than usual; its interval comes, too.
    fn late_timer(&mut self, late: &Late, interval: &Interval, context: &Context<'_>) {
        let _ = (late, interval, context);
    }

    /// What was lost, but for what is explained already.
    fn losses(&self, context: &Context<'_>, explained: &mut Explained) -> Vec<Loss>;
}

impl Findings {
    /// The same of some findings alone: a filter for [`RecordKind::Finding`](crate::RecordKind::Finding).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// All rules: one that has a cause for time in the queue comes before those that only tell it.
    fn rules(&mut self) -> (&Scene, [&mut dyn Rule; 9]) {
        let rules: [&mut dyn Rule; 9] = [
            &mut self.long_polls,
            &mut self.blocking_calls,
            &mut self.idle_workers,
            &mut self.queue_waits,
            &mut self.lock_waits,
            &mut self.vain_wakes,
            &mut self.late_timers,
            &mut self.collector_costs,
            &mut self.allocations,
        ];
        (&self.scene, rules)
    }
}

impl Analysis for Findings {
    type Report = FindingsReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.scene.event(event, context);
        let (scene, rules) = self.rules();
        for rule in rules {
            rule.event(event, context, scene);
        }
    }

    /// Who waits, who is idle and what is stopped when the window begins is known by what was before; rules clip what they tell.
    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let late = self.scene.interval(interval, context);
        let (scene, rules) = self.rules();
        for rule in rules {
            rule.interval(interval, context, scene);
            if let Some(late) = &late {
                rule.late_timer(late, interval, context);
            }
        }
    }

    fn report(mut self, context: &Context<'_>) -> FindingsReport {
        let span_ns = context.span().map_or(0, |(from, to)| to.since_ns(from));
        let mut explained = Explained::default();
        let mut findings = Vec::new();
        let (_, rules) = self.rules();
        for rule in rules {
            let losses = rule.losses(context, &mut explained).into_iter();
            findings.extend(losses.filter_map(|loss| Finding::of(loss, span_ns)));
        }
        findings.retain(|finding| self.filter.lets_through(finding));
        // Rules and places are in an order of their own, which stays where the cost is the same.
        findings.sort_by_key(|finding| Reverse(finding.lost_ns));
        FindingsReport { span_ns, findings }
    }
}

impl Finding {
    /// A finding, if enough was lost.
    fn of(loss: Loss, span_ns: i64) -> Option<Self> {
        let share = loss.lost_ns as f64 / span_ns.max(1) as f64;
        let severity = match share {
            share if share >= SHARE_HIGH => Severity::High,
            share if share >= SHARE_MEDIUM => Severity::Medium,
            share if share >= SHARE_MIN => Severity::Low,
            _ => return None,
        };
        if loss.evidence.is_empty() || loss.lost_ns < LOST_MIN_NS {
            return None;
        }
        Some(Self {
            class: loss.class,
            severity,
            lost_ns: loss.lost_ns,
            share,
            count: loss.count,
            place: loss.place,
            cause: loss.cause,
            evidence: loss.evidence,
        })
    }
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::LongPoll,
        Self::IdleWorker,
        Self::QueueWait,
        Self::LockWait,
        Self::VainWake,
        Self::LateTimer,
        Self::BlockingCall,
        Self::GcAssist,
        Self::StopTheWorld,
        Self::Allocation,
    ];

    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LongPoll => "long_poll",
            Self::IdleWorker => "idle_worker",
            Self::QueueWait => "queue_wait",
            Self::LockWait => "lock_wait",
            Self::VainWake => "vain_wake",
            Self::LateTimer => "late_timer",
            Self::BlockingCall => "blocking_call",
            Self::GcAssist => "gc_assist",
            Self::StopTheWorld => "stop_the_world",
            Self::Allocation => "allocation",
        }
    }
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
