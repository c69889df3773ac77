//! `exectrace workers`: how workers and threads were used over time.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{Filter, RecordKind, Workers, WorkersReport};
use exectrace_json::{WorkersLine, values};

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace workers`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many workers, and how many threads, are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = WorkersLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only workers such as 'busy > 1s || steals > 100'; threads and system calls are told as they are.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Worker))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    most: usize,
    reading: Reading<WorkersReport>,
}

/// Prints the use of the workers in each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let most = arguments.most;
    let asked = arguments.reading.asked(&arguments.files);
    let filter = arguments.filter.clone().unwrap_or_default();
    let analysis = || Workers::default().filtered(filter.clone());
    reading::print_each(&asked, analysis, |output, input, reading, _| {
        if arguments.reading.json {
            let about = input.about(reading.first);
            json::print(output, &WorkersLine::of(&reading.report, &about, most))?;
        } else {
            let file = &input.name;
            text::print(
                output,
                &Found {
                    file,
                    most,
                    reading,
                },
            )?;
        }
        Ok(())
    })
}
