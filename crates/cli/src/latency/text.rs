//! Latencies for people: a table of names, or those of one name with bars and the longest.

use std::io::{self, Write};

use exectrace_analysis::{
    AnnotationKind, Distribution, Histogram, LatencyGroup, LatencyInstance, LatencyPart,
    LatencyReport, LatencyStrayEnd, OpenEnds,
};
use exectrace_json::since_first;
use exectrace_reader::{Timestamp, UserTaskId};

use super::Found;
use crate::shown::{self, duration};
use crate::table;
use crate::units;

/// Prints what is asked for.
pub(super) fn print(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let report = &found.reading.report;
    match &found.asked.name {
        None => names(output, found.file, report, found.asked.most)?,
        Some(name) => {
            if report.groups.is_empty() {
                let name = units::name(name);
                writeln!(output, "{}: no user task or region {name}", found.file)?;
            }
            for (index, group) in report.groups.iter().enumerate() {
                if index > 0 {
                    writeln!(output)?;
                }
                one(output, found, group)?;
            }
        }
    }
    stray_ends(output, found)
}

fn names(
    output: &mut impl Write,
    file: &str,
    report: &LatencyReport,
    most: usize,
) -> io::Result<()> {
    let count = |kind| {
        let groups = report.groups.iter().filter(|group| group.kind == kind);
        groups.map(LatencyGroup::count).sum()
    };
    let user_tasks = units::count(count(AnnotationKind::UserTask), "user task");
    let regions = units::count(count(AnnotationKind::Region), "region");
    writeln!(output, "{file}: {user_tasks}, {regions}")?;
    if report.groups.is_empty() {
        return Ok(());
    }
    let header = [
        "name", "kind", "closed", "open", "min", "mean", "p50", "p90", "p99", "max",
    ];
    let mut table = table::empty(&header, &["name", "kind"]);
    for group in report.groups.iter().take(most) {
        let open = group.open_left.count + group.open_right.count + group.open_both.count;
        let closed = group.closed.as_ref();
        let mut row = vec![
            name_of(group.name.as_deref()),
            kind(group.kind).to_owned(),
            closed.map_or(0, |closed| closed.count).to_string(),
            open.to_string(),
        ];
        row.extend(spread(closed));
        table.add_row(row);
    }
    table::print(output, &table)?;
    table::rest(output, report.groups.len().saturating_sub(most))
}

/// Least, mean, percentiles and most.
fn spread(closed: Option<&Distribution>) -> [String; 6] {
    let Some(closed) = closed else {
        return Default::default();
    };
    [
        closed.min,
        closed.mean.round() as i64,
        closed.p50,
        closed.p90,
        closed.p99,
        closed.max,
    ]
    .map(duration)
}

/// Prints those of one name.
fn one(output: &mut impl Write, found: &Found<'_>, group: &LatencyGroup) -> io::Result<()> {
    let (file, kind) = (found.file, kind(group.kind));
    let name = name_of(group.name.as_deref());
    let closed = group.closed.map_or(0, |closed| closed.count);
    writeln!(output, "{file}: {kind} {name}: {closed} closed")?;
    if let Some(closed) = &group.closed {
        let names = ["min", "mean", "p50", "p90", "p99", "max"].into_iter();
        let values = names.zip(spread(Some(closed)));
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        writeln!(output, "  {}", values.join("  "))?;
    }
    for (open, what) in [
        (group.open_left, "began before the trace"),
        (group.open_right, "had not ended"),
        (group.open_both, "began before the trace and had not ended"),
    ] {
        let OpenEnds {
            count, at_least_ns, ..
        } = open;
        if count > 0 {
            let longest = duration(at_least_ns);
            writeln!(
                output,
                "  and {count} that {what}: the longest took at least {longest}"
            )?;
        }
    }
    histogram(output, &group.histogram)?;
    if !group.worst.is_empty() {
        writeln!(output, "\n  the longest")?;
    }
    for instance in &group.worst {
        worst(output, instance, found.reading.first)?;
    }
    let rest = group.count().saturating_sub(group.worst.len() as u64);
    table::rest(output, usize::try_from(rest).unwrap_or(usize::MAX))
}

