//! How workers and threads are used over time.
//!
//! A worker is busy while it runs a task; it is on a thread also while it looks for one, and parked otherwise. A task that starts on
//! another worker than its last ran on was stolen, or came by the queue of all; of a task's first run in the window nothing is
//! known. Threads are seen where the format tells them: a thread runs tasks, and sits in system calls of the tasks that it ran.

mod record;
mod running_place;

use std::collections::BTreeMap;

use exectrace_reader::{Event, Kind, State, ThreadId, Timestamp, WorkerId};

use self::running_place::RunningPlaces;
use crate::time_buckets::{Bucket, TimeBuckets};
use crate::{Analysis, Context, Filter, Interval};

/// Follows workers and threads.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    workers: BTreeMap<i64, Followed>,
    threads: BTreeMap<u64, ThreadUse>,
    /// By life: the worker that the task ran on last, or none.
    last_workers: Vec<WorkerId>,
    syscalls: Option<TimeBuckets<i64>>,
    running_places: RunningPlaces,
    filter: Filter,
}

/// How workers and threads were used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkersReport {
    /// From when on: the window, or the trace.
    pub begin: Timestamp,
    /// Until when.
    pub end: Timestamp,
    /// Each worker, by number.
    pub workers: Vec<WorkerUse>,
    /// Each thread, those that ran tasks or sat in system calls longest first.
    pub threads: Vec<ThreadUse>,
    /// How long a bucket of time is, in nanoseconds.
    pub bucket_ns: i64,
    /// How many tasks sat in system calls on the mean, by bucket.
    pub in_syscalls: Vec<f64>,
}

/// How a worker was used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerUse {
    /// The worker.
    pub worker: WorkerId,
    /// What the thread is called that it is in a recording of exectrace.
    pub name: Option<String>,
    /// How long it ran tasks, in nanoseconds.
    pub busy_ns: i64,
    /// How long it was on a thread.
    pub on_thread_ns: i64,
    /// How often it parked: left its thread.
    pub parks: u64,
    /// How often a task started to run on it.
    pub starts: u64,
    /// How many of those had run on another worker before.
    pub steals: u64,
    /// The share of each bucket of time in which it was busy, from 0 to 1.
    pub busy: Vec<f64>,
}

/// How a thread was used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadUse {
    /// The thread.
    pub thread: ThreadId,
    /// What it is called in a recording of exectrace.
    pub name: Option<String>,
    /// How long it ran tasks, in nanoseconds.
    pub running_ns: i64,
    /// How long tasks that it ran sat in system calls.
    pub syscall_ns: i64,
    /// How often a task started to run on it.
    pub starts: u64,
    /// How many system calls.
    pub syscalls: u64,
}

/// A worker, as it is followed.
#[derive(Clone, Debug)]
struct Followed {
    busy: TimeBuckets<i64>,
    busy_ns: i64,
    on_thread_ns: i64,
    /// Since when it is on a thread, if it is.
    since: Option<Timestamp>,
    parks: u64,
    starts: u64,
    steals: u64,
}

impl Bucket for i64 {
    fn merge(&mut self, later: Self) {
        *self += later;
    }
}

impl Followed {
    fn new(begin: Timestamp) -> Self {
        Self {
            busy: TimeBuckets::new(begin),
            busy_ns: 0,
            on_thread_ns: 0,
            since: None,
            parks: 0,
            starts: 0,
            steals: 0,
        }
    }

    fn leave_thread(&mut self, time: Timestamp) {
        if let Some(since) = self.since.take() {
            self.on_thread_ns += time.since_ns(since).max(0);
        }
    }
}

impl Analysis for Workers {
    type Report = WorkersReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.take(event, context, true);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if context.window.from().is_some_and(|from| event.time < from) {
            self.take(event, context, false);
        } else {
            self.running_places.event(event);
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        match interval.state {
            State::Running => self.run(interval, context),
            State::Syscall => self.syscall(interval, context),
            _ => {}
        }
    }

    fn report(mut self, context: &Context<'_>) -> WorkersReport {
        let (begin, end) = context.span().unwrap_or((context.end, context.end));
        let bucket_ns = self.at_end(end);
        let spread = |buckets: &TimeBuckets<i64>| shares(buckets, begin, end);
        let in_syscalls = self.syscalls.as_ref().map_or_else(Vec::new, spread);
        let workers = self.workers.into_iter().map(|(worker, followed)| {
            let worker = WorkerId(worker);
            WorkerUse {
                worker,
                name: context
                    .threads
                    .of_worker(worker)
                    .map(|thread| thread.name.clone()),
                busy_ns: followed.busy_ns,
                on_thread_ns: followed.on_thread_ns,
                parks: followed.parks,
                starts: followed.starts,
                steals: followed.steals,
                busy: spread(&followed.busy),
            }
        });
        let workers = workers.filter(|it| self.filter.lets_through(it)).collect();
        let mut threads: Vec<ThreadUse> = self.threads.into_values().collect();
        for it in &mut threads {
            it.name = context.threads.name(it.thread).map(str::to_owned);
        }
        threads.sort_by_key(|it| (std::cmp::Reverse(it.running_ns + it.syscall_ns), it.thread));
        WorkersReport {
            begin,
            end,
            workers,
            threads,
            bucket_ns,
            in_syscalls,
        }
    }
}

