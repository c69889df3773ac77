//! What a program is short of.

use crate::{Class, FindingsReport, LoadReport, Severity};

/// Workers that are busy for this share of the time have nothing to spare.
const BUSY_MIN: f64 = 0.85;

/// So many tasks wait for a worker, on average, where some are short of one.
const QUEUE_MIN: f64 = 0.5;

/// What a program is short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shortage {
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
    /// What the finding that costs most says, or else how busy the workers are.
    #[must_use]
    pub fn of(load: &LoadReport, findings: &FindingsReport) -> Self {
        // What is high and costs most, but for what is only seen to wait.
        let first = findings.findings.iter().find(|finding| {
            finding.severity == Severity::High && finding.class != Class::LateTimer
        });
        let is_busy = load.busy(findings.span_ns) >= BUSY_MIN;
        let is_queued = load.queued(findings.span_ns) >= QUEUE_MIN;
        match first.map(|finding| finding.class) {
            Some(Class::LongPoll | Class::BlockingCall | Class::IdleWorker) => Self::Workers,
            Some(Class::LockWait) => Self::Locks,
            Some(Class::GcAssist | Class::StopTheWorld | Class::Allocation) => Self::Memory,
            _ if is_busy && is_queued => Self::Cpu,
            _ => Self::Nothing,
        }
    }

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Workers => "workers",
            Self::Locks => "locks",
            Self::Memory => "memory",
            Self::Nothing => "nothing",
        }
    }
}
