//! What `exectrace why --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{
    ChainEnd, Link, NamedFrame, PathPart, STATE_WORDS, WhyReport, state_word,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{About, FrameLine};

/// What the schema is called.
const SCHEMA: &str = "exectrace.why";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

const CHAIN_ENDS: [&str; 6] = [
    ChainEnd::Timer.name(),
    ChainEnd::Network.name(),
    ChainEnd::NotBlocked.name(),
    ChainEnd::StillBlocked.name(),
    ChainEnd::NotTold.name(),
    ChainEnd::Cut.name(),
];

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct WhyLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// The task or user task.
    #[schemars(regex(pattern = "^(task|user):[0-9]+$"))]
    id: String,
    /// The function that the task runs, or the user task's name; empty if nothing tells it.
    name: &'a str,
    /// When it begins: by itself, or with the trace or the window.
    begin_ns: i64,
    /// When it ends.
    end_ns: i64,
    /// How long it took.
    duration_ns: i64,
    /// Whether it began before.
    is_open_left: bool,
    /// Whether it goes on after that.
    is_open_right: bool,
    /// How long a garbage collector marked meanwhile; tasks are in some state then, too.
    gc_ns: i64,
    /// How long the world was stopped meanwhile.
    stopped_ns: i64,
    /// Where the time went, the largest part first. All parts add up to the duration.
    path: Vec<PartLine<'a>>,
    /// Some parts are left out.
    truncated: bool,
    /// How many parts there are.
    total: usize,
    /// Who woke whom.
    chain: Vec<LinkLine<'a>>,
    /// Why the chain ends; null if there is none.
    #[schemars(extend("enum" = chain_ends()))]
    chain_end: Option<&'static str>,
}

/// One state of tasks that run the same function.
#[derive(JsonSchema, Serialize)]
struct PartLine<'a> {
    /// Whether it is the task's own, or that of the task that ended the user task.
    is_own: bool,
    /// The function that the tasks run; empty if nothing tells it.
    function: &'a str,
    /// What they did.
    #[schemars(extend("enum" = STATE_WORDS))]
    state: &'static str,
    /// Why they were blocked, in the trace's words; empty if that is not told.
    reason: &'a str,
    /// How long.
    ns: i64,
    /// In how many pieces.
    count: u64,
}

/// What a task did, and who ended it.
#[derive(JsonSchema, Serialize)]
struct LinkLine<'a> {
    /// The task.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    task: String,
    /// The function that it runs; empty if nothing tells it.
    function: &'a str,
    /// What it did.
    #[schemars(extend("enum" = STATE_WORDS))]
    state: &'static str,
    /// Why it was blocked, in the trace's words; empty if that is not told.
    reason: &'a str,
    /// Since when, as far as it matters to the link before.
    begin_ns: i64,
    /// Until when.
    end_ns: i64,
    /// Where it was, innermost first; empty if that is not told.
    stack: Vec<FrameLine<'a>>,
    /// Who woke it; null if it was not blocked, or nobody is told.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    woken_by: Option<String>,
    /// Where that one was.
    waker_stack: Vec<FrameLine<'a>>,
}

/// The words, and null.
fn chain_ends() -> Vec<Option<&'static str>> {
    let words = CHAIN_ENDS.into_iter().map(Some);
    words.chain([None]).collect()
}

impl<'a> WhyLine<'a> {
    /// How many parts of the path are told unless said otherwise.
    pub const MOST: usize = 20;

    /// That of a report, with so many parts of the path at most.
    #[must_use]
    pub fn of(report: &'a WhyReport, about: &About<'a>, most: usize) -> Self {
        let subject = &report.subject;
        let links = report.chain.iter();
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            id: subject.id.to_string(),
            name: &subject.name,
            begin_ns: about.since_ns(subject.begin),
            end_ns: about.since_ns(subject.end),
            duration_ns: subject.ns(),
            is_open_left: subject.is_open_left,
            is_open_right: subject.is_open_right,
            gc_ns: subject.gc_ns,
            stopped_ns: subject.stopped_ns,
            path: report.path.iter().take(most).map(PartLine::of).collect(),
            truncated: report.path.len() > most,
            total: report.path.len(),
            chain: links
                .map(|link| LinkLine::of(link, &report.frames, about))
                .collect(),
            chain_end: report.chain_end.map(ChainEnd::name),
        }
    }
}

impl<'a> PartLine<'a> {
    fn of(part: &'a PathPart) -> Self {
        Self {
            is_own: part.is_own,
            function: &part.function,
            state: state_word(part.state),
            reason: &part.reason,
            ns: part.ns,
            count: part.count,
        }
    }
}

impl<'a> LinkLine<'a> {
    fn of(link: &'a Link, frames: &'a [NamedFrame], about: &About<'_>) -> Self {
        let stack = |places: &[u32]| {
            let frames = places.iter().map(|&place| &frames[place as usize]);
            frames.map(FrameLine::named).collect()
        };
        Self {
            task: format!("task:{}", link.task.0),
            function: &link.function,
            state: state_word(link.state),
            reason: &link.reason,
            begin_ns: about.since_ns(link.begin),
            end_ns: about.since_ns(link.end),
            stack: stack(&link.stack),
            woken_by: link.woken_by.map(|task| format!("task:{}", task.0)),
            waker_stack: stack(&link.waker_stack),
        }
    }
}
