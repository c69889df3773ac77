//! What `exectrace info` prints for people.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use exectrace_format::{Format, Version};
use exectrace_json::{dropped_line, instant, loss_line};
use exectrace_reader::{Description, Mode, Survey, WireCount, WireCounts};

use super::examination::Examination;
use crate::advice;
use crate::damage;

/// Room for the words before the values.
const LABEL_COLUMNS: usize = 14;

/// Prints all that is known of a file.
pub(super) fn print(output: &mut impl Write, examination: &Examination<'_>) -> io::Result<()> {
    writeln!(output, "{}", examination.input.name)?;
    for (label, value) in rows(examination) {
        writeln!(output, "  {label:LABEL_COLUMNS$} {value}")?;
    }
    print_events(output, &examination.survey.event_counts)?;
    print_records(output, &WireCounts::of(examination.input.bytes()))?;
    writeln!(output)?;
    let first = examination.survey.inventory.span().unwrap_or_default().0;
    let (loss, repairs) = (&examination.survey.loss, &examination.survey.repairs);
    damage::print_places(output, loss, repairs, first)?;
    let verdict = if examination.survey.is_empty() {
        "empty"
    } else {
        examination.verdict.name()
    };
    match examination.reason() {
        None if examination.survey.is_empty() => {
            let reason = advice::on_empty(examination.input.bytes());
            writeln!(output, "  verdict: {verdict}: {reason}")
        }
        None => writeln!(output, "  verdict: {verdict}"),
        Some(reason) => writeln!(output, "  verdict: {verdict}: {reason}"),
    }
}

fn rows(examination: &Examination<'_>) -> Vec<(&'static str, String)> {
    let Examination { input, survey, .. } = examination;
    let mut rows = vec![("format", format_of(survey))];
    let size_bytes = input.bytes().len();
    rows.push(match input.packing {
        None => ("size", format!("{size_bytes} bytes")),
        Some(packing) => (
            "size",
            format!("{size_bytes} bytes, unpacked from {packing}"),
        ),
    });
    rows.extend(rows_of_description(&survey.description));
    if let Some(start) = survey.start.and_then(instant) {
        rows.push(("begin", start));
    }
    let (inventory, counted) = (&survey.inventory, survey.inventory.counted());
    if let Some((first, last)) = inventory.span() {
        let duration = Duration::from_nanos(last.since_ns(first).unsigned_abs());
        rows.push(("duration", format!("{duration:.3?}")));
    }
    rows.push(("events", counted.events.to_string()));
    if let Some(generations) = survey.contents.generations {
        rows.push(("generations", generations.to_string()));
    }
    rows.extend(rows_of_tasks(survey));
    rows.push(("threads", inventory.threads().to_string()));
    rows.push(("stacks", stacks_of(survey)));
    rows.push(("strings", survey.contents.strings.to_string()));
    rows.push(("CPU samples", counted.samples.to_string()));
    let begun_and_ended = |begun, ended| format!("{begun} begun, {ended} ended");
    rows.push((
        "user tasks",
        begun_and_ended(counted.user_tasks_begun, counted.user_tasks_ended),
    ));
    rows.push((
        "user regions",
        begun_and_ended(counted.user_regions_begun, counted.user_regions_ended),
    ));
    rows.push(("user logs", counted.user_logs.to_string()));
    if examination.mode == Mode::Tolerant {
        let first = inventory.span().unwrap_or_default().0;
        rows.push(("lost", loss_line(&survey.loss, first)));
        let inferred = match counted.inferred {
            0 => String::new(),
            count => format!("; {count} events inferred"),
        };
        rows.push(("repaired", format!("{}{inferred}", survey.repairs)));
    }
    rows
}

/// In the words of who wrote the trace.
fn rows_of_tasks(survey: &Survey) -> [(&'static str, String); 2] {
    let inventory = &survey.inventory;
    let (tasks, workers) = if survey.description.writer().is_some() {
        ("tasks", "workers")
    } else {
        ("goroutines", "procs")
    };
    let (seen, created) = (inventory.tasks_seen(), inventory.tasks_created());
    [
        (tasks, format!("{seen}, of them {created} created")),
        (
            workers,
            format!(
                "{}, at most {}",
                inventory.workers(),
                inventory.workers_max()
            ),
        ),
    ]
}

fn format_of(survey: &Survey) -> String {
    let Some((major, minor)) = survey.header() else {
        return String::from("none that is known");
    };
    let format = match survey.format() {
        Some(Format::V2) => "v2",
        _ => "v1",
    };
    match (survey.version, survey.read_as) {
        (Some(_), _) => format!("{format}, go {major}.{minor} trace"),
        (None, Some(version)) => {
            format!("{format}, go {major}.{minor} trace, which is not known: read as {version}")
        }
        (None, None) => format!("go {major}.{minor} trace, which is not known"),
    }
}

/// What a recording of ours says about itself.
fn stacks_of(survey: &Survey) -> String {
    let stacks = survey.contents.stacks;
    match survey.version {
        Some(Version::Go1_5) if stacks > 0 => {
            format!("{stacks}, of addresses alone: the names are in the program")
        }
        _ => stacks.to_string(),
    }
}

fn rows_of_description(description: &Description) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let Some(writer) = description.writer() else {
        return rows;
    };
    rows.push(("writer", writer.to_owned()));
    if let Some(program) = description.program() {
        let process = description
            .process_id()
            .map_or_else(String::new, |id| format!(" (process {id})"));
        rows.push(("program", format!("{}{process}", program.escape_debug())));
    }
    if let Some(cpu_time) = description.cpu_time() {
        rows.push(("CPU time", format!("{cpu_time:.3?}")));
    }
    if let Some(rate) = description.sample_rate() {
        let (wished, granted) = (rate.wished_hz, rate.effective_hz);
        rows.push((
            "sample rate",
            format!("{granted:.1} Hz of {wished:.1} wished"),
        ));
    }
    let dropped = match description.dropped() {
        None => String::from("nothing"),
        Some(dropped) => dropped_line(dropped),
    };
    rows.push(("dropped", dropped));
    rows
}

fn print_events(output: &mut impl Write, counts: &BTreeMap<String, u64>) -> io::Result<()> {
    let Some(width) = counts.keys().map(|name| name.chars().count()).max() else {
        return Ok(());
    };
    let heading = "events by kind";
    let width = width.max(heading.len());
    writeln!(output, "\n  {heading:width$} {:>12}", "count")?;
    for (name, count) in counts {
        writeln!(output, "  {name:width$} {count:>12}")?;
    }
    Ok(())
}

fn print_records(output: &mut impl Write, counts: &WireCounts) -> io::Result<()> {
    let Some(width) = counts.by_type.keys().map(|name| name.len()).max() else {
        return Ok(());
    };
    let heading = "records in the file";
    let width = width.max(heading.len());
    writeln!(
        output,
        "\n  {heading:width$} {:>12} {:>14}",
        "count", "bytes"
    )?;
    for (name, WireCount { records, bytes }) in &counts.by_type {
        writeln!(output, "  {name:width$} {records:>12} {bytes:>14}")?;
    }
    if counts.undecoded_bytes > 0 {
        let bytes = counts.undecoded_bytes;
        writeln!(
            output,
            "  {:width$} {:>12} {bytes:>14}",
            "(not decoded)", ""
        )?;
    }
    Ok(())
}
