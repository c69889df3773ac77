//! The use of workers for people: a strip each, and threads.

use std::io::{self, Write};

use exectrace_analysis::{ThreadUse, WorkersReport};

use super::Found;
use crate::shown::{self, duration};
use crate::table;
use crate::units;
use crate::words::Words;

/// How many characters a strip has at most.
const STRIP_CHARS_MAX: usize = 64;

/// Prints workers, then threads.
pub(super) fn print(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let report = &found.reading.report;
    let all_ns = report.end.since_ns(report.begin);
    let word = Words::of(found.reading.is_of_go).worker;
    let workers = units::count(report.workers.len() as u64, word);
    let threads = units::count(report.threads.len() as u64, "thread");
    writeln!(
        output,
        "{}: {workers}, {threads}, {}",
        found.file,
        duration(all_ns)
    )?;
    if !report.workers.is_empty() {
        workers_table(output, found, report, all_ns)?;
    }
    if report.in_syscalls.iter().any(|&tasks| tasks > 0.0) {
        in_syscalls(output, report)?;
    }
    if !report.threads.is_empty() {
        threads_table(output, found, &report.threads, all_ns)?;
    }
    Ok(())
}

fn workers_table(
    output: &mut impl Write,
    found: &Found<'_>,
    report: &WorkersReport,
    all_ns: i64,
) -> io::Result<()> {
    let strip_ns = report.bucket_ns * in_character(report.workers[0].busy.len()) as i64;
    let strip_name = format!("busy, a character for {}", duration(strip_ns));
    let word = Words::of(found.reading.is_of_go).worker;
    let header = [
        word,
        "busy",
        "on a thread",
        "parks",
        "starts",
        "steals",
        &strip_name,
        "thread",
    ];
    let mut table = table::empty(&header, &[word, &strip_name, "thread"]);
    for worker in report.workers.iter().take(found.most) {
        let share = |ns: i64| units::percent(ns as f64 / all_ns.max(1) as f64);
        table.add_row([
            format!("worker:{}", worker.worker.0),
            share(worker.busy_ns),
            share(worker.on_thread_ns),
            worker.parks.to_string(),
            worker.starts.to_string(),
            worker.steals.to_string(),
            format!("▕{}▏", strip(&worker.busy, 1.0)),
            worker.name.as_deref().map_or_else(String::new, shown::name),
        ]);
    }
    table::print(output, &table)?;
    table::rest(output, report.workers.len().saturating_sub(found.most))
}

/// How many buckets stand in a character.
fn in_character(buckets: usize) -> usize {
    buckets.div_ceil(STRIP_CHARS_MAX).max(1)
}

/// The means of buckets, against the most.
fn strip(values: &[f64], most: f64) -> String {
    let chunks = values.chunks(in_character(values.len()));
    let means = chunks.map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64);
    units::strip(means.map(|mean| Some(mean / most)))
}

fn in_syscalls(output: &mut impl Write, report: &WorkersReport) -> io::Result<()> {
    let most = report.in_syscalls.iter().copied().fold(0.0, f64::max);
    let strip = strip(&report.in_syscalls, most);
    writeln!(
        output,
        "\nin system calls ▕{strip}▏ at most {most:.1} at once"
    )
}

fn threads_table(
    output: &mut impl Write,
    found: &Found<'_>,
    threads: &[ThreadUse],
    all_ns: i64,
) -> io::Result<()> {
    writeln!(output)?;
    let header = [
        "thread",
        "ran",
        "in system calls",
        "starts",
        "system calls",
        "name",
    ];
    let mut table = table::empty(&header, &["thread", "name"]);
    for thread in threads.iter().take(found.most) {
        let share = |ns: i64| units::percent(ns as f64 / all_ns.max(1) as f64);
        table.add_row([
            format!("thread:{}", thread.thread.0),
            share(thread.running_ns),
            share(thread.syscall_ns),
            thread.starts.to_string(),
            thread.syscalls.to_string(),
            thread.name.as_deref().map_or_else(String::new, shown::name),
        ]);
    }
    table::print(output, &table)?;
    table::rest(output, threads.len().saturating_sub(found.most))
}
