//! `exectrace tasks task:7`: all that one task did, state by state.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use comfy_table::Table;
use exectrace_analysis::{Id, LifeInterval, TaskLife, TaskLifeReport, TaskLifetime};
use exectrace_json::{TasksLine, since_first};
use exectrace_reader::TaskId;

use super::Arguments;
use crate::error::CommandError;
use crate::outcome::Outcome;
use crate::reading::{self, Reading};
use crate::words::Words;
use crate::{json, shown, state, table};

/// What was found in a trace.
struct FoundLife<'a> {
    file: &'a str,
    task: TaskId,
    reading: Reading<TaskLifeReport>,
}

/// Prints the life of a task, in each trace that has it.
pub(super) fn run(
    task: TaskId,
    files: &[PathBuf],
    arguments: &Arguments,
) -> Result<Outcome, CommandError> {
    let inputs = arguments.reading.input.open_all(files)?;
    let mut worst = inputs.outcome;
    let mut output = BufWriter::new(io::stdout().lock());
    let mut is_found = false;
    for input in &inputs.traces() {
        let life = TaskLife::new(task);
        let (reading, ended) = reading::read(
            input,
            &arguments.reading.input,
            &arguments.reading.window,
            life,
        );
        if let Some(reading) = reading.filter(|reading| !reading.report.lives.is_empty()) {
            if arguments.reading.json {
                let about = input.about(reading.first);
                let line = TasksLine::of_life(&reading.report, task, &about, arguments.most);
                json::print(&mut output, &line)?;
            } else {
                if is_found {
                    writeln!(output)?;
                }
                let file = &input.name;
                let found = FoundLife {
                    file,
                    task,
                    reading,
                };
                print(&mut output, &found, arguments.most)?;
            }
            is_found = true;
        }
        output.flush()?;
        worst = worst.max(ended.tell(input, arguments.reading.input.strict));
    }
    if !is_found && worst != Outcome::Unreadable {
        let id = Id::Task(task);
        return Err(CommandError::NotThere { id });
    }
    Ok(worst.allow_partial(arguments.reading.input.allow_partial))
}

/// Prints lives for people, a state a line.
fn print(output: &mut impl Write, found: &FoundLife<'_>, most: usize) -> io::Result<()> {
    let mut rest = most;
    for lifetime in &found.reading.report.lives {
        print_head(output, found, lifetime)?;
        let table = table_of(found, lifetime, rest);
        for line in table.lines() {
            writeln!(output, "{}", line.trim_end())?;
        }
        rest = rest.saturating_sub(lifetime.intervals.len());
    }
    let lives = found.reading.report.lives.iter();
    let total: usize = lives.map(|life| life.intervals.len()).sum();
    if total > most {
        let more = total - most;
        writeln!(output, " and {more} more: --most 0 prints all")?;
    }
    Ok(())
}

fn print_head(
    output: &mut impl Write,
    found: &FoundLife<'_>,
    lifetime: &TaskLifetime,
) -> io::Result<()> {
    let since = |time| since_first(time, found.reading.first);
    let function = shown::told(&lifetime.function);
    write!(
        output,
        "{}: task:{} {function}, {} from {} to {}",
        found.file,
        found.task.0,
        shown::duration(lifetime.end.since_ns(lifetime.begin)),
        since(lifetime.begin),
        since(lifetime.end)
    )?;
    if let Some(creator) = lifetime.creator {
        let place = place(lifetime.creator_stack, found);
        write!(output, ", created by task:{} {place}", creator.0)?;
    }
    writeln!(output)
}

fn table_of(found: &FoundLife<'_>, lifetime: &TaskLifetime, most: usize) -> Table {
    let worker = Words::of(found.reading.is_of_go).worker;
    let header = ["begin", "duration", "state", worker, "where", "woken by"];
    let mut table = table::empty(&header, &["state", "where", "woken by"]);
    for interval in lifetime.intervals.iter().take(most) {
        table.add_row(row(interval, found));
    }
    table
}

fn row(interval: &LifeInterval, found: &FoundLife<'_>) -> [String; 6] {
    let waker = interval.woken_by.map_or_else(String::new, |waker| {
        let place = place(interval.waker_stack, found);
        format!("task:{} {place}", waker.0)
    });
    [
        since_first(interval.begin, found.reading.first),
        shown::duration(interval.end.since_ns(interval.begin)),
        state::with_reason(interval.state, &interval.reason),
        interval
            .worker
            .map_or_else(String::new, |worker| worker.0.to_string()),
        place(interval.stack, found),
        waker,
    ]
}

/// The innermost frame of a stack.
fn place(stack: Option<u32>, found: &FoundLife<'_>) -> String {
    let report = &found.reading.report;
    let innermost = stack.and_then(|stack| report.stacks[stack as usize].first());
    innermost.map_or_else(String::new, |&place| {
        let frame = &report.frames[place as usize];
        let (name, file) = (shown::name(&frame.name()), shown::name(&frame.file));
        format!("{name} {file}:{}", frame.line)
    })
}
