//! What `exectrace blockers --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{Blocker, BlockersReport, Id, Waker};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{About, FrameLine};

/// What the schema is called.
const SCHEMA: &str = "exectrace.blockers";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct BlockersLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// How many waits were ended.
    count: u64,
    /// How long those were in all.
    ns: i64,
    /// How many waits went on.
    open_count: u64,
    /// How long those were.
    open_ns: i64,
    /// Those that made others wait longest in all come first.
    blockers: Vec<BlockerLine<'a>>,
    /// Some blockers are left out.
    truncated: bool,
    /// How many blockers there are.
    total: usize,
}

/// What made tasks wait at one place.
#[derive(JsonSchema, Serialize)]
struct BlockerLine<'a> {
    /// Who ended the waits: `code`, a task or a thread outside of any; a `timer`; the `network`; `runtime`, none of the program's tasks.
    waker: WakerLine,
    /// What was waited for, in the trace's words; empty where nothing is told.
    reason: &'a str,
    /// How many waits there were.
    count: u64,
    /// How long they were in all.
    ns: i64,
    /// The longest.
    longest: LongestLine,
    /// Where they were ended: frames, innermost first; none where no stack is told.
    waker_stack: Vec<FrameLine<'a>>,
    /// Where tasks waited, likewise.
    stack: Vec<FrameLine<'a>>,
}

/// The longest of several waits.
#[derive(JsonSchema, Serialize)]
struct LongestLine {
    /// Who waited: `task:7`.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    task: String,
    /// Since when.
    begin_ns: i64,
    /// How long.
    ns: i64,
}

/// Who ends waits.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum WakerLine {
    Code,
    Timer,
    Network,
    Runtime,
}

impl<'a> BlockersLine<'a> {
    /// How many blockers are told unless said otherwise.
    pub const MOST: usize = 40;

    /// That of a report, with so many blockers at most.
    #[must_use]
    pub fn of(report: &'a BlockersReport, about: &About<'a>, most: usize) -> Self {
        let blockers = report.blockers.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            count: report.count,
            ns: report.ns,
            open_count: report.open_count,
            open_ns: report.open_ns,
            blockers: blockers
                .map(|it| BlockerLine::of(report, it, about))
                .collect(),
            truncated: report.blockers.len() > most,
            total: report.blockers.len(),
        }
    }
}

impl<'a> BlockerLine<'a> {
    fn of(report: &'a BlockersReport, blocker: &'a Blocker, about: &About<'_>) -> Self {
        let frames = |stack: &'a [u32]| report.frames_of(stack).map(FrameLine::named).collect();
        Self {
            waker: WakerLine::of(blocker.waker),
            reason: &blocker.reason,
            count: blocker.count,
            ns: blocker.ns,
            longest: LongestLine {
                task: Id::Task(blocker.longest.task).to_string(),
                begin_ns: about.since_ns(blocker.longest.begin),
                ns: blocker.longest.ns,
            },
            waker_stack: frames(&blocker.waker_stack),
            stack: frames(&blocker.stack),
        }
    }
}

impl WakerLine {
    fn of(waker: Waker) -> Self {
        match waker {
            Waker::Code => Self::Code,
            Waker::Timer => Self::Timer,
            Waker::Network => Self::Network,
            _ => Self::Runtime,
        }
    }
}
