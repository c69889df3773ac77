//! `exectrace findings`: what cost the tasks of a program time, the worst first.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{Filter, Findings, FindingsReport, RecordKind};
use exectrace_json::{FindingsLine, values};

pub(crate) use self::text::{line, print_list};
use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace findings`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many findings are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = FindingsLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only findings such as 'severity >= "medium" && class == "lock_wait"'.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Finding))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    reading: Reading<FindingsReport>,
}

/// Prints the findings of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let asked = arguments.reading.asked(&arguments.files);
    let filter = arguments.filter.clone().unwrap_or_default();
    let analysis = || Findings::default().filtered(filter.clone());
    reading::print_each(&asked, analysis, |output, input, reading, _| {
        if arguments.reading.json {
            let about = input.about(reading.first);
            let line = FindingsLine::of(&reading.report, &about, arguments.most);
            json::print(output, &line)?;
        } else {
            let file = &input.name;
            text::print(output, &Found { file, reading }, arguments)?;
        }
        Ok(())
    })
}
