//! What `exectrace summary --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{
    FindingsReport, LoadBucket, LoadReport, Request, RequestGroup, RequestId, RequestsReport,
    Shortage,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::About;
use crate::findings::FindingLine;
use crate::spread_line::SpreadLine;

/// What the schema is called.
const SCHEMA: &str = "exectrace.summary";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct SummaryLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// Nothing was lost, inferred or put right.
    is_whole: bool,
    /// The same in words, with what was lost.
    trust: &'a str,
    /// How long the trace, or the window, is.
    span_ns: i64,
    /// What the program is short of: `cpu`, `workers`, `locks`, `memory` or `nothing`.
    short_of: &'static str,
    /// How busy it was.
    load: LoadLine,
    /// Requests by name: user tasks, or tasks by function.
    requests: Vec<GroupLine<'a>>,
    /// How many names there are.
    requests_total: usize,
    /// The ten that took longest.
    longest: Vec<RequestLine<'a>>,
    /// Those that cost most first.
    findings: Vec<FindingLine<'a>>,
    /// How many findings there are.
    findings_total: usize,
    /// Some names or findings are left out.
    truncated: bool,
}

/// How busy a program was.
#[derive(JsonSchema, Serialize)]
struct LoadLine {
    /// How many tasks of the runtime could run at once.
    workers: u64,
    /// The share of the workers' time in which they ran tasks.
    busy: f64,
    /// How many tasks waited for a worker, on average.
    queued: f64,
    /// How long a bucket is.
    bucket_ns: i64,
    /// What there was in each.
    buckets: Vec<BucketLine>,
}

/// What there was in a stretch of time, of all tasks together.
#[derive(JsonSchema, Serialize)]
struct BucketLine {
    /// Tasks ran on workers of a runtime.
    running_ns: i64,
    /// Tasks waited for such a worker.
    runnable_ns: i64,
    /// Tasks were in system calls that blocked.
    syscall_ns: i64,
    /// The garbage collector was at work.
    gc_ns: i64,
    /// The world was stopped.
    stopped_ns: i64,
}

/// Requests of one name.
#[derive(JsonSchema, Serialize)]
struct GroupLine<'a> {
    /// The name; empty if that is not told.
    name: &'a str,
    /// How long they took.
    spread: SpreadLine,
    /// The longest that began in each of 60 equal parts of the span; 0 where none did.
    max_ns: &'a [i64],
}

/// One request.
#[derive(JsonSchema, Serialize)]
struct RequestLine<'a> {
    /// What it is, as `user:7` or `task:7`.
    id: String,
    /// The name of its group.
    name: &'a str,
    /// When it began.
    begin_ns: i64,
    /// How long it took.
    ns: i64,
}

impl<'a> SummaryLine<'a> {
    /// How many names of requests, and how many findings, are told unless said otherwise.
    pub const MOST: usize = 5;

    /// That of reports, with so many names of requests, and so many findings, at most. A trace that is not whole says why in
    /// `distrust`.
    #[must_use]
    pub fn of(
        (load, requests, findings): &'a (LoadReport, RequestsReport, FindingsReport),
        distrust: Option<&'a str>,
        about: &About<'a>,
        most: usize,
    ) -> Self {
        let groups = requests.groups.iter().take(most);
        let told = findings.findings.iter().take(most);
        let longest = requests.worst.iter();
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            is_whole: distrust.is_none(),
            trust: distrust.unwrap_or("whole"),
            span_ns: findings.span_ns,
            short_of: Shortage::of(load, findings).name(),
            load: LoadLine::of(load, findings.span_ns),
            requests: groups.map(GroupLine::of).collect(),
            requests_total: requests.groups.len(),
            longest: longest
                .map(|request| RequestLine::of(request, about))
                .collect(),
            findings: told
                .map(|finding| FindingLine::of(finding, about))
                .collect(),
            findings_total: findings.findings.len(),
            truncated: requests.groups.len() > most || findings.findings.len() > most,
        }
    }
}

impl LoadLine {
    fn of(load: &LoadReport, span_ns: i64) -> Self {
        Self {
            workers: load.workers,
            busy: load.busy(span_ns),
            queued: load.queued(span_ns),
            bucket_ns: load.bucket_ns,
            buckets: load.buckets.iter().map(BucketLine::of).collect(),
        }
    }
}

impl BucketLine {
    fn of(bucket: &LoadBucket) -> Self {
        Self {
            running_ns: bucket.running_ns,
            runnable_ns: bucket.runnable_ns,
            syscall_ns: bucket.syscall_ns,
            gc_ns: bucket.gc_ns,
            stopped_ns: bucket.stopped_ns,
        }
    }
}

impl<'a> GroupLine<'a> {
    fn of(group: &'a RequestGroup) -> Self {
        Self {
            name: &group.name,
            spread: SpreadLine::of(&group.spread),
            max_ns: &group.max_ns,
        }
    }
}

impl<'a> RequestLine<'a> {
    fn of(request: &'a Request, about: &About<'_>) -> Self {
        let id = match request.id {
            RequestId::UserTask(id) => format!("user:{}", id.0),
            RequestId::Task(id) => format!("task:{}", id.0),
        };
        Self {
            id,
            name: &request.name,
            begin_ns: about.since_ns(request.begin),
            ns: request.ns,
        }
    }
}