impl Workers {
    /// The same of some workers alone: a filter for [`RecordKind::Worker`](crate::RecordKind::Worker).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    fn worker(&mut self, worker: WorkerId, context: &Context<'_>) -> &mut Followed {
        let begin = begin(context);
        self.workers
            .entry(worker.0)
            .or_insert_with(|| Followed::new(begin))
    }

    fn thread(&mut self, thread: ThreadId) -> &mut ThreadUse {
        self.threads.entry(thread.0).or_insert(ThreadUse {
            thread,
            name: None,
            running_ns: 0,
            syscall_ns: 0,
            starts: 0,
            syscalls: 0,
        })
    }

    /// A worker comes to a thread, or leaves it.
    fn take(&mut self, event: &Event, context: &Context<'_>, is_inside: bool) {
        self.running_places.event(event);
        let Kind::WorkerTransition { worker, from, to } = event.kind else {
            return;
        };
        let window_begin = begin(context);
        let followed = self.worker(worker, context);
        let is_on_thread = |state| matches!(state, State::Running | State::Syscall);
        if is_on_thread(to) {
            // What is told first of a worker was so since the begin.
            let since = match from {
                State::Undetermined => window_begin,
                _ => event.time.max(window_begin),
            };
            followed.since.get_or_insert(since);
        } else {
            followed.leave_thread(event.time);
            followed.parks += u64::from(is_inside && is_on_thread(from));
        }
    }

    fn run(&mut self, interval: &Interval, context: &Context<'_>) {
        // What ran when the trace began is known by who ended it, or by what it wrote itself.
        let edges = [interval.begin, interval.end];
        let edge = edges.into_iter().find(|it| it.worker != WorkerId::NONE);
        let place = edge.map(|edge| (edge.worker, edge.thread));
        let Some((worker, thread)) = place.or_else(|| self.running_places.of(interval.task)) else {
            return;
        };
        let life = interval.life.0 as usize;
        if self.last_workers.len() <= life {
            self.last_workers.resize(life + 1, WorkerId::NONE);
        }
        let last = std::mem::replace(&mut self.last_workers[life], worker);
        let is_start = !interval.is_open_left;
        let ns = interval.ns();
        let followed = self.worker(worker, context);
        followed.busy_ns += ns;
        followed
            .busy
            .spread(interval.begin.time, interval.end.time, |sum, ns| *sum += ns);
        followed.starts += u64::from(is_start);
        followed.steals += u64::from(is_start && last != WorkerId::NONE && last != worker);
        if thread != ThreadId::NONE {
            let thread = self.thread(thread);
            thread.running_ns += ns;
            thread.starts += u64::from(is_start);
        }
    }

    fn syscall(&mut self, interval: &Interval, context: &Context<'_>) {
        let begin = begin(context);
        self.syscalls
            .get_or_insert_with(|| TimeBuckets::new(begin))
            .spread(interval.begin.time, interval.end.time, |sum, ns| *sum += ns);
        let edges = [interval.begin, interval.end];
        if let Some(edge) = edges.into_iter().find(|it| it.thread != ThreadId::NONE) {
            let thread = self.thread(edge.thread);
            thread.syscall_ns += interval.ns();
            thread.syscalls += 1;
        }
    }

    /// All goes on to the end, in buckets of one width, which is the answer.
    fn at_end(&mut self, end: Timestamp) -> i64 {
        let mut bucket_ns = 0;
        for followed in self.workers.values_mut() {
            followed.leave_thread(end);
            followed.busy.at(end);
            bucket_ns = followed.busy.width_ns();
        }
        if let Some(syscalls) = &mut self.syscalls {
            syscalls.at(end);
            bucket_ns = syscalls.width_ns();
        }
        bucket_ns
    }
}

/// When what is looked at begins.
fn begin(context: &Context<'_>) -> Timestamp {
    let from = context.window.from().unwrap_or(context.begin);
    from.max(context.begin)
}

/// Sums of nanoseconds as shares of their buckets, the last of which may end early.
fn shares(buckets: &TimeBuckets<i64>, begin: Timestamp, end: Timestamp) -> Vec<f64> {
    let width_ns = buckets.width_ns();
    let buckets = buckets.buckets().iter().zip(0_i64..);
    let shares = buckets.map(|(&sum, place)| {
        let rest_ns = end.since_ns(begin) - place * width_ns;
        sum as f64 / rest_ns.clamp(1, width_ns) as f64
    });
    shares.collect()
}
