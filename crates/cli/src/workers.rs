//! `exectrace workers`: how workers and threads were used over time.

mod json;
mod text;

use std::path::PathBuf;

use exectrace_analysis::{Workers, WorkersReport};

pub(crate) use self::json::Line;
use crate::error::CommandError;
use crate::input::InputArguments;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Asked, Reading};
use crate::window::WindowArguments;

/// Arguments of `exectrace workers`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many workers, and how many threads, are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    most: usize,
    /// Print JSON, an object for each trace.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    window: WindowArguments,
    #[command(flatten)]
    input: InputArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    most: usize,
    reading: Reading<WorkersReport>,
}

/// Prints the use of the workers in each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let most = match arguments.most {
        0 => usize::MAX,
        most => most,
    };
    let asked = Asked {
        files: &arguments.files,
        input: &arguments.input,
        window: &arguments.window,
        is_text: !arguments.json,
    };
    reading::print_each(&asked, Workers::default, |output, input, reading, _| {
        let found = Found {
            file: &input.name,
            most,
            reading,
        };
        if arguments.json {
            json::print(output, &found)?;
        } else {
            text::print(output, &found)?;
        }
        Ok(())
    })
}
