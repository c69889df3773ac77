//! `exectrace summary`: whether a trace is whole, what the program is short of, how busy it was, how long requests took, and what
//! cost them time.

mod json;
mod shortage;
mod text;

use std::path::PathBuf;

use exectrace_analysis::{Findings, FindingsReport, Load, LoadReport, Requests, RequestsReport};

pub(crate) use self::json::Line;
use crate::error::CommandError;
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
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = reading::most)]
    most: usize,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    /// The files as arguments of a command.
    arguments: &'a str,
    /// Whether the trace is whole, in words.
    trust: String,
    is_whole: bool,
    reading: Reading<(LoadReport, RequestsReport, FindingsReport)>,
}

/// Prints the summary of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let asked = arguments.reading.asked(&arguments.files);
    reading::print_each(
        &asked,
        || (Load::default(), Requests::default(), Findings::default()),
        |output, input, reading, ended| {
            let found = {
                let trust = ended.trust(input);
                Found {
                    file: &input.name,
                    arguments: &input.arguments,
                    is_whole: trust.is_none(),
                    trust: trust.unwrap_or_else(|| String::from("whole")),
                    reading,
                }
            };
            if arguments.reading.json {
                json::print(output, &found, arguments)?;
            } else {
                text::print(output, &found, arguments)?;
            }
            Ok(())
        },
    )
}
