//! What `exectrace info --json` prints; `docs/command.md` tells of each key.

use std::collections::BTreeMap;
use std::io::{self, Write};

use exectrace_format::Format;
use exectrace_reader::Verdict;
use serde::Serialize;

use super::examination::Examination;
use super::text::instant;

/// A file as JSON has it. What a format does not have is null.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    format: Option<&'static str>,
    header: Option<String>,
    verdict: &'static str,
    reason: Option<String>,
    is_empty: bool,
    packing: Option<String>,
    size_bytes: usize,
    events: Option<u64>,
    event_counts: Option<&'a BTreeMap<String, u64>>,
    g_seen: Option<usize>,
    g_created: Option<usize>,
    procs: Option<usize>,
    gomaxprocs_max: Option<u64>,
    stacks: Option<u64>,
    strings: u64,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    tasks_begun: Option<u64>,
    tasks_ended: Option<u64>,
    regions_begun: Option<u64>,
    regions_ended: Option<u64>,
    logs: Option<u64>,
    cpu_samples: Option<u64>,
    threads: Option<usize>,
    generations: Option<u64>,
    syncs: Option<u64>,
    start_time: Option<String>,
    writer: Option<&'a str>,
    program: Option<&'a str>,
    process_id: Option<u64>,
    dropped: Option<DroppedLine>,
}

/// What a recorder of ours could not write.
#[derive(Serialize)]
struct DroppedLine {
    hooks: u64,
    batches: u64,
    nested: u64,
    cpu_samples: u64,
}

/// Prints a line.
pub(super) fn print(output: &mut impl Write, examination: &Examination) -> io::Result<()> {
    serde_json::to_writer(&mut *output, &line(examination))?;
    writeln!(output)
}

fn line(examination: &Examination) -> Line<'_> {
    let Examination { source, survey, .. } = examination;
    let (inventory, counted) = (&survey.inventory, survey.inventory.counted());
    let (first, last) = inventory.span().unwrap_or_default();
    let format = survey.format();
    let is_v2 = format == Some(Format::V2);
    let description = &survey.description;
    // A file of format v1 has an order, and so events, as a whole or not at all.
    let has_order = is_v2 || examination.survey.verdict != Verdict::Refused;
    Line {
        file: &examination.name,
        format: format.map(|format| match format {
            Format::V1 => "v1",
            Format::V2 => "v2",
        }),
        header: survey
            .header()
            .map(|(major, minor)| format!("{major}.{minor}")),
        verdict: examination.verdict.name(),
        reason: examination.reason(),
        is_empty: survey.is_empty(),
        packing: source.packing().map(|packing| packing.to_string()),
        size_bytes: source.bytes().len(),
        events: has_order.then_some(counted.events),
        event_counts: Some(&survey.event_counts).filter(|counts| !counts.is_empty()),
        g_seen: has_order.then_some(inventory.tasks_seen()),
        g_created: has_order.then_some(inventory.tasks_created()),
        procs: has_order.then_some(inventory.workers()),
        gomaxprocs_max: has_order.then_some(inventory.workers_max()),
        stacks: has_order.then_some(survey.contents.stacks),
        strings: survey.contents.strings,
        start_ns: has_order.then_some(first.0),
        end_ns: has_order.then_some(last.0),
        tasks_begun: has_order.then_some(counted.user_tasks_begun),
        tasks_ended: has_order.then_some(counted.user_tasks_ended),
        regions_begun: has_order.then_some(counted.user_regions_begun),
        regions_ended: has_order.then_some(counted.user_regions_ended),
        logs: has_order.then_some(counted.user_logs),
        cpu_samples: has_order.then_some(counted.samples),
        threads: is_v2.then(|| inventory.threads()),
        generations: survey.contents.generations,
        syncs: is_v2.then_some(counted.syncs),
        start_time: survey.start.and_then(instant),
        writer: description.writer(),
        program: description.program(),
        process_id: description.process_id(),
        dropped: description.dropped().map(|dropped| DroppedLine {
            hooks: dropped.hooks,
            batches: dropped.batches,
            nested: dropped.nested,
            cpu_samples: dropped.samples,
        }),
    }
}
