//! What `exectrace tasks --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{GroupTimes, Id, StateTimes, TaskLifeReport, TaskTime, TaskTimesReport};
use exectrace_reader::TaskId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::About;
use crate::life_line::LifeLine;
use crate::spread_line::SpreadLine;

/// What the schema is called.
const SCHEMA: &str = "exectrace.tasks";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct TasksLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// Tasks of the trace, or lives of the task.
    tasks_total: usize,
    /// Tasks by the function that they run; left out with `--group`, and for one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupLine<'a>>>,
    /// The tasks that run the function; left out without `--group`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<Vec<TaskLine<'a>>>,
    /// The task that is asked for; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    id: Option<String>,
    /// Its life; an id that was used twice has two.
    #[serde(skip_serializing_if = "Option::is_none")]
    lives: Option<Vec<LifeLine<'a>>>,
    /// Some groups, tasks or states are left out.
    truncated: bool,
    /// How many groups there are, or tasks that run the function, or states of the task.
    total: usize,
}

/// The tasks that run a function.
#[derive(JsonSchema, Serialize)]
struct GroupLine<'a> {
    /// The function; empty if nothing tells it.
    function: &'a str,
    /// How many tasks run it.
    tasks: u64,
    /// How long they lived.
    life: SpreadLine,
    /// How long they ran.
    running: SpreadLine,
    /// How long they could have run, and waited for a worker.
    runnable: SpreadLine,
    /// How long they were blocked, for whatever reason.
    blocked: SpreadLine,
    /// How long they were in system calls that blocked.
    syscall: SpreadLine,
    /// How long nobody knows what they did.
    unknown: SpreadLine,
    /// How long they were blocked in all, by reason.
    blocked_by_reason_ns: BTreeMap<&'a str, i64>,
    /// How long they were blocked, by reason.
    blocked_by_reason: BTreeMap<&'a str, SpreadLine>,
    /// How long a garbage collector marked while they were there, in all: beside these, in none of their sums.
    gc_ns: i64,
}

/// A task.
#[derive(JsonSchema, Serialize)]
struct TaskLine<'a> {
    /// The task: `task:7`.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    id: String,
    /// The function that it runs; empty if nothing tells it.
    function: &'a str,
    /// When its life begins: with its creation, or with the trace.
    begin_ns: i64,
    /// When it ends: with the task, or with the trace.
    end_ns: i64,
    /// Whether its creation is in the trace.
    is_created: bool,
    /// Whether its end is in the trace.
    has_ended: bool,
    /// How long it ran.
    running_ns: i64,
    /// How long it could have run, and waited for a worker.
    runnable_ns: i64,
    /// How long it was blocked, for whatever reason.
    blocked_ns: i64,
    /// How long it was in system calls that blocked.
    syscall_ns: i64,
    /// How long nobody knows what it did.
    unknown_ns: i64,
    /// How long it was blocked, by reason.
    blocked_by_reason_ns: BTreeMap<&'a str, i64>,
    /// How long a garbage collector marked while it was there: beside these, in no sum of theirs.
    gc_ns: i64,
}

impl<'a> TasksLine<'a> {
    /// How many groups, tasks or states are told unless said otherwise.
    pub const MOST: usize = 40;

    /// The groups of a report, so many at most; or the tasks of one group, which run that function.
    #[must_use]
    pub fn of(
        report: &'a TaskTimesReport,
        group: Option<&str>,
        about: &About<'a>,
        most: usize,
    ) -> Self {
        let tasks_total = report.total;
        match group {
            None => {
                let (groups, total) = (report.groups.iter().take(most), report.groups.len());
                Self {
                    groups: Some(groups.map(GroupLine::of).collect()),
                    ..Self::empty(about, tasks_total, total, most)
                }
            }
            Some(function) => {
                let tasks = report.tasks_of(function);
                let lines = tasks
                    .iter()
                    .take(most)
                    .map(|task| TaskLine::of(task, about));
                Self {
                    tasks: Some(lines.collect()),
                    ..Self::empty(about, tasks_total, report.total_of(function), most)
                }
            }
        }
    }

    /// All that one task did, with so many states at most.
    #[must_use]
    pub fn of_life(
        report: &'a TaskLifeReport,
        task: TaskId,
        about: &About<'a>,
        most: usize,
    ) -> Self {
        let (mut lives, mut total) = (Vec::new(), 0);
        for lifetime in &report.lives {
            lives.push(LifeLine::of(
                lifetime,
                report,
                about,
                most.saturating_sub(total),
            ));
            total += lifetime.intervals.len();
        }
        Self {
            id: Some(Id::Task(task).to_string()),
            lives: Some(lives),
            ..Self::empty(about, report.lives.len(), total, most)
        }
    }

    /// One that tells of nothing yet.
    fn empty(about: &About<'a>, tasks_total: usize, total: usize, most: usize) -> Self {
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            tasks_total,
            groups: None,
            tasks: None,
            id: None,
            lives: None,
            truncated: total > most,
            total,
        }
    }
}

impl<'a> GroupLine<'a> {
    fn of(group: &'a GroupTimes) -> Self {
        Self {
            function: &group.function,
            tasks: group.life.count,
            life: SpreadLine::of(&group.life),
            running: SpreadLine::of(&group.running),
            runnable: SpreadLine::of(&group.runnable),
            blocked: SpreadLine::of(&group.blocked),
            syscall: SpreadLine::of(&group.syscall),
            unknown: SpreadLine::of(&group.unknown),
            blocked_by_reason_ns: by_reason(&group.sums),
            blocked_by_reason: group
                .blocked_by_reason
                .iter()
                .map(|it| (it.reason.as_str(), SpreadLine::of(&it.spread)))
                .collect(),
            gc_ns: group.gc_ns,
        }
    }
}

impl<'a> TaskLine<'a> {
    fn of(task: &'a TaskTime, about: &About<'_>) -> Self {
        let times = &task.times;
        Self {
            id: format!("task:{}", task.id.0),
            function: &task.function,
            begin_ns: about.since_ns(task.begin),
            end_ns: about.since_ns(task.end),
            is_created: task.is_created,
            has_ended: task.has_ended,
            running_ns: times.running_ns,
            runnable_ns: times.runnable_ns,
            blocked_ns: times.blocked_ns(),
            syscall_ns: times.syscall_ns,
            unknown_ns: times.unknown_ns,
            blocked_by_reason_ns: by_reason(times),
            gc_ns: task.gc_ns,
        }
    }
}

fn by_reason(times: &StateTimes) -> BTreeMap<&str, i64> {
    let blocked = times.blocked.iter();
    blocked.map(|it| (it.reason.as_str(), it.ns)).collect()
}
