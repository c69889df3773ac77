//! `exectrace summary`: whether a trace is whole, what the program is short of, how busy it was, how long requests took, and what
//! cost them time.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{
    Filter, Findings, FindingsReport, Load, LoadReport, RecordKind, Requests, RequestsReport,
};
use exectrace_json::{SummaryLine, values};

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace summary`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many names of requests and how many findings are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = SummaryLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only requests such as 'name == "GET /" && duration > 50ms'; all else is told as it is.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Request))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    /// Whether the trace is whole, in words.
    distrust: Option<&'a str>,
    reading: Reading<(LoadReport, RequestsReport, FindingsReport)>,
}

/// Prints the summary of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let asked = arguments.reading.asked(&arguments.files);
    let filter = arguments.filter.clone().unwrap_or_default();
    reading::print_each(
        &asked,
        || {
            let requests = Requests::default().filtered(filter.clone());
            (Load::default(), requests, Findings::default())
        },
        |output, input, reading, ended| {
            let distrust = ended.trust(input);
            let (distrust, most) = (distrust.as_deref(), arguments.most);
            if arguments.reading.json {
                let about = input.about(reading.first);
                let line = SummaryLine::of(&reading.report, distrust, &about, most);
                json::print(output, &line)?;
            } else {
                let found = Found {
                    file: &input.name,
                    distrust,
                    reading,
                };
                text::print(output, &found, arguments)?;
            }
            Ok(())
        },
    )
}
