//! `exectrace info`: what is in a trace, and whether it is whole.

mod examination;
mod text;

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use self::examination::Examination;
use crate::error::CommandError;
use crate::input::InputArguments;
use crate::json;
use crate::outcome::{self, Outcome};

/// Arguments of `exectrace info`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON, a line for each trace.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    input: InputArguments,
}

/// Examines each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut output = BufWriter::new(io::stdout().lock());
    let inputs = arguments.input.open_all(&arguments.files)?;
    let mut worst = inputs.outcome;
    for (index, input) in inputs.traces().into_iter().enumerate() {
        let examination = Examination::of(input, arguments.input.mode());
        if arguments.json {
            json::print(&mut output, &examination.line())?;
        } else {
            if index > 0 {
                writeln!(output)?;
            }
            text::print(&mut output, &examination)?;
        }
        let outcome = examination.outcome();
        worst = worst.max(outcome.allow_partial(arguments.input.allow_partial));
    }
    output.flush()?;
    Ok(worst)
}
