//! Times of tasks for people: a table, the longest lives first.

use std::io::{self, Write};

use comfy_table::Table;
use exectrace_analysis::{Distribution, GroupTimes, StateTimes, TaskTime};
use exectrace_json::since_first;
use exectrace_reader::Timestamp;

use super::{Arguments, Found};
use crate::shown::{duration, told};
use crate::table;
use crate::words::Words;

/// Prints groups, or the tasks of one.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let (file, tasks) = (found.file, found.reading.report.total);
    let word = Words::of(found.reading.is_of_go).tasks;
    writeln!(output, "{file}: {tasks} {word}")?;
    let most = arguments.most;
    let (table, rest) = match &arguments.group {
        None => {
            let groups = &found.reading.report.groups;
            let table = table_of_groups(word, &groups[..groups.len().min(most)]);
            (table, groups.len().saturating_sub(most))
        }
        Some(function) => {
            let mut groups = found.reading.report.groups.iter();
            if let Some(group) = groups.find(|group| group.function == *function) {
                table::print(output, &table_of_spreads(group))?;
                writeln!(output)?;
            }
            let tasks = found.reading.report.tasks_of(function);
            let table = table_of_tasks(&tasks[..tasks.len().min(most)], found.reading.first);
            let total = found.reading.report.total_of(function);
            (table, total.saturating_sub(most))
        }
    };
    table::print(output, &table)?;
    table::rest(output, rest)
}

/// The column of what went on beside the states.
const BESIDE: &str = "GC beside";

/// The columns of the times of states.
const STATES: [&str; 5] = ["running", "runnable", "blocked", "syscall", "unknown"];

fn table_of_groups(word: &str, groups: &[GroupTimes]) -> Table {
    let has_gc = groups.iter().any(|group| group.gc_ns > 0);
    let mut header = vec!["function", word, "life"];
    header.extend(STATES);
    header.extend(has_gc.then_some(BESIDE));
    header.extend(["p50 life", "p99 life", "max life", "longest wait for"]);
    let mut table = table::empty(&header, &TEXTS);
    for group in groups {
        let life = &group.life;
        let mut row = vec![
            told(&group.function),
            life.count.to_string(),
            duration(life.sum),
        ];
        row.extend(states(&group.sums));
        row.extend(has_gc.then(|| duration(group.gc_ns)));
        row.extend([life.p50, life.p99, life.max].map(duration));
        row.push(longest_wait(&group.sums));
        table.add_row(row);
    }
    table
}

/// How long the tasks of a group were in each state.
fn table_of_spreads(group: &GroupTimes) -> Table {
    let header = [STATE, "in all", "min", "mean", "p50", "p90", "p99", "max"];
    let mut table = table::empty(&header, &TEXTS);
    let mut row = |name: String, spread: &Distribution| {
        let mut row = vec![name, duration(spread.sum), duration(spread.min)];
        row.push(duration(spread.mean.round() as i64));
        row.extend([spread.p50, spread.p90, spread.p99, spread.max].map(duration));
        table.add_row(row);
    };
    row("life".to_owned(), &group.life);
    row("running".to_owned(), &group.running);
    row("runnable".to_owned(), &group.runnable);
    row("blocked".to_owned(), &group.blocked);
    for of_reason in &group.blocked_by_reason {
        row(
            format!("blocked by {}", told(&of_reason.reason)),
            &of_reason.spread,
        );
    }
    row("syscall".to_owned(), &group.syscall);
    row("unknown".to_owned(), &group.unknown);
    table
}

fn table_of_tasks(tasks: &[&TaskTime], first: Timestamp) -> Table {
    let has_gc = tasks.iter().any(|task| task.gc_ns > 0);
    let mut header = vec!["task", "begin", "life"];
    header.extend(STATES);
    header.extend(has_gc.then_some(BESIDE));
    header.extend(["longest wait for", "creation and end"]);
    let mut table = table::empty(&header, &TEXTS);
    for task in tasks {
        let mut row = vec![
            format!("task:{}", task.id.0),
            since_first(task.begin, first),
            duration(task.times.life_ns()),
        ];
        row.extend(states(&task.times));
        row.extend(has_gc.then(|| duration(task.gc_ns)));
        row.push(longest_wait(&task.times));
        let in_trace = match (task.is_created, task.has_ended) {
            (true, true) => "in the trace",
            (true, false) => "goes on after the trace",
            (false, true) => "was there before",
            (false, false) => "was there before, goes on",
        };
        row.push(in_trace.to_owned());
        table.add_row(row);
    }
    table
}

/// The columns of texts; all others are of numbers.
const TEXTS: [&str; 5] = [
    "function",
    "task",
    "longest wait for",
    "creation and end",
    STATE,
];

/// The column of states, where each has a row.
const STATE: &str = "state";

fn states(times: &StateTimes) -> [String; 5] {
    [
        times.running_ns,
        times.runnable_ns,
        times.blocked_ns(),
        times.syscall_ns,
        times.unknown_ns,
    ]
    .map(duration)
}

fn longest_wait(times: &StateTimes) -> String {
    let longest = times.blocked.iter().max_by_key(|blocked| blocked.ns);
    match longest {
        Some(blocked) if blocked.ns > 0 => told(&blocked.reason),
        _ => String::new(),
    }
}
