//! The summary for people: what fits on a screen.

use std::io::{self, Write};

use exectrace_analysis::{
    LoadBucket, LoadReport, REQUEST_BUCKETS, RequestId, RequestsReport, Shortage,
};
use exectrace_json::since_first;

use super::{Arguments, Found};
use crate::findings;
use crate::shown::{duration, told};
use crate::tone::Tone;
use crate::words::Words;
use crate::{table, units};

/// Bars by eighths of a line, nothing first.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Prints the summary.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let (load, requests, findings) = &found.reading.report;
    let words = Words::of(found.reading.is_of_go);
    let span = duration(findings.span_ns);
    let trust = match found.distrust {
        None => Tone::Good.of("whole"),
        Some(distrust) => Tone::Bad.of(distrust),
    };
    writeln!(output, "{}: {trust}, {span}", found.file)?;
    let shortage = Shortage::of(load, findings);
    writeln!(output, "The program is {}.", sentence(shortage, words))?;
    strips(output, load, findings.span_ns, found.reading.is_of_go)?;
    print_requests(output, requests, found, arguments)?;
    writeln!(output)?;
    let first = found.reading.first;
    findings::print_list(output, findings, arguments.most, first, words)
}

/// What a program is short of, in a sentence.
fn sentence(shortage: Shortage, words: Words) -> String {
    let Words { tasks, workers, .. } = words;
    match shortage {
        Shortage::Cpu => {
            format!("short of CPU: its {workers} are busy, and {tasks} wait for them")
        }
        Shortage::Workers => format!(
            "short of free {workers}: some are held by {tasks} that do not let go of them, or idle where there is no work"
        ),
        Shortage::Locks => {
            format!("held up by locks: {tasks} wait for each other to let them go")
        }
        Shortage::Memory => format!(
            "held up by its memory: the collector or the allocator takes the time of {tasks}"
        ),
        _ => format!(
            "short of nothing in itself: its {tasks} wait for what is outside, or for each other"
        ),
    }
}

/// How busy the program was: a line a kind of load, with its course.
fn strips(
    output: &mut impl Write,
    load: &LoadReport,
    span_ns: i64,
    is_of_go: bool,
) -> io::Result<()> {
    let span = span_ns as f64;
    let Words { tasks, worker, .. } = Words::of(is_of_go);
    let workers = load.workers.max(1) as f64;
    let busy = load.busy(span_ns) * 100.0;
    let of_workers = units::count(load.workers, worker);
    // Nothing of nothing is nothing.
    let mean = |ns: i64| if span_ns > 0 { ns as f64 / span } else { 0.0 };
    let strip = |of: fn(&LoadBucket) -> i64, least: f64| {
        let bucket_ns = load.bucket_ns as f64;
        let values = load
            .buckets
            .iter()
            .map(|bucket| of(bucket) as f64 / bucket_ns);
        course(&joined(values.collect()), least)
    };
    if load.workers > 0 {
        let course = strip(|bucket| bucket.running_ns, workers);
        writeln!(output, "  busy      {course}  {busy:.0} % of {of_workers}")?;
    }
    let course = strip(|bucket| bucket.runnable_ns, 1.0);
    let queued = load.queued(span_ns);
    writeln!(
        output,
        "  queue     {course}  {queued:.1} {tasks} on average"
    )?;
    let course = strip(|bucket| bucket.syscall_ns, 1.0);
    let calling = mean(load.sums.syscall_ns);
    writeln!(
        output,
        "  syscalls  {course}  {calling:.1} {tasks} on average"
    )?;
    if is_of_go {
        let course = strip(|bucket| bucket.gc_ns, 1.0);
        let (share, stopped) = (mean(load.sums.gc_ns), mean(load.sums.stopped_ns));
        let (share, stopped) = (share * 100.0, stopped * 100.0);
        writeln!(
            output,
            "  GC        {course}  {share:.1} % of the time, the world stopped for {stopped:.2} %"
        )?;
    }
    Ok(())
}

/// At most as many values as a line has room for: the largest of each stretch.
fn joined(values: Vec<f64>) -> Vec<f64> {
    let stretch = values.len().div_ceil(REQUEST_BUCKETS).max(1);
    let stretches = values.chunks(stretch);
    let largest = stretches.map(|stretch| stretch.iter().fold(0.0, |a: f64, b| a.max(*b)));
    largest.collect()
}

/// Values as bars beside each other; the full height is the largest of them, and `least` at least.
fn course(values: &[f64], least: f64) -> String {
    let most = values.iter().fold(least, |a, b| a.max(*b));
    let bars = values.iter().map(|value| {
        let eighths = (value / most * 8.0).ceil().clamp(0.0, 8.0);
        HEIGHTS[eighths as usize]
    });
    bars.collect()
}

fn print_requests(
    output: &mut impl Write,
    requests: &RequestsReport,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    if requests.groups.is_empty() {
        return Ok(());
    }
    let is_of_user_tasks = matches!(
        requests.worst.first().map(|request| request.id),
        Some(RequestId::UserTask(_))
    );
    let what = match (is_of_user_tasks, found.reading.is_of_go) {
        (true, _) => "user task",
        (false, true) => "goroutine by function",
        (false, false) => "task by function",
    };
    writeln!(output)?;
    let header = [
        what,
        "count",
        "p50",
        "p90",
        "p99",
        "max",
        "longest over time",
    ];
    let mut table = table::empty(&header, &[what, "longest over time"]);
    for group in requests.groups.iter().take(arguments.most) {
        let spread = &group.spread;
        let mut row = vec![told(&group.name), spread.count.to_string()];
        row.extend([spread.p50, spread.p90, spread.p99, spread.max].map(duration));
        let values: Vec<f64> = group.max_ns.iter().map(|&ns| ns as f64).collect();
        row.push(course(&values, 1.0));
        table.add_row(row);
    }
    table::print(output, &table)?;
    table::rest(output, requests.groups.len().saturating_sub(arguments.most))?;
    writeln!(output, " the longest")?;
    for request in &requests.worst {
        let id = match request.id {
            RequestId::UserTask(id) => format!("user:{}", id.0),
            RequestId::Task(id) => format!("task:{}", id.0),
        };
        let (took, name) = (duration(request.ns), told(&request.name));
        let begin = since_first(request.begin, found.reading.first);
        writeln!(output, "  {took:>8}  {id}  {name} at {begin}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_course_of_values_shows_what_is_not_nothing() {
        assert_eq!(course(&[0.0, 0.001, 0.5, 1.0], 1.0), " ▁▄█");
        assert_eq!(course(&[0.0, 2.0, 4.0], 1.0), " ▄█");
        assert_eq!(course(&[], 1.0), "");
        assert_eq!(joined((0..300).map(f64::from).collect()).len(), 60);
        assert_eq!(joined(vec![1.0, 2.0]), [1.0, 2.0]);
    }
}
