//! What `exectrace diff --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{
    Comparison, Difference, Family, FindingsReport, Measure, Threshold, Topic, Unit,
    findings_beyond,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::About;
use crate::findings::FindingLine;

/// What the schema is called.
const SCHEMA: &str = "exectrace.diff";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about two traces.
#[derive(JsonSchema, Serialize)]
pub struct DiffLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The older trace, as on the command line; `standard input`.
    old: &'a str,
    /// The newer one.
    new: &'a str,
    /// How long the older trace is, or what is looked at of it.
    old_span_ns: i64,
    /// How long the newer one is.
    new_span_ns: i64,
    /// What is called a change.
    threshold: ThresholdLine,
    /// How many quantities a test was made of.
    compared: usize,
    /// How many of all changed.
    changed: usize,
    /// All that took time by name, and what changed of the rest: by family, changes first, those that cost or save most before others.
    differences: Vec<DifferenceLine<'a>>,
    /// Findings of the newer trace, of medium severity or worse, of a class to which the older one lost less than half as much.
    new_findings: Vec<FindingLine<'a>>,
    /// And those of the older one.
    gone_findings: Vec<FindingLine<'a>>,
    /// Some differences or findings are left out.
    truncated: bool,
    /// How many differences and findings there are.
    total: usize,
}

/// What is called a change.
#[derive(JsonSchema, Serialize)]
struct ThresholdLine {
    /// How a difference is told from noise: `rank_sum` of blocks of time.
    test: &'static str,
    /// How probable it may be that chance alone makes even one change of a family.
    significance: f64,
    /// The least change, of what there was in the older trace.
    relative: f64,
    /// The least change of times.
    ns: f64,
    /// The least change of shares.
    share: f64,
    /// The least change of what is counted by the second.
    per_second: f64,
}

/// How something differs.
#[derive(JsonSchema, Serialize)]
pub struct DifferenceLine<'a> {
    /// What it is tested with: `latency`, `tasks`, `cpu` or `offcpu`.
    family: &'static str,
    /// What it is about: `user_task`, `region`, `group` (tasks that run a function), `function` or `stack` (of a profile).
    of: &'static str,
    /// Its name; null for a stack.
    name: Option<&'a str>,
    /// The functions of the stack, innermost first; null for what is none.
    stack: Option<&'a [String]>,
    /// What is measured: `p50`, `p90`, `p99`, `created`, a state, a state and `_per_task`, `blocked_by_reason`, `flat`, `cumulative`.
    measure: String,
    /// Why tasks were blocked; null if it is about something else.
    reason: Option<&'a str>,
    /// `ns`, `share` (of the time of one task) or `per_second`.
    unit: &'static str,
    /// What it was; null if it was not there.
    old: Option<f64>,
    /// What it is; null if it is not there.
    new: Option<f64>,
    /// How probable it is that chance makes this difference, or a more improbable one of the family; null if there is too little for a test.
    p: Option<f64>,
    /// `more`, `less`, `new`, `gone`, `same` or `too_few`.
    verdict: &'static str,
    /// Whether it is a change for the worse, whatever the program was asked to do.
    is_worse: bool,
}

impl<'a> DiffLine<'a> {
    /// How many differences of each family, and how many findings, are told unless said otherwise.
    pub const MOST: usize = 20;

    /// That of a comparison, with the findings of both traces, and so many differences of each family at most.
    #[must_use]
    pub fn of(
        comparison: &'a Comparison,
        (old, old_findings): (&About<'a>, &'a FindingsReport),
        (new, new_findings): (&About<'a>, &'a FindingsReport),
        most: usize,
    ) -> Self {
        let families = Family::ALL.into_iter();
        let told = families.flat_map(|family| comparison.told(family).take(most));
        let differences: Vec<_> = told.map(DifferenceLine::of).collect();
        let of_each = |count: fn(&Comparison, Family) -> usize| {
            let counts = Family::ALL.map(|family| count(comparison, family));
            counts.iter().sum::<usize>()
        };
        let beyond = findings_beyond(new_findings, old_findings);
        let gone = findings_beyond(old_findings, new_findings);
        let total = of_each(|it, family| it.told(family).count()) + beyond.len() + gone.len();
        let lines = |findings: Vec<_>, about| -> Vec<FindingLine<'a>> {
            let findings = findings.into_iter().take(most);
            findings
                .map(|finding| FindingLine::of(finding, about))
                .collect()
        };
        let (new_findings, gone_findings) = (lines(beyond, new), lines(gone, old));
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            old: old.file,
            new: new.file,
            old_span_ns: comparison.old_span_ns,
            new_span_ns: comparison.new_span_ns,
            threshold: ThresholdLine::of(&comparison.threshold),
            compared: of_each(Comparison::compared),
            changed: of_each(Comparison::changed),
            truncated: differences.len() + new_findings.len() + gone_findings.len() < total,
            differences,
            new_findings,
            gone_findings,
            total,
        }
    }
}

impl ThresholdLine {
    fn of(threshold: &Threshold) -> Self {
        Self {
            test: "rank_sum",
            significance: threshold.significance,
            relative: threshold.relative,
            ns: threshold.ns,
            share: threshold.share,
            per_second: threshold.per_second,
        }
    }
}

impl<'a> DifferenceLine<'a> {
    /// That of a difference.
    #[must_use]
    pub fn of(difference: &'a Difference) -> Self {
        let (of, name, stack) = match &difference.topic {
            Topic::UserTask(name) => ("user_task", Some(name.as_str()), None),
            Topic::Region(name) => ("region", Some(name.as_str()), None),
            Topic::Group(function) => ("group", Some(function.as_str()), None),
            Topic::Function(_, function) => ("function", Some(function.as_str()), None),
            Topic::Stack(_, functions) => ("stack", None, Some(functions.as_slice())),
            _ => ("", None, None),
        };
        let measure = match &difference.measure {
            Measure::Took(percent) => format!("p{percent}"),
            Measure::Created => String::from("created"),
            Measure::PerTask(state) => format!("{}_per_task", state.name()),
            Measure::Share(state) => state.name().to_owned(),
            Measure::Blocked(_) => String::from("blocked_by_reason"),
            Measure::Flat => String::from("flat"),
            Measure::Cumulative => String::from("cumulative"),
            _ => String::new(),
        };
        let reason = match &difference.measure {
            Measure::Blocked(reason) => Some(reason.as_str()),
            _ => None,
        };
        Self {
            family: match difference.family() {
                Family::Latencies => "latency",
                Family::Tasks => "tasks",
                Family::Profile(profile_type) => profile_type.name(),
                _ => "",
            },
            of,
            name,
            stack,
            measure,
            reason,
            unit: match difference.measure.unit() {
                Unit::Ns => "ns",
                Unit::Share => "share",
                Unit::PerSecond => "per_second",
            },
            old: difference.old,
            new: difference.new,
            p: difference.p,
            verdict: difference.verdict.name(),
            is_worse: difference.is_worse(),
        }
    }
}
