//! `exectrace check`: budgets for traces, for a build that is to fail when they are broken.

mod baseline;
mod budget;
mod json;
mod junit;
mod markdown;
mod text;

use std::path::PathBuf;

use exectrace_analysis::{
    Finding, Findings, FindingsReport, Gc, GcReport, Latency, LatencyReport, Measures,
    MeasuresReport, RecordKind, RecordKinds, Severity, SharedFilter,
};
use exectrace_json::values;

use self::baseline::{Against, Baseline};
use self::budget::Budget;
pub(crate) use self::json::Line;
use crate::error::CommandError;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Asked, Reading, ReadingArguments};
use crate::threshold::ThresholdArguments;
use crate::words::Words;

/// Arguments of `exectrace check`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// A budget such as 'p99(request) < 50ms' or 'stw < 1ms'; may be given several times. What can be measured: p50, p90, p99, max, mean
    /// and count of user tasks or regions of a name, and stw, the longest stop of the world.
    #[arg(long = "max", value_name = "BUDGET")]
    budgets: Vec<Budget>,
    /// Findings of this severity or a worse one break the budget.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// An older trace of the same program: what got worse since breaks the budget, as `exectrace diff` tells change from noise.
    #[arg(long, value_name = "OLD")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    threshold: ThresholdArguments,
    /// Only what is such as 'user_task.name == "request" && duration > 5ms': of user tasks and regions, of stops, of findings, and of tasks
    /// that are compared with those of --baseline; what lacks a field is judged as it is. With --baseline no ids can be asked for.
    #[arg(long = "where", value_name = "FILTER")]
    filter: Option<String>,
    /// What is printed.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "text",
        conflicts_with = "json"
    )]
    format: Form,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// From which severity on findings break the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    Low,
    Medium,
    High,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Lines for people.
    Text,
    /// An object for each trace.
    Json,
    /// XML as `JUnit` has it, a suite for each trace, which tools for builds read.
    Junit,
    /// A table for a comment.
    Markdown,
}

/// How a trace did.
struct Checked<'a> {
    file: &'a str,
    /// Why the trace is not whole, in words.
    distrust: Option<String>,
    verdicts: Vec<Verdict<'a>>,
    /// Findings that break the budget, the worst first; `None` where none is asked about.
    findings: Option<Vec<&'a Finding>>,
    /// How it did against an older trace; `None` where there is none.
    against: Option<&'a Against<'a>>,
    /// What the filter chooses among; nothing without one.
    filtered: RecordKinds,
    words: Words,
}

/// How a budget did.
struct Verdict<'a> {
    budget: &'a Budget,
    /// What was measured; `None` if the trace has nothing of that name.
    value: Option<f64>,
    is_met: bool,
}

impl Checked<'_> {
    fn is_met(&self) -> bool {
        let findings = self.findings.as_ref();
        self.verdicts.iter().all(|verdict| verdict.is_met)
            && findings.is_none_or(Vec::is_empty)
            && self.against.is_none_or(Against::is_met)
    }
}

impl Arguments {
    /// The filter for what is checked.
    fn filter(&self) -> Result<SharedFilter, CommandError> {
        let Some(text) = &self.filter else {
            return Ok(SharedFilter::default());
        };
        let of_budgets = self.budgets.iter().map(Budget::kind);
        let of_findings = self.fail_on.map(|_| RecordKind::Finding);
        let compared = self.baseline.iter().flat_map(|_| Measures::COST_KINDS);
        let kinds = of_budgets.chain(of_findings).chain(compared).collect();
        let parsed = match self.baseline {
            Some(_) => values::filter_of_two(text, kinds),
            None => values::shared_filter(text, kinds),
        };
        parsed.map_err(|reason| CommandError::Where {
            text: text.clone(),
            reason,
        })
    }
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Low => Severity::Low,
            Self::Medium => Severity::Medium,
            Self::High => Severity::High,
        }
    }
}

/// Checks each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let has_budget = !arguments.budgets.is_empty() || arguments.fail_on.is_some();
    if !has_budget && arguments.baseline.is_none() {
        return Err(CommandError::NoBudget);
    }
    let filter = arguments.filter()?;
    let baseline = arguments.baseline.as_ref();
    let baseline = baseline.map(|path| Baseline::read(path, &filter, arguments));
    let baseline = baseline.transpose()?;
    let form = if arguments.reading.json {
        Form::Json
    } else {
        arguments.format
    };
    let asked = Asked {
        is_text: matches!(form, Form::Text | Form::Markdown),
        ..arguments.reading.asked(&arguments.files)
    };
    let measures = || baseline.as_ref().map(|_| Measures::of(&filter));
    let analyses = || {
        let latency = Latency::new(None, 0).filtered(filter.of(RecordKind::Annotation));
        let gc = Gc::new(1).filtered(filter.of(RecordKind::Collection));
        let findings = Findings::default().filtered(filter.of(RecordKind::Finding));
        ((latency, gc), findings, measures())
    };
    let mut is_met = true;
    let mut suites = Vec::new();
    let outcome = reading::print_each(&asked, analyses, |output, input, reading, ended| {
        let measures = reading.report.2.as_ref();
        let against = baseline.as_ref().zip(measures);
        let against = against.map(|(baseline, new)| baseline.against(new, arguments));
        let mut checked = check(arguments, &input.name, ended.trust(input), &reading);
        checked.against = against.as_ref();
        checked.filtered = filter.kinds();
        is_met &= checked.is_met();
        match form {
            Form::Text => text::print(output, &checked)?,
            Form::Json => json::print(output, &checked)?,
            Form::Junit => suites.push(junit::Suite::of(&checked)),
            Form::Markdown => markdown::print(output, &checked)?,
        }
        Ok(())
    })?;
    if form == Form::Junit {
        junit::print(&suites)?;
    }
    let of_baseline = baseline.map_or(Outcome::Whole, |it| it.outcome);
    Ok(outcome.max(of_baseline).broken_if(!is_met))
}

type Reports = (
    (LatencyReport, GcReport),
    FindingsReport,
    Option<MeasuresReport>,
);

fn check<'a>(
    arguments: &'a Arguments,
    file: &'a str,
    distrust: Option<String>,
    reading: &'a Reading<Reports>,
) -> Checked<'a> {
    let ((latency, gc), findings, _) = &reading.report;
    let verdicts = arguments.budgets.iter().map(|budget| {
        let value = budget.measure(latency, gc);
        Verdict {
            budget,
            value,
            is_met: value.is_some_and(|value| budget.is_met_by(value)),
        }
    });
    let breaking = arguments.fail_on.map(|fail_on| {
        let findings = findings.findings.iter();
        findings
            .filter(|finding| finding.severity >= fail_on.severity())
            .collect()
    });
    Checked {
        file,
        distrust,
        verdicts: verdicts.collect(),
        findings: breaking,
        against: None,
        filtered: RecordKinds::default(),
        words: Words::of(reading.is_of_go),
    }
}
