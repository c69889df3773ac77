//! How busy a program was, over time.

use exectrace_reader::{Event, Kind, Metric, Range, State, Timestamp};

use crate::time_buckets::{Bucket, TimeBuckets};
use crate::{Analysis, Context, Interval};

/// Adds up, over time, what ran, what waited for a worker, what was in system calls, and what the garbage collector took.
#[derive(Clone, Debug, Default)]
pub struct Load {
    buckets: Option<TimeBuckets<LoadBucket>>,
    workers: u64,
    /// Since when the collector is at work, and since when the world is stopped.
    collecting: Option<Timestamp>,
    stopped: Option<Timestamp>,
}

/// The time of a kind in a bucket.
type Field = fn(&mut LoadBucket) -> &mut i64;

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
    /// What there was in each bucket, at most 128.
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
        match event.kind {
            Kind::Metric {
                metric: Metric::Workers,
                value,
            } => self.workers = self.workers.max(value),
            Kind::RangeBegin { range, .. } | Kind::RangeActive { range, .. } => {
                if let Some((since, _)) = self.range(range) {
                    since.get_or_insert(event.time);
                }
            }
            Kind::RangeEnd { range, .. } => {
                let open = self.range(range);
                if let Some((Some(since), field)) = open.map(|(since, field)| (since.take(), field))
                {
                    self.add(field, since, event.time, context);
                }
            }
            _ => {}
        }
    }

    /// How many workers there are, and ranges that reach into the window, are told outside of it.
    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        // Where a task waits is told by the worker that takes it.
        let (field, worker): (Field, _) = match interval.state {
            State::Running => (|it| &mut it.running_ns, Some(interval.begin.worker)),
            State::Runnable => (|it| &mut it.runnable_ns, Some(interval.end.worker)),
            State::Syscall => (|it| &mut it.syscall_ns, None),
            _ => return,
        };
        let is_of_go = context.description.writer().is_none();
        if is_of_go || worker.is_none_or(|worker| context.threads.is_runtime_worker(worker)) {
            self.add(field, interval.begin.time, interval.end.time, context);
        }
    }

    fn report(mut self, context: &Context<'_>) -> LoadReport {
        let begin = start(context);
        let end = context.span().map_or(begin, |(_, end)| end);
        for range in [Range::Gc, Range::StopTheWorld] {
            let open = self.range(range);
            if let Some((Some(since), field)) = open.map(|(since, field)| (since.take(), field)) {
                self.add(field, since, end, context);
            }
        }
        let workers = if context.description.writer().is_none() {
            self.workers
        } else {
            let threads = context.threads.iter();
            threads.filter(|thread| thread.role == "worker").count() as u64
        };
        let buckets = self.buckets.unwrap_or_else(|| TimeBuckets::new(begin));
        let mut sums = LoadBucket::default();
        for bucket in buckets.buckets() {
            sums.merge(*bucket);
        }
        LoadReport {
            workers,
            begin,
            bucket_ns: buckets.width_ns(),
            buckets: buckets.buckets().to_vec(),
            sums,
        }
    }
}

impl LoadReport {
    /// The share of the workers' time in which they ran tasks, in a trace or window of that length.
    #[must_use]
    pub fn busy(&self, span_ns: i64) -> f64 {
        share(self.sums.running_ns, span_ns as f64 * self.workers as f64)
    }

    /// How many tasks waited for a worker on average.
    #[must_use]
    pub fn queued(&self, span_ns: i64) -> f64 {
        share(self.sums.runnable_ns, span_ns as f64)
    }
}

/// A part of a whole; nothing of nothing is nothing.
fn share(part_ns: i64, whole_ns: f64) -> f64 {
    if whole_ns > 0.0 {
        part_ns as f64 / whole_ns
    } else {
        0.0
    }
}

/// Where what is looked at begins.
fn start(context: &Context<'_>) -> Timestamp {
    let from = context.window.from();
    from.map_or(context.begin, |from| from.max(context.begin))
}

impl Load {
    /// Since when a range is open, and what its time counts as.
    fn range(&mut self, range: Range) -> Option<(&mut Option<Timestamp>, Field)> {
        match range {
            Range::Gc => Some((&mut self.collecting, |it| &mut it.gc_ns)),
            Range::StopTheWorld => Some((&mut self.stopped, |it| &mut it.stopped_ns)),
            _ => None,
        }
    }

    fn add(&mut self, field: Field, from: Timestamp, to: Timestamp, context: &Context<'_>) {
        let Some((from, to)) = context.window.clip(from, to) else {
            return;
        };
        let buckets = self
            .buckets
            .get_or_insert_with(|| TimeBuckets::new(start(context)));
        buckets.spread(from, to, |bucket, ns| {
            let sum = field(bucket);
            *sum = sum.saturating_add(ns);
        });
    }
}

impl Bucket for LoadBucket {
    fn merge(&mut self, later: Self) {
        self.running_ns = self.running_ns.saturating_add(later.running_ns);
        self.runnable_ns = self.runnable_ns.saturating_add(later.runnable_ns);
        self.syscall_ns = self.syscall_ns.saturating_add(later.syscall_ns);
        self.gc_ns = self.gc_ns.saturating_add(later.gc_ns);
        self.stopped_ns = self.stopped_ns.saturating_add(later.stopped_ns);
    }
}
