//! What `exectrace info --json` prints; `docs/command.md` tells of each key.

use exectrace_format::Format;
use exectrace_reader::{
    Dropped, Gap, Loss, Mode, Packing, Repair, Repaired, Repairs, Survey, Timestamp, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::instant::instant;

/// What the schema is called.
const SCHEMA: &str = "exectrace.info";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

const VERDICTS: [&str; 3] = [
    Verdict::Accepted.name(),
    Verdict::Partial.name(),
    Verdict::Refused.name(),
];

/// A trace that was read to its end, with what a survey does not know of it.
#[derive(Clone, Debug)]
pub struct Examined<'a> {
    /// What the trace is called, as in [`About::file`](crate::About::file).
    pub file: &'a str,
    /// What is in it.
    pub survey: &'a Survey,
    /// How it was read.
    pub mode: Mode,
    /// How large it is, unpacked.
    pub size_bytes: usize,
    /// How it was packed, if it was.
    pub packing: Option<Packing>,
    /// That of the survey, unless it could not be unpacked to its end.
    pub verdict: Verdict,
    /// What is wrong, where, and what to do; `None` if nothing is.
    pub reason: Option<String>,
}

/// A file as JSON has it. What a format does not have is null.
#[derive(JsonSchema, Serialize)]
pub struct InfoLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// `v1` or `v2`; null if it is none.
    format: Option<&'static str>,
    /// The version in the header, such as `1.19`; null if there is none.
    header: Option<String>,
    /// Whether all of it can be read.
    #[schemars(extend("enum" = VERDICTS))]
    verdict: &'static str,
    /// What is wrong, where, and what to do; null if nothing is.
    reason: Option<String>,
    /// Whether the file has a header and no events.
    is_empty: bool,
    /// How the file is packed; null if it is plain.
    packing: Option<String>,
    /// The bytes of the file, unpacked.
    size_bytes: usize,
    /// All events, in Go's count: syncs of v2 are events, tables and batches are not.
    events: Option<u64>,
    /// Events by Go's names: `GoStart`, or in v2 `G:Runnable>Running`; null if there are none.
    event_counts: Option<&'a BTreeMap<String, u64>>,
    /// Tasks that own an event or change their state.
    g_seen: Option<usize>,
    /// Tasks whose creation is in the trace.
    g_created: Option<usize>,
    /// Workers that own an event or change their state.
    procs: Option<usize>,
    /// The most workers that the program allowed itself.
    gomaxprocs_max: Option<u64>,
    /// Entries of the stack tables, of all generations.
    stacks: Option<u64>,
    /// Entries of the string tables, of all generations.
    strings: u64,
    /// The time of the first event on the trace's own clock, as events tell it; in v1 that is 0.
    first_event_ns: Option<i64>,
    /// When the last event was.
    end_ns: Option<i64>,
    /// Begins of user tasks.
    tasks_begun: Option<u64>,
    /// Ends of user tasks.
    tasks_ended: Option<u64>,
    /// Begins of user regions.
    regions_begun: Option<u64>,
    /// Ends of user regions.
    regions_ended: Option<u64>,
    /// User logs.
    logs: Option<u64>,
    /// CPU samples.
    cpu_samples: Option<u64>,
    /// Threads; null in v1.
    threads: Option<usize>,
    /// Generations; null in v1.
    generations: Option<u64>,
    /// Syncs; null in v1.
    syncs: Option<u64>,
    /// The wall clock at the begin, RFC 3339 in UTC; null where the trace does not say it.
    start_time: Option<String>,
    /// Who wrote the recording; null for traces of Go, as what follows is.
    writer: Option<&'a str>,
    /// The program that was recorded, with its arguments.
    program: Option<&'a str>,
    /// The process that was recorded.
    process_id: Option<u64>,
    /// What the recorder could not write; null if nothing.
    dropped: Option<DroppedLine>,
    /// What is lost; null with `--strict`.
    loss: Option<LossLine>,
    /// What was put right; null with `--strict`.
    repairs: Option<RepairsLine>,
}

/// What is lost.
#[derive(JsonSchema, Serialize)]
struct LossLine {
    /// Bytes that could not be decoded or that the file lacks.
    bytes: u64,
    /// Events; at least so many where it is not exact.
    events: u64,
    /// Whether `events` is exact.
    is_exact: bool,
    /// How many places there are.
    places: u64,
    /// When the first loss begins.
    from_ns: Option<i64>,
    /// When the last one ends.
    to_ns: Option<i64>,
    /// What the recorder could not write.
    dropped: Option<DroppedLine>,
    /// Whether it is a recording of exectrace that was not stopped.
    lacks_end: bool,
    /// The first 1,000 places.
    gaps: Vec<GapLine>,
}

