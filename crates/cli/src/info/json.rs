//! What `exectrace info --json` prints; `docs/command.md` tells of each key.

use std::collections::BTreeMap;
use std::io::{self, Write};

use exectrace_format::Format;
use exectrace_reader::{Dropped, Gap, Loss, Mode, Repair, Repaired, Repairs, Verdict};
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
    loss: Option<LossLine>,
    repairs: Option<RepairsLine>,
}

/// What is lost.
#[derive(Serialize)]
struct LossLine {
    bytes: u64,
    events: u64,
    is_exact: bool,
    places: u64,
    from_ns: Option<i64>,
    to_ns: Option<i64>,
    dropped: Option<DroppedLine>,
    lacks_end: bool,
    gaps: Vec<GapLine>,
}

/// A stretch that is lost.
#[derive(Serialize)]
struct GapLine {
    reason: String,
    offset: u64,
    bytes: u64,
    events: u64,
    is_exact: bool,
    from_ns: Option<i64>,
    to_ns: Option<i64>,
}

/// What was put right.
#[derive(Serialize)]
struct RepairsLine {
    total: u64,
    inferred_events: u64,
    skew_ns: u64,
    kinds: BTreeMap<&'static str, RepairLine>,
}

/// Repairs of one kind.
#[derive(Serialize)]
struct RepairLine {
    count: u64,
    first: String,
}

/// What a recorder of ours could not write.
#[derive(Serialize)]
struct DroppedLine {
    hooks: u64,
    batches: u64,
    nested: u64,
    cpu_samples: u64,
    regions: u64,
}

/// Prints a line.
pub(super) fn print(output: &mut impl Write, examination: &Examination<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *output, &line(examination))?;
    writeln!(output)
}

fn line<'e>(examination: &'e Examination<'_>) -> Line<'e> {
    let Examination { input, survey, .. } = examination;
    let (inventory, counted) = (&survey.inventory, survey.inventory.counted());
    let (first, last) = inventory.span().unwrap_or_default();
    let format = survey.format();
    let is_v2 = format == Some(Format::V2);
    let description = &survey.description;
    let is_tolerant = examination.mode == Mode::Tolerant;
    // A file of format v1 has an order, and so events, as a whole or not at all.
    let has_order = is_v2 || examination.survey.verdict != Verdict::Refused;
    Line {
        file: &input.name,
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
        packing: input.packing.map(|packing| packing.to_string()),
        size_bytes: input.bytes().len(),
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
        dropped: description.dropped().map(DroppedLine::from),
        loss: is_tolerant.then(|| LossLine::from(&survey.loss)),
        repairs: is_tolerant.then(|| RepairsLine {
            inferred_events: counted.inferred,
            ..RepairsLine::from(&survey.repairs)
        }),
    }
}

impl From<Dropped> for DroppedLine {
    fn from(dropped: Dropped) -> Self {
        Self {
            hooks: dropped.hooks,
            batches: dropped.batches,
            nested: dropped.nested,
            cpu_samples: dropped.samples,
            regions: dropped.regions,
        }
    }
}

impl From<&Loss> for LossLine {
    fn from(loss: &Loss) -> Self {
        Self {
            bytes: loss.bytes,
            events: loss.events,
            is_exact: loss.is_exact,
            places: loss.gap_count,
            from_ns: loss.time.map(|(from, _)| from.0),
            to_ns: loss.time.map(|(_, to)| to.0),
            dropped: loss.dropped.map(DroppedLine::from),
            lacks_end: loss.lacks_end,
            gaps: loss.gaps.iter().map(GapLine::from).collect(),
        }
    }
}

impl From<&Gap> for GapLine {
    fn from(gap: &Gap) -> Self {
        Self {
            reason: gap.error.to_string(),
            offset: gap.error.offset,
            bytes: gap.bytes,
            events: gap.events,
            is_exact: gap.is_exact,
            from_ns: gap.time.map(|(from, _)| from.0),
            to_ns: gap.time.map(|(_, to)| to.0),
        }
    }
}

impl From<&Repairs> for RepairsLine {
    fn from(repairs: &Repairs) -> Self {
        let kind = |(repair, repaired): (&Repair, &Repaired)| {
            let line = RepairLine {
                count: repaired.count,
                first: repaired.first.to_string(),
            };
            (repair.name(), line)
        };
        Self {
            total: repairs.total(),
            inferred_events: 0,
            skew_ns: repairs.skew_ns,
            kinds: repairs.by_kind.iter().map(kind).collect(),
        }
    }
}
