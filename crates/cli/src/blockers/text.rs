//! Blockers for people: a table, those that made others wait longest in all first.

use std::io::{self, Write};

use comfy_table::Table;
use exectrace_analysis::{Blocker, BlockersReport, Id, NamedFrame, Waker};

use super::{Arguments, Found};
use crate::words::Words;
use crate::{shown, table, units};

/// Prints a head and a table.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let report = &found.reading.report;
    writeln!(output, "{}: {}", found.file, head(report))?;
    let most = arguments.most;
    if report.blockers.is_empty() {
        return Ok(());
    }
    let table = table_of(found, most);
    let mut lines = table.lines();
    writeln!(output, "{}", lines.next().unwrap_or_default().trim_end())?;
    for (line, blocker) in lines.zip(&report.blockers) {
        writeln!(output, "{}", line.trim_end())?;
        if arguments.stacks {
            print_stack(output, report, "woken by", &blocker.waker_stack)?;
            print_stack(output, report, "waited at", &blocker.stack)?;
        }
    }
    table::rest(output, report.blockers.len().saturating_sub(most))
}

fn head(report: &BlockersReport) -> String {
    let mut head = format!(
        "{} lost in {} that ended",
        shown::duration(report.ns),
        units::count(report.count, "wait")
    );
    if report.open_count > 0 {
        head += &format!(
            "; {} in {} that went on",
            shown::duration(report.open_ns),
            report.open_count
        );
    }
    head
}

fn table_of(found: &Found<'_>, most: usize) -> Table {
    let report = &found.reading.report;
    let texts = ["of", "waited for", "woken by", "waited at"];
    let header = [&["lost", "waits", "longest"][..], &texts].concat();
    let mut table = table::empty(&header, &texts);
    for blocker in report.blockers.iter().take(most) {
        let reason = shown::told(&blocker.reason);
        table.add_row([
            shown::duration(blocker.ns),
            blocker.count.to_string(),
            shown::duration(blocker.longest.ns),
            Id::Task(blocker.longest.task).to_string(),
            reason,
            waker(blocker, found),
            place(report, &blocker.stack),
        ]);
    }
    table
}

fn waker(blocker: &Blocker, found: &Found<'_>) -> String {
    let task = Words::of(found.reading.is_of_go).task;
    match blocker.waker {
        Waker::Timer => String::from("(a timer)"),
        Waker::Network => String::from("(the network)"),
        Waker::Code if blocker.waker_stack.is_empty() => format!("(a {task}, no stack)"),
        Waker::Code => place(&found.reading.report, &blocker.waker_stack),
        _ => format!("(no {task}: a timer or the runtime)"),
    }
}

/// What says most of a stack: its innermost frame that is the program's own, or the innermost.
fn place(report: &BlockersReport, stack: &[u32]) -> String {
    let mut frames = report.frames_of(stack);
    let innermost = frames.clone().next();
    match frames.find(|frame| !frame.is_of_library()).or(innermost) {
        Some(frame) => shown_frame(frame),
        None => String::from("[no stack]"),
    }
}

fn shown_frame(frame: &NamedFrame) -> String {
    let name = shown::name(&frame.name());
    let file = frame.file.rsplit('/').next().unwrap_or_default();
    match file {
        "" => name,
        file => format!("{name} {}:{}", shown::name(file), frame.line),
    }
}

fn print_stack(
    output: &mut impl Write,
    report: &BlockersReport,
    title: &str,
    stack: &[u32],
) -> io::Result<()> {
    for (place, frame) in report.frames_of(stack).enumerate() {
        let title = if place == 0 { title } else { "" };
        let (name, file) = (shown::name(&frame.name()), shown::name(&frame.file));
        writeln!(output, "    {title:9}  {name} {file}:{}", frame.line)?;
    }
    Ok(())
}