/// A stretch that is lost.
#[derive(JsonSchema, Serialize)]
struct GapLine {
    /// Why it cannot be read.
    reason: String,
    /// Where in the file it begins.
    offset: u64,
    /// How many bytes are lost.
    bytes: u64,
    /// Events; at least so many where it is not exact.
    events: u64,
    /// Whether `events` is exact.
    is_exact: bool,
    /// The time of the last event before it.
    from_ns: Option<i64>,
    /// The time of the first event after it.
    to_ns: Option<i64>,
}

/// What was put right.
#[derive(JsonSchema, Serialize)]
struct RepairsLine {
    /// All repairs.
    total: u64,
    /// Events that the trace lacks; counted nowhere else.
    inferred_events: u64,
    /// The largest step of a clock.
    skew_ns: u64,
    /// Repairs by kind.
    kinds: BTreeMap<&'static str, RepairLine>,
}

/// Repairs of one kind.
#[derive(JsonSchema, Serialize)]
struct RepairLine {
    /// How many.
    count: u64,
    /// Where the first one was.
    first: String,
}

/// What a recorder of ours could not write.
#[derive(JsonSchema, Serialize)]
struct DroppedLine {
    /// Events of hooks that found no room.
    hooks: u64,
    /// Batches whose thread never gave them back.
    batches: u64,
    /// Events of hooks that interrupted a hook.
    nested: u64,
    /// CPU samples.
    cpu_samples: u64,
    /// Regions that found no room among those that were open.
    regions: u64,
}

impl<'a> InfoLine<'a> {
    /// That of a trace that was read to its end.
    #[must_use]
    pub fn of(examined: Examined<'a>) -> Self {
        let survey = examined.survey;
        let (inventory, counted) = (&survey.inventory, survey.inventory.counted());
        let format = survey.format();
        let is_v2 = format == Some(Format::V2);
        let description = &survey.description;
        let is_tolerant = examined.mode == Mode::Tolerant;
        // A file of format v1 has an order, and so events, as a whole or not at all.
        let has_order = is_v2 || survey.verdict != Verdict::Refused;
        let span = inventory.span().filter(|_| has_order);
        let first = span.map(|(first, _)| first);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: examined.file,
            format: format.map(|format| match format {
                Format::V1 => "v1",
                Format::V2 => "v2",
            }),
            header: survey
                .header()
                .map(|(major, minor)| format!("{major}.{minor}")),
            verdict: examined.verdict.name(),
            reason: examined.reason,
            is_empty: survey.is_empty(),
            packing: examined.packing.map(|packing| packing.to_string()),
            size_bytes: examined.size_bytes,
            events: has_order.then_some(counted.events),
            event_counts: Some(&survey.event_counts).filter(|counts| !counts.is_empty()),
            g_seen: has_order.then_some(inventory.tasks_seen()),
            g_created: has_order.then_some(inventory.tasks_created()),
            procs: has_order.then_some(inventory.workers()),
            gomaxprocs_max: has_order.then_some(inventory.workers_max()),
            stacks: has_order.then_some(survey.contents.stacks),
            strings: survey.contents.strings,
            first_event_ns: first.map(|first| first.0),
            end_ns: span.map(|(first, last)| last.since_ns(first)),
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
            loss: is_tolerant.then(|| LossLine::of(&survey.loss, first)),
            repairs: is_tolerant.then(|| RepairsLine {
                inferred_events: counted.inferred,
                ..RepairsLine::from(&survey.repairs)
            }),
        }
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

impl LossLine {
    fn of(loss: &Loss, first: Option<Timestamp>) -> Self {
        let gaps = loss.gaps.iter();
        let (from_ns, to_ns) = since(loss.time, first).unzip();
        Self {
            bytes: loss.bytes,
            events: loss.events,
            is_exact: loss.is_exact,
            places: loss.gap_count,
            from_ns,
            to_ns,
            dropped: loss.dropped.map(DroppedLine::from),
            lacks_end: loss.lacks_end,
            gaps: gaps.map(|gap| GapLine::of(gap, first)).collect(),
        }
    }
}

impl GapLine {
    fn of(gap: &Gap, first: Option<Timestamp>) -> Self {
        let (from_ns, to_ns) = since(gap.time, first).unzip();
        Self {
            reason: gap.error.to_string(),
            offset: gap.error.offset,
            bytes: gap.bytes,
            events: gap.events,
            is_exact: gap.is_exact,
            from_ns,
            to_ns,
        }
    }
}

/// Both times since the first event. What is lost may be from before it.
fn since(time: Option<(Timestamp, Timestamp)>, first: Option<Timestamp>) -> Option<(i64, i64)> {
    let (time, first) = time.zip(first)?;
    let since_ns = |time: Timestamp| time.since_ns(first).max(0);
    Some((since_ns(time.0), since_ns(time.1)))
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
