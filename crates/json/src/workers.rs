//! What `exectrace workers --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{ThreadUse, WorkerUse, WorkersReport};
use schemars::JsonSchema;
use serde::Serialize;

use crate::About;

/// What the schema is called.
const SCHEMA: &str = "exectrace.workers";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct WorkersLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// From when on.
    begin_ns: i64,
    /// Until when.
    end_ns: i64,
    /// Each worker, by number.
    workers: Vec<WorkerLine<'a>>,
    /// Each thread, those that ran tasks or sat in system calls longest first.
    threads: Vec<ThreadLine<'a>>,
    /// How many threads there are.
    threads_total: usize,
    /// How long a bucket of time is.
    bucket_ns: i64,
    /// How many tasks sat in system calls on the mean, by bucket.
    in_syscalls: &'a [f64],
    /// Some workers or threads are left out.
    truncated: bool,
    /// How many workers there are.
    total: usize,
}

/// How a worker was used.
#[derive(JsonSchema, Serialize)]
struct WorkerLine<'a> {
    /// The worker, such as `worker:2`.
    id: String,
    /// What its thread is called in a recording of exectrace; else null.
    name: Option<&'a str>,
    /// How long it ran tasks.
    busy_ns: i64,
    /// How long it was on a thread.
    on_thread_ns: i64,
    /// How often it parked.
    parks: u64,
    /// How often a task started to run on it.
    starts: u64,
    /// How many of those had run on another worker before.
    steals: u64,
    /// The share of each bucket of time in which it was busy, from 0 to 1.
    busy: &'a [f64],
}

/// How a thread was used.
#[derive(JsonSchema, Serialize)]
struct ThreadLine<'a> {
    /// The thread, such as `thread:7`.
    id: String,
    /// What it is called in a recording of exectrace; else null.
    name: Option<&'a str>,
    /// How long it ran tasks.
    running_ns: i64,
    /// How long tasks that it ran sat in system calls.
    syscall_ns: i64,
    /// How often a task started to run on it.
    starts: u64,
    /// How many system calls.
    syscalls: u64,
}

impl<'a> WorkersLine<'a> {
    /// How many workers, and how many threads, are told unless said otherwise.
    pub const MOST: usize = 40;

    /// That of a report, with so many workers, and so many threads, at most.
    #[must_use]
    pub fn of(report: &'a WorkersReport, about: &About<'a>, most: usize) -> Self {
        let workers = report.workers.iter().take(most);
        let threads = report.threads.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            begin_ns: about.since_ns(report.begin),
            end_ns: about.since_ns(report.end),
            workers: workers.map(WorkerLine::of).collect(),
            threads: threads.map(ThreadLine::of).collect(),
            threads_total: report.threads.len(),
            bucket_ns: report.bucket_ns,
            in_syscalls: &report.in_syscalls,
            truncated: report.workers.len() > most || report.threads.len() > most,
            total: report.workers.len(),
        }
    }
}

impl<'a> WorkerLine<'a> {
    fn of(worker: &'a WorkerUse) -> Self {
        Self {
            id: format!("worker:{}", worker.worker.0),
            name: worker.name.as_deref(),
            busy_ns: worker.busy_ns,
            on_thread_ns: worker.on_thread_ns,
            parks: worker.parks,
            starts: worker.starts,
            steals: worker.steals,
            busy: &worker.busy,
        }
    }
}

impl<'a> ThreadLine<'a> {
    fn of(thread: &'a ThreadUse) -> Self {
        Self {
            id: format!("thread:{}", thread.thread.0),
            name: thread.name.as_deref(),
            running_ns: thread.running_ns,
            syscall_ns: thread.syscall_ns,
            starts: thread.starts,
            syscalls: thread.syscalls,
        }
    }
}
