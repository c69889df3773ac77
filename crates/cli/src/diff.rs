//! `exectrace diff`: what changed from one trace to another, and what is only noise.

mod text;
mod words;

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use exectrace_analysis::{
    Comparison, Findings, FindingsReport, Measures, RecordKind, RecordKinds, SharedFilter,
};
use exectrace_json::{DiffLine, values};

pub(crate) use self::words::line;
use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, ReadingArguments};
use crate::threshold::ThresholdArguments;

/// Arguments of `exectrace diff`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The older trace; - is standard input.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The newer one.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// How many differences are printed of each kind, and how many findings; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = DiffLine::MOST, value_parser = values::most)]
    most: usize,
    /// In both traces only what is such as 'user_task.name == "request" && duration > 50ms'; tables of what lacks a field are printed as
    /// they are. Ids of tasks, user tasks, workers and threads cannot be asked for: another trace has others of the same ids.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter_of_two(text, values::compared_kinds()))]
    filter: Option<SharedFilter>,
    #[command(flatten)]
    threshold: ThresholdArguments,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What differs.
struct Found<'a> {
    old_file: &'a str,
    new_file: &'a str,
    is_of_go: bool,
    comparison: &'a Comparison,
    old_findings: &'a FindingsReport,
    new_findings: &'a FindingsReport,
    /// What the filter asks; nothing without one.
    filtered: RecordKinds,
    most: usize,
}

/// Compares two traces.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let (input, window) = (&arguments.reading.input, &arguments.reading.window);
    let filter = arguments.filter.clone().unwrap_or_default();
    let analyses = || {
        let findings = Findings::default().filtered(filter.of(RecordKind::Finding));
        (Measures::of(&filter), findings)
    };
    let old = reading::read_lone(&arguments.old, input, window, analyses())?;
    let new = reading::read_lone(&arguments.new, input, window, analyses())?;
    if let (Some(old_reading), Some(new_reading)) = (&old.reading, &new.reading) {
        let (old_measures, old_findings) = &old_reading.report;
        let (new_measures, new_findings) = &new_reading.report;
        let threshold = arguments.threshold.threshold();
        let comparison = &Comparison::of(old_measures, new_measures, threshold);
        let most = arguments.most;
        let mut output = BufWriter::new(io::stdout().lock());
        if arguments.reading.json {
            let (old, new) = (old.about(old_reading), new.about(new_reading));
            let (old, new) = ((&old, old_findings), (&new, new_findings));
            json::print(&mut output, &DiffLine::of(comparison, old, new, most))?;
        } else {
            let found = Found {
                old_file: &old.file,
                new_file: &new.file,
                is_of_go: new_reading.is_of_go,
                comparison,
                old_findings,
                new_findings,
                filtered: filter.kinds(),
                most,
            };
            text::print(&mut output, &found)?;
        }
        output.flush()?;
    }
    let outcome = old.outcome.max(new.outcome);
    Ok(outcome.allow_partial(input.allow_partial))
}
