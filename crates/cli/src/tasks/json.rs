//! What `exectrace tasks --json` prints; `docs/command.md` tells of each key.

use std::collections::BTreeMap;
use std::io::{self, Write};

use exectrace_analysis::{Distribution, GroupTimes, StateTimes, TaskTime};
use serde::Serialize;

use super::{Arguments, Found};

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    version: u32,
    file: &'a str,
    /// Tasks of the trace.
    tasks_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<Vec<TaskLine<'a>>>,
    /// Some groups or tasks are left out.
    truncated: bool,
    total: usize,
}

#[derive(Serialize)]
struct GroupLine<'a> {
    function: &'a str,
    tasks: u64,
    life: SpreadLine,
    running: SpreadLine,
    runnable: SpreadLine,
    blocked: SpreadLine,
    syscall: SpreadLine,
    unknown: SpreadLine,
    blocked_by_reason_ns: BTreeMap<&'a str, i64>,
}

#[derive(Serialize)]
struct SpreadLine {
    sum_ns: i64,
    min_ns: i64,
    mean_ns: f64,
    p50_ns: i64,
    p90_ns: i64,
    p99_ns: i64,
    max_ns: i64,
}

#[derive(Serialize)]
struct TaskLine<'a> {
    id: String,
    function: &'a str,
    begin_ns: i64,
    end_ns: i64,
    is_created: bool,
    has_ended: bool,
    running_ns: i64,
    runnable_ns: i64,
    blocked_ns: i64,
    syscall_ns: i64,
    unknown_ns: i64,
    blocked_by_reason_ns: BTreeMap<&'a str, i64>,
}

/// Prints a line.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let most = match arguments.most {
        0 => usize::MAX,
        most => most,
    };
    let report = &found.reading.report;
    let (groups, tasks, total) = match &arguments.group {
        None => {
            let groups = report.groups.iter().take(most).map(GroupLine::of);
            (Some(groups.collect()), None, report.groups.len())
        }
        Some(function) => {
            let tasks = found.tasks_of(function);
            let lines = tasks.iter().take(most).map(|task| TaskLine::of(task));
            (None, Some(lines.collect()), tasks.len())
        }
    };
    let line = Line {
        schema: "exectrace.tasks",
        version: SCHEMA_VERSION,
        file: found.file,
        tasks_total: report.tasks.len(),
        groups,
        tasks,
        truncated: total > most,
        total,
    };
    serde_json::to_writer(&mut *output, &line)?;
    writeln!(output)
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
        }
    }
}

impl SpreadLine {
    fn of(spread: &Distribution) -> Self {
        Self {
            sum_ns: spread.sum,
            min_ns: spread.min,
            mean_ns: spread.mean,
            p50_ns: spread.p50,
            p90_ns: spread.p90,
            p99_ns: spread.p99,
            max_ns: spread.max,
        }
    }
}

impl<'a> TaskLine<'a> {
    fn of(task: &'a TaskTime) -> Self {
        let times = &task.times;
        Self {
            id: format!("task:{}", task.id.0),
            function: &task.function,
            begin_ns: task.begin.0,
            end_ns: task.end.0,
            is_created: task.is_created,
            has_ended: task.has_ended,
            running_ns: times.running_ns,
            runnable_ns: times.runnable_ns,
            blocked_ns: times.blocked_ns(),
            syscall_ns: times.syscall_ns,
            unknown_ns: times.unknown_ns,
            blocked_by_reason_ns: by_reason(times),
        }
    }
}

fn by_reason(times: &StateTimes) -> BTreeMap<&str, i64> {
    let blocked = times.blocked.iter();
    blocked.map(|it| (it.reason.as_str(), it.ns)).collect()
}