fn histogram(output: &mut impl Write, histogram: &Histogram) -> io::Result<()> {
    let most = histogram
        .bins
        .iter()
        .map(|bin| bin.count)
        .max()
        .unwrap_or_default();
    if histogram.bins.is_empty() {
        return Ok(());
    }
    writeln!(output)?;
    let header = ["from", "below", "count", "bar"];
    let mut table = table::empty(&header, &["bar"]);
    for bin in &histogram.bins {
        let share = bin.count as f64 / most.max(1) as f64;
        table.add_row([
            duration(bin.from),
            duration(bin.to),
            bin.count.to_string(),
            units::bar(share, units::BAR_CHARS),
        ]);
    }
    // The numbers need no names.
    for line in table.lines().skip(1) {
        writeln!(output, "  {}", line.trim_end())?;
    }
    Ok(())
}

fn worst(output: &mut impl Write, instance: &LatencyInstance, first: Timestamp) -> io::Result<()> {
    let whole = &instance.whole;
    write!(output, "  {} ", took(whole))?;
    if let (AnnotationKind::UserTask, Some(id)) = (whole.kind, whole.user_task) {
        write!(output, " user:{}", id.0)?;
    }
    let begin = since_first(whole.begin, first);
    write!(output, " task:{} at {begin}", whole.task.0)?;
    if !instance.function.is_empty() {
        write!(output, " in {}", shown::name(&instance.function))?;
    }
    if let Some(parent) = &instance.parent {
        let parent = user_task(parent.user_task, parent.name.as_deref());
        write!(output, ", part of {parent}")?;
    }
    writeln!(output)?;
    for part in &instance.parts {
        let since = duration(part.begin.since_ns(whole.begin));
        let what = match (part.kind, part.user_task) {
            (AnnotationKind::UserTask, Some(id)) => user_task(id, part.name.as_deref()),
            (kind_of, _) => format!("{} {}", kind(kind_of), name_of(part.name.as_deref())),
        };
        let (took, task) = (took(part), part.task.0);
        writeln!(output, "      {took}  +{since}  {what}, task:{task}")?;
    }
    rest(output, instance.parts_total - instance.parts.len(), "part")?;
    for log in &instance.logs {
        let since = duration(log.moment.time.since_ns(whole.begin));
        let (key, message) = (units::name(&log.key), units::name(&log.message));
        let task = log.moment.task.0;
        writeln!(output, "      log  +{since}  task:{task}  {key}: {message}")?;
    }
    rest(output, instance.logs_total - instance.logs.len(), "log")
}

fn rest(output: &mut impl Write, rest: usize, thing: &str) -> io::Result<()> {
    match rest {
        0 => Ok(()),
        rest => writeln!(
            output,
            "      and {} more",
            units::count(rest as u64, thing)
        ),
    }
}

fn stray_ends(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let stray_ends = &found.reading.report.stray_ends;
    if stray_ends.is_empty() {
        return Ok(());
    }
    writeln!(
        output,
        "\nends that end nothing: what they name has ended before, or is not open"
    )?;
    for LatencyStrayEnd {
        kind: kind_of,
        name,
        moment,
        ..
    } in stray_ends.iter().take(found.asked.most)
    {
        let time = since_first(moment.time, found.reading.first);
        let (kind, name) = (kind(*kind_of), name_of(name.as_deref()));
        writeln!(
            output,
            "  {kind} {name} by task:{} at {time}",
            moment.task.0
        )?;
    }
    table::rest(output, stray_ends.len().saturating_sub(found.asked.most))
}

/// How long it took; at least so long if an end is open.
fn took(part: &LatencyPart) -> String {
    let is_open = part.is_open_left || part.is_open_right;
    let at_least = if is_open { "at least " } else { "" };
    format!("{at_least}{}", duration(part.ns()))
}

fn user_task(id: UserTaskId, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("user task {} {}", id.0, units::name(name)),
        None => format!("user task {} (began before the trace)", id.0),
    }
}

fn kind(kind: AnnotationKind) -> &'static str {
    match kind {
        AnnotationKind::UserTask => "user task",
        AnnotationKind::Region => "region",
    }
}

fn name_of(name: Option<&str>) -> String {
    name.map_or_else(|| String::from("(began before the trace)"), units::name)
}
