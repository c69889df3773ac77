//! Times of tasks for people: a table, the longest lives first.

use std::io::{self, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use exectrace_analysis::{GroupTimes, StateTimes, TaskTime};
use exectrace_reader::Timestamp;

use super::{Arguments, Found};

/// Prints groups, or the tasks of one.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let (file, tasks) = (found.file, found.reading.report.tasks.len());
    let word = if found.reading.is_of_go {
        "goroutines"
    } else {
        "tasks"
    };
    writeln!(output, "{file}: {tasks} {word}")?;
    let most = arguments.most();
    let (table, rest) = match &arguments.group {
        None => {
            let groups = &found.reading.report.groups;
            let table = table_of_groups(word, groups.iter().take(most));
            (table, groups.len().saturating_sub(most))
        }
        Some(function) => {
            let tasks = found.tasks_of(function);
            let table = table_of_tasks(tasks.iter().take(most), found.reading.first);
            (table, tasks.len().saturating_sub(most))
        }
    };
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    if rest > 0 {
        writeln!(output, " and {rest} more: --most 0 prints all")?;
    }
    Ok(())
}

/// The columns of the times of states.
const STATES: [&str; 5] = ["running", "runnable", "blocked", "syscall", "unknown"];

fn table_of_groups<'g>(word: &str, groups: impl Iterator<Item = &'g GroupTimes>) -> Table {
    let mut header = vec!["function", word, "life"];
    header.extend(STATES);
    header.extend(["p50 life", "p99 life", "max life", "longest wait for"]);
    let mut table = empty(header);
    for group in groups {
        let life = &group.life;
        let mut row = vec![
            function(&group.function),
            life.count.to_string(),
            duration(life.sum),
        ];
        row.extend(states(&group.sums));
        row.extend([life.p50, life.p99, life.max].map(duration));
        row.push(longest_wait(&group.sums));
        table.add_row(row);
    }
    table
}

fn table_of_tasks<'t>(tasks: impl Iterator<Item = &'t &'t TaskTime>, first: Timestamp) -> Table {
    let mut header = vec!["task", "begin", "life"];
    header.extend(STATES);
    header.extend(["longest wait for", "creation and end"]);
    let mut table = empty(header);
    for task in tasks {
        let mut row = vec![
            format!("task:{}", task.id.0),
            duration(task.begin.since_ns(first)),
            duration(task.times.life_ns()),
        ];
        row.extend(states(&task.times));
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

/// A table without lines, whose numbers stand under each other.
fn empty(header: Vec<&str>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(&header);
    for (column, name) in table.column_iter_mut().zip(header) {
        if !matches!(
            name,
            "function" | "task" | "longest wait for" | "creation and end"
        ) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

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
        Some(blocked) if blocked.ns > 0 => match blocked.reason.as_str() {
            "" => String::from("(not told)"),
            reason => reason.escape_debug().to_string(),
        },
        _ => String::new(),
    }
}

fn function(function: &str) -> String {
    match function {
        "" => String::from("(not told)"),
        function => function.escape_debug().to_string(),
    }
}

fn duration(ns: i64) -> String {
    match ns {
        0 => String::from("-"),
        ns => format!("{:.1?}", Duration::from_nanos(ns.unsigned_abs())),
    }
}
