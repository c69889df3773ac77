//! What `exectrace check --json` prints; `docs/command.md` tells of each key.

use std::io::{self, Write};

use exectrace_json::DifferenceLine;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Checked, Verdict};
use crate::findings;

/// What the schema is called.
const SCHEMA: &str = "exectrace.check";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Line<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// All budgets are met, and no finding breaks them.
    is_met: bool,
    /// Nothing was lost, inferred or put right.
    is_whole: bool,
    /// A budget each.
    budgets: Vec<BudgetLine<'a>>,
    /// Findings that break the budget, a line each; null where none is asked about.
    findings: Option<Vec<String>>,
    /// How it did against an older trace; null without one.
    baseline: Option<BaselineLine<'a>>,
}

/// How a trace did against an older one.
#[derive(JsonSchema, Serialize)]
struct BaselineLine<'a> {
    /// The older trace.
    file: &'a str,
    /// Something could be compared, and nothing got worse.
    is_met: bool,
    /// How many quantities were compared of which less is better.
    compared: usize,
    /// What got worse, as `exectrace diff` has it.
    worse: Vec<DifferenceLine<'a>>,
}

/// How a budget did.
#[derive(JsonSchema, Serialize)]
struct BudgetLine<'a> {
    /// As it was written.
    budget: &'a str,
    /// Whether it is met. It is not where the trace has nothing of that name.
    is_met: bool,
    /// What was measured; null if the trace has nothing of that name.
    value: Option<f64>,
    /// What it must be below, or not above.
    limit: f64,
    /// `ns`, or `count`.
    unit: &'static str,
}

/// Prints a line.
pub(super) fn print(output: &mut impl Write, checked: &Checked<'_>) -> io::Result<()> {
    let breaking = checked.findings.as_ref();
    let line = Line {
        schema: SCHEMA,
        version: SCHEMA_VERSION,
        file: checked.file,
        is_met: checked.is_met(),
        is_whole: checked.distrust.is_none(),
        budgets: checked.verdicts.iter().map(BudgetLine::of).collect(),
        findings: breaking.map(|all| {
            let lines = all.iter().map(|it| findings::line(it, checked.words));
            lines.collect()
        }),
        baseline: checked.against.map(|against| BaselineLine {
            file: against.file,
            is_met: against.is_met(),
            compared: against.judged,
            worse: against.worse.iter().map(DifferenceLine::of).collect(),
        }),
    };
    serde_json::to_writer(&mut *output, &line)?;
    writeln!(output)
}

impl<'a> BudgetLine<'a> {
    fn of(verdict: &Verdict<'a>) -> Self {
        Self {
            budget: &verdict.budget.text,
            is_met: verdict.is_met,
            value: verdict.value,
            limit: verdict.budget.limit(),
            unit: if verdict.budget.is_of_time() {
                "ns"
            } else {
                "count"
            },
        }
    }
}
