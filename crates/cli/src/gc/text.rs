//! The garbage collector for people: tables, the heap as a strip, and what is left by window.

use std::io::{self, Write};

use exectrace_analysis::{
    Distribution, GcCycle, GcReport, GcStop, Heap, MutatorUtilizationReport, UtilizationPoint,
};
use exectrace_json::since_first;
use exectrace_reader::Timestamp;

use super::Found;
use crate::shown::{self, duration};
use crate::table;
use crate::units;
use crate::words::Words;

/// Prints all that was found.
pub(super) fn print(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let (gc, utilization) = &found.reading.report;
    let cycles = units::count(gc.cycles.len() as u64, "collection");
    let stops = units::count(gc.stops_total as u64, "stop");
    writeln!(output, "{}: {cycles}, {stops} of the world", found.file)?;
    if !gc.cycles.is_empty() {
        cycles_table(output, found, gc)?;
    }
    if gc.stops_total > 0 {
        stops_tables(output, found, gc)?;
    }
    assists(output, found, gc)?;
    if let Some(sweeps) = &gc.sweeps {
        let (swept, reclaimed) = (gc.swept_bytes, gc.reclaimed_bytes);
        let (swept, reclaimed) = (units::bytes(swept), units::bytes(reclaimed));
        let sweeps_spread = spread(sweeps);
        writeln!(
            output,
            "\nsweeps: {sweeps_spread}; swept {swept}, got back {reclaimed}"
        )?;
    }
    if let Some(heap) = &gc.heap {
        heap_strips(output, heap)?;
    }
    let words = Words::of(found.reading.is_of_go);
    curves(output, found.reading.first, utilization, words)
}

/// How many, how long in all, and how the lengths are spread.
fn spread(spread: &Distribution) -> String {
    let [sum, p50, p99, max] = [spread.sum, spread.p50, spread.p99, spread.max].map(duration);
    format!(
        "{}, {sum} in all, p50 {p50}, p99 {p99}, max {max}",
        spread.count
    )
}

/// When it began, or the trace if it was before that.
fn begin(time: Timestamp, is_open: bool, first: Timestamp) -> String {
    let open = if is_open { "before " } else { "" };
    format!("{open}{}", since_first(time, first))
}

/// How long it took; at least so long if an end is open.
fn took(ns: i64, is_open_left: bool, is_open_right: bool) -> String {
    let is_open = is_open_left || is_open_right;
    let at_least = if is_open { "at least " } else { "" };
    format!("{at_least}{}", duration(ns))
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, units::bytes)
}

fn cycles_table(output: &mut impl Write, found: &Found<'_>, gc: &GcReport) -> io::Result<()> {
    writeln!(output, "\ncollections")?;
    let header = [
        "begin",
        "marking",
        "stopped",
        "assists",
        "assisted",
        "live before",
        "live after",
        "goal",
    ];
    let mut table = table::empty(&header, &[]);
    for cycle in gc.cycles.iter().take(found.most) {
        let GcCycle {
            is_open_left,
            is_open_right,
            ..
        } = *cycle;
        table.add_row([
            begin(cycle.begin, is_open_left, found.reading.first),
            took(cycle.ns(), is_open_left, is_open_right),
            duration(cycle.stopped_ns),
            cycle.assists.to_string(),
            duration(cycle.assist_ns),
            bytes(cycle.live_begin_bytes),
            bytes(cycle.live_end_bytes),
            bytes(cycle.goal_bytes),
        ]);
    }
    table::print(output, &table)?;
    table::rest(output, gc.cycles.len().saturating_sub(found.most))
}

