//! Why something took so long, for people.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use exectrace_analysis::{ChainEnd, Link, PathPart};
use exectrace_json::since_first;
use exectrace_reader::State;

use super::{Arguments, Found};
use crate::{shown, state};

/// Characters of the bar of the whole.
const BAR: i64 = 30;

/// Frames that are shown of a stack.
const FRAMES: usize = 8;

/// Prints the path, and the chain.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let subject = &found.report.subject;
    writeln!(
        output,
        "{}: {} {} took {}, from {} to {}{}",
        found.file,
        subject.id,
        shown::told(&subject.name),
        shown::duration(subject.ns()),
        since_first(subject.begin, found.first),
        since_first(subject.end, found.first),
        match (subject.is_open_left, subject.is_open_right) {
            (false, false) => "",
            (true, false) => ", and began before",
            (false, true) => ", and goes on",
            (true, true) => ", began before and goes on",
        }
    )?;
    for (ns, what) in [
        (subject.gc_ns, "a garbage collector marked for"),
        (subject.stopped_ns, "the world was stopped for"),
    ] {
        if ns > 0 {
            writeln!(output, "  meanwhile {what} {}", shown::duration(ns))?;
        }
    }
    print_path(output, found, arguments)?;
    print_chain(output, found)
}

fn print_path(output: &mut impl Write, found: &Found<'_>, arguments: &Arguments) -> io::Result<()> {
    let most = arguments.most;
    let report = &found.report;
    writeln!(output, "\nwhere the time went")?;
    let whole_ns = report.subject.ns();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    for part in report.path.iter().take(most) {
        table.add_row(row(part, whole_ns));
    }
    for place in [0, 1] {
        if let Some(column) = table.column_mut(place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        writeln!(output, " {}", line.trim_end())?;
    }
    let rest = report.path.len().saturating_sub(most);
    if rest > 0 {
        writeln!(output, "  and {rest} more: --most 0 prints all")?;
    }
    Ok(())
}

fn row(part: &PathPart, whole_ns: i64) -> [String; 5] {
    let share = |of: i64| (part.ns as f64 / whole_ns.max(1) as f64 * of as f64).round();
    let whose = if part.is_own { "itself" } else { "another" };
    [
        shown::duration(part.ns),
        format!("{:.0} %", share(100)),
        "#".repeat(share(BAR) as usize),
        state::with_reason(part.state, &part.reason),
        format!("{whose}: {}", shown::told(&part.function)),
    ]
}

fn print_chain(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let report = &found.report;
    let Some(end) = report.chain_end else {
        return writeln!(output, "\nit was never blocked");
    };
    writeln!(output, "\nwho waited for whom")?;
    for (index, link) in report.chain.iter().enumerate() {
        print_link(output, found, link, index > 0)?;
    }
    let last = match end {
        ChainEnd::Timer => "a timer woke it",
        ChainEnd::Network => "the network woke it",
        ChainEnd::NotBlocked => "it waited for nobody then",
        ChainEnd::StillBlocked => "it is not woken in this part of the trace",
        ChainEnd::Cut => "and so on",
        _ => "who woke it is not told",
    };
    writeln!(output, "  {last}")
}

fn print_link(
    output: &mut impl Write,
    found: &Found<'_>,
    link: &Link,
    is_waker: bool,
) -> io::Result<()> {
    let did = match link.state {
        State::Running => String::from("ran"),
        _ => format!("was {}", state::with_reason(link.state, &link.reason)),
    };
    let meanwhile = if is_waker { ", which meanwhile" } else { "" };
    writeln!(
        output,
        "  task:{} {}{meanwhile} {did} for {}, from {} on",
        link.task.0,
        shown::told(&link.function),
        shown::duration(link.end.since_ns(link.begin)),
        since_first(link.begin, found.first),
    )?;
    print_stack(output, found, &link.stack)?;
    if let Some(waker) = link.woken_by {
        writeln!(output, "  it was woken by task:{}", waker.0)?;
        print_stack(output, found, &link.waker_stack)?;
    }
    Ok(())
}

fn print_stack(output: &mut impl Write, found: &Found<'_>, stack: &[u32]) -> io::Result<()> {
    for &place in stack.iter().take(FRAMES) {
        let frame = &found.report.frames[place as usize];
        let (name, file) = (shown::name(&frame.name()), shown::name(&frame.file));
        writeln!(output, "      {name} {file}:{}", frame.line)?;
    }
    if stack.len() > FRAMES {
        writeln!(output, "      and {} more frames", stack.len() - FRAMES)?;
    }
    Ok(())
}
