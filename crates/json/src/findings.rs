//! What `exectrace findings --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{Evidence, Finding, FindingsReport, Place};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{About, ClassWords};

/// What the schema is called.
const SCHEMA: &str = "exectrace.findings";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct FindingsLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// How long the trace, or the window, is.
    span_ns: i64,
    /// Those that cost most first.
    findings: Vec<FindingLine<'a>>,
    /// Some findings are left out.
    truncated: bool,
    /// How many findings there are.
    total: usize,
}

/// Something that cost tasks time.
#[derive(JsonSchema, Serialize)]
pub(crate) struct FindingLine<'a> {
    /// What kind of thing.
    class: &'static str,
    /// `low`, `medium` or `high`, by the share.
    severity: &'static str,
    /// The time that tasks lost; several can lose at once.
    lost_ns: i64,
    /// The same for each nanosecond of the span.
    share: f64,
    /// How often it happened.
    count: u64,
    /// The code that it is about; null if that is not told.
    place: Option<PlaceLine<'a>>,
    /// The code that made tasks wait, where that is other code.
    cause: Option<PlaceLine<'a>>,
    /// Where it can be seen, the worst first.
    evidence: Vec<EvidenceLine<'a>>,
    /// What to do about it.
    advice: &'static str,
    /// Commands that show more.
    next: Vec<String>,
}

/// A place in code.
#[derive(JsonSchema, Serialize)]
struct PlaceLine<'a> {
    /// The function.
    function: &'a str,
    /// The file; empty if that is not told.
    file: &'a str,
    /// The line; 0 if that is not told.
    line: u64,
}

/// A stretch of a task.
#[derive(JsonSchema, Serialize)]
struct EvidenceLine<'a> {
    /// The task, as `task:7`.
    task: String,
    /// From when.
    from_ns: i64,
    /// To when.
    to_ns: i64,
    /// The code there, innermost first.
    stack: Vec<PlaceLine<'a>>,
}

impl<'a> FindingsLine<'a> {
    /// How many findings are told unless said otherwise.
    pub const MOST: usize = 10;

    /// That of a report, with so many findings at most.
    #[must_use]
    pub fn of(report: &'a FindingsReport, about: &About<'a>, most: usize) -> Self {
        let total = report.findings.len();
        let findings = report.findings.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            span_ns: report.span_ns,
            findings: findings
                .map(|finding| FindingLine::of(finding, about))
                .collect(),
            truncated: total > most,
            total,
        }
    }
}

impl<'a> FindingLine<'a> {
    pub(crate) fn of(finding: &'a Finding, about: &About<'_>) -> Self {
        let evidence = finding.evidence.iter();
        Self {
            class: finding.class.name(),
            severity: finding.severity.name(),
            lost_ns: finding.lost_ns,
            share: finding.share,
            count: finding.count,
            place: finding.place.as_ref().map(PlaceLine::of),
            cause: finding.cause.as_ref().map(PlaceLine::of),
            evidence: evidence.map(|case| EvidenceLine::of(case, about)).collect(),
            advice: ClassWords::of(finding.class).advice,
            next: next(finding, about),
        }
    }
}

/// What to look at next: all that happened around the worst case.
fn next(finding: &Finding, about: &About<'_>) -> Vec<String> {
    let arguments = about.arguments;
    let commands = finding.evidence.iter().take(1).map(|case| {
        let (from_ns, to_ns) = (about.since_ns(case.from), about.since_ns(case.to));
        format!("exectrace events --from {from_ns}ns --to {to_ns}ns --stacks {arguments}")
    });
    commands.collect()
}

impl<'a> PlaceLine<'a> {
    fn of(place: &'a Place) -> Self {
        Self {
            function: &place.function,
            file: &place.file,
            line: place.line,
        }
    }
}

impl<'a> EvidenceLine<'a> {
    fn of(case: &'a Evidence, about: &About<'_>) -> Self {
        Self {
            task: format!("task:{}", case.task.0),
            from_ns: about.since_ns(case.from),
            to_ns: about.since_ns(case.to),
            stack: case.stack.iter().map(PlaceLine::of).collect(),
        }
    }
}