fn stops_tables(output: &mut impl Write, found: &Found<'_>, gc: &GcReport) -> io::Result<()> {
    writeln!(output, "\nstops of the world")?;
    let header = ["reason", "stops", "in all", "p50", "p99", "max"];
    let mut table = table::empty(&header, &["reason"]);
    for of_reason in &gc.stop_reasons {
        let stops = &of_reason.stops;
        let [sum, p50, p99, max] = [stops.sum, stops.p50, stops.p99, stops.max].map(duration);
        let reason = shown::name(&of_reason.reason);
        table.add_row([reason, stops.count.to_string(), sum, p50, p99, max]);
    }
    table::print(output, &table)?;
    writeln!(output, "\nthe longest stops")?;
    let header = ["begin", "stopped", "reason", "by"];
    let mut table = table::empty(&header, &["reason", "by"]);
    for stop in &gc.stops {
        let GcStop {
            is_open_left,
            is_open_right,
            ..
        } = *stop;
        table.add_row([
            begin(stop.begin, is_open_left, found.reading.first),
            took(stop.ns(), is_open_left, is_open_right),
            shown::name(&stop.reason),
            format!("task:{} {}", stop.task.0, shown::name(&stop.function)),
        ]);
    }
    table::print(output, &table)?;
    table::rest(output, gc.stops_total - gc.stops.len())
}

fn assists(output: &mut impl Write, found: &Found<'_>, gc: &GcReport) -> io::Result<()> {
    if gc.assist_functions.is_empty() {
        return Ok(());
    }
    let closed = gc
        .assists
        .as_ref()
        .map_or_else(|| String::from("none"), spread);
    let open = match gc.assists_open {
        0 => String::new(),
        open => format!("; and {open} not seen as a whole"),
    };
    writeln!(output, "\nassists: {closed}{open}")?;
    let mut table = table::empty(&["function", "assists", "in all"], &["function"]);
    for of_function in gc.assist_functions.iter().take(found.most) {
        let function = shown::told(&of_function.function);
        let in_all = duration(of_function.ns);
        table.add_row([function, of_function.count.to_string(), in_all]);
    }
    table::print(output, &table)?;
    table::rest(output, gc.assist_functions.len().saturating_sub(found.most))
}

fn heap_strips(output: &mut impl Write, heap: &Heap) -> io::Result<()> {
    let most = heap.live_bytes_max.max(heap.goal_bytes_max).max(1);
    let point = duration(heap.point_ns);
    writeln!(
        output,
        "\nheap, a character for {point}, at most {}",
        units::bytes(most)
    )?;
    let share = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / most as f64);
    let live = heap.points.iter().map(|point| share(point.live_bytes_max));
    let most_live = units::bytes(heap.live_bytes_max);
    writeln!(output, "  live {}  most {most_live}", units::strip(live))?;
    if heap.goal_bytes_max > 0 {
        let goal = heap.points.iter().map(|point| share(point.goal_bytes));
        let most_goal = units::bytes(heap.goal_bytes_max);
        writeln!(output, "  goal {}  most {most_goal}", units::strip(goal))?;
    }
    Ok(())
}

fn curves(
    output: &mut impl Write,
    first: Timestamp,
    utilization: &MutatorUtilizationReport,
    words: Words,
) -> io::Result<()> {
    let curves = &utilization.curves;
    let all = curves.iter().flat_map(|curve| &curve.points);
    if all.clone().all(|point| point.utilization >= 1.0) {
        return Ok(());
    }
    writeln!(
        output,
        "\nthe least that is left of the {} in any window, if what counts are",
        words.workers
    )?;
    let each = format!("each {}", words.worker);
    let header = [
        "window",
        "stops",
        "and marking",
        "and sweeping",
        each.as_str(),
        "the worst windows of marking at",
    ];
    let mut table = table::empty(&header, &[header[5]]);
    let lengths = curves.first().map_or(0, |curve| curve.points.len());
    for length in 0..lengths {
        let points: Vec<&UtilizationPoint> = curves
            .iter()
            .filter_map(|curve| curve.points.get(length))
            .collect();
        let is_seen = points.iter().any(|point| point.utilization > 0.0);
        // Windows so short that nothing is left of some say nothing.
        if !is_seen && length + 1 < lengths {
            continue;
        }
        let mut row = vec![duration(points[0].window_ns)];
        row.extend(points.iter().map(|point| units::percent(point.utilization)));
        let worst = points.get(1).map_or(&[][..], |point| &point.worst);
        let worst = worst.iter().take(3);
        let worst: Vec<String> = worst.map(|it| since_first(it.begin, first)).collect();
        row.push(worst.join(", "));
        table.add_row(row);
    }
    table::print(output, &table)
}
