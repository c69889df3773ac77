//! `exectrace blockers`: which code made others wait.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{Blockers, BlockersReport};
use exectrace_json::{BlockersLine, values};

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};
use crate::selection::SelectionArguments;

/// Arguments of `exectrace blockers`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many blockers are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = BlockersLine::MOST, value_parser = values::most)]
    most: usize,
    /// Print the stacks in full.
    #[arg(long, conflicts_with = "json")]
    stacks: bool,
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    reading: Reading<BlockersReport>,
}

/// Prints the blockers of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let asked = arguments.reading.asked(&arguments.files);
    reading::print_each(
        &asked,
        || Blockers::of(arguments.selection.selection()),
        |output, input, reading, _| {
            if arguments.reading.json {
                let about = input.about(reading.first);
                let line = BlockersLine::of(&reading.report, &about, arguments.most);
                json::print(output, &line)?;
            } else {
                let file = &input.name;
                text::print(output, &Found { file, reading }, arguments)?;
            }
            Ok(())
        },
    )
}
