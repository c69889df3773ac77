//! What a program is short of, in a sentence.

use exectrace_analysis::{Class, Finding, FindingsReport, LoadReport, Severity};

/// Workers that are busy for this share of the time have nothing to spare.
const BUSY_MIN: f64 = 0.85;

/// So many tasks wait for a worker, on average, where some are short of one.
const QUEUE_MIN: f64 = 0.5;

/// What a program is short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Processors: all workers are busy, and tasks wait for them.
    Cpu,
    /// Workers: some are held by tasks that do not let go of them, or are not where the work is.
    Workers,
    /// Locks.
    Locks,
    /// What the garbage collector takes.
    Memory,
    /// Nothing in the program: its tasks wait for what is outside, or for each other.
    Nothing,
}

impl Shortage {
    pub(super) fn of(load: &LoadReport, findings: &FindingsReport) -> Self {
        // What is high and costs most, but for what is only seen to wait.
        let first = findings.findings.iter().find(|finding| {
            finding.severity == Severity::High && finding.class != Class::LateTimer
        });
        let is_busy = busy(load, findings.span_ns) >= BUSY_MIN;
        let is_queued = queued(load, findings.span_ns) >= QUEUE_MIN;
        match first.map(|finding: &Finding| finding.class) {
            Some(Class::LongPoll | Class::BlockingCall | Class::IdleWorker) => Self::Workers,
            Some(Class::LockWait) => Self::Locks,
            Some(Class::GcAssist | Class::StopTheWorld | Class::Allocation) => Self::Memory,
            _ if is_busy && is_queued => Self::Cpu,
            _ => Self::Nothing,
        }
    }

    /// A word for programs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Workers => "workers",
            Self::Locks => "locks",
            Self::Memory => "memory",
            Self::Nothing => "nothing",
        }
    }

    /// A sentence.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Cpu => "short of CPU: its workers are busy, and tasks wait for them",
            Self::Workers => {
                "short of free workers: some are held by tasks that do not let go of them, or idle where there is no work"
            }
            Self::Locks => "held up by locks: tasks wait for each other to let them go",
            Self::Memory => {
                "held up by its memory: the collector or the allocator takes the time of tasks"
            }
            Self::Nothing => {
                "short of nothing in itself: its tasks wait for what is outside, or for each other"
            }
        }
    }
}

/// The share of the workers' time in which they ran tasks.
pub(super) fn busy(load: &LoadReport, span_ns: i64) -> f64 {
    let capacity_ns = span_ns as f64 * load.workers as f64;
    share(load.sums.running_ns, capacity_ns)
}

/// How many tasks waited for a worker on average.
pub(super) fn queued(load: &LoadReport, span_ns: i64) -> f64 {
    share(load.sums.runnable_ns, span_ns as f64)
}

/// A part of a whole; nothing of nothing is nothing.
pub(super) fn share(part_ns: i64, whole_ns: f64) -> f64 {
    if whole_ns > 0.0 {
        part_ns as f64 / whole_ns
    } else {
        0.0
    }
}
