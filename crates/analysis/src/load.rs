//! How busy a program was, over time.

use exectrace_reader::{Event, Kind, Metric, Range, State, Timestamp};

use crate::buckets::Buckets;
use crate::{Analysis, Context, Interval};

/// Adds up, over time, what ran, what waited for a worker, what was in system calls, and what the garbage collector took.
#[derive(Clone, Debug, Default)]
pub struct Load {
    buckets: Buckets<KINDS>,
    workers: u64,
    /// Since when the collector is at work, and since when the world is stopped.
    collecting: Option<Timestamp>,
    stopped: Option<Timestamp>,
}

/// Kinds of times.
const KINDS: usize = 5;
const RUNNING: usize = 0;
const RUNNABLE: usize = 1;
const SYSCALL: usize = 2;
const COLLECTING: usize = 3;
const STOPPED: usize = 4;

/// How busy a program was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// How many tasks of the runtime could run at once: in Go `GOMAXPROCS` at its most; in a recording of ours the workers of
    /// runtimes. 0 if there are none.
    pub workers: u64,
    /// Where the first bucket begins.
    pub begin: Timestamp,
    /// How long a bucket is.
    pub bucket_ns: i64,
    /// What there was in each bucket, at most 256.
    pub buckets: Vec<LoadBucket>,
    /// The sums of all.
    pub sums: LoadBucket,
}

/// What there was in a stretch of time, in nanoseconds of all tasks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadBucket {
    /// Tasks ran, on workers of a runtime: in Go all do.
    pub running_ns: i64,
    /// Tasks waited for such a worker.
    pub runnable_ns: i64,
    /// Tasks were in system calls that blocked.
    pub syscall_ns: i64,
    /// The garbage collector was at work.
    pub gc_ns: i64,
    /// The world was stopped.
    pub stopped_ns: i64,
}

impl Analysis for Load {
    type Report = LoadReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        let begin = start(context);
        match event.kind {
            Kind::Metric {
                metric: Metric::Workers,
                value,
            } => self.workers = self.workers.max(value),
            Kind::RangeBegin { range, .. } | Kind::RangeActive { range, .. } => {
                if let Some(since) = self.range(range) {
                    since.get_or_insert(event.time);
                }
            }
            Kind::RangeEnd { range, .. } => {
                let since = self.range(range).and_then(Option::take);
                if let Some(since) = since {
                    let kind = if range == Range::Gc {
                        COLLECTING
                    } else {
                        STOPPED
                    };
                    self.buckets.add(kind, since, event.time, begin);
                }
            }
            _ => {}
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        // Where a task waits is told by the worker that takes it.
        let (kind, worker) = match interval.state {
            State::Running => (RUNNING, Some(interval.begin.worker)),
            State::Runnable => (RUNNABLE, Some(interval.end.worker)),
            State::Syscall => (SYSCALL, None),
            _ => return,
        };
        let is_of_go = context.description.writer().is_none();
        if is_of_go || worker.is_none_or(|worker| context.threads.is_runtime_worker(worker)) {
            let (from, to) = (interval.begin.time, interval.end.time);
            self.buckets.add(kind, from, to, start(context));
        }
    }

    fn report(mut self, context: &Context<'_>) -> LoadReport {
        let begin = start(context);
        let end = context.span().map_or(begin, |(_, end)| end);
        for (kind, since) in [(COLLECTING, self.collecting), (STOPPED, self.stopped)] {
            if let Some(since) = since {
                self.buckets.add(kind, since, end, begin);
            }
        }
        let workers = if context.description.writer().is_none() {
            self.workers
        } else {
            let threads = context.threads.iter();
            threads.filter(|thread| thread.role == "worker").count() as u64
        };
        let bucket_ns = self.buckets.bucket_ns();
        let sums = self.buckets.into_sums().into_iter();
        let buckets: Vec<LoadBucket> = sums.map(LoadBucket::of).collect();
        let sums = buckets.iter().fold(LoadBucket::default(), LoadBucket::plus);
        LoadReport {
            workers,
            begin,
            bucket_ns,
            buckets,
            sums,
        }
    }
}

/// Where what is looked at begins.
fn start(context: &Context<'_>) -> Timestamp {
    let from = context.window.from();
    from.map_or(context.begin, |from| from.max(context.begin))
}

impl Load {
    fn range(&mut self, range: Range) -> Option<&mut Option<Timestamp>> {
        match range {
            Range::Gc => Some(&mut self.collecting),
            Range::StopTheWorld => Some(&mut self.stopped),
            _ => None,
        }
    }
}

impl LoadBucket {
    fn of(sums_ns: [i64; KINDS]) -> Self {
        Self {
            running_ns: sums_ns[RUNNING],
            runnable_ns: sums_ns[RUNNABLE],
            syscall_ns: sums_ns[SYSCALL],
            gc_ns: sums_ns[COLLECTING],
            stopped_ns: sums_ns[STOPPED],
        }
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            running_ns: self.running_ns.saturating_add(other.running_ns),
            runnable_ns: self.runnable_ns.saturating_add(other.runnable_ns),
            syscall_ns: self.syscall_ns.saturating_add(other.syscall_ns),
            gc_ns: self.gc_ns.saturating_add(other.gc_ns),
            stopped_ns: self.stopped_ns.saturating_add(other.stopped_ns),
        }
    }
}
