//! `exectrace info`: what is in a trace, and whether it is whole.

mod examination;
mod json;
mod text;

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use self::examination::Examination;
use crate::error::CommandError;
use crate::input::{self, InputArguments};
use crate::outcome::{self, Outcome};

/// Arguments of `exectrace info`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON, a line for each file.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    input: InputArguments,
}

/// Examines each file.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut output = BufWriter::new(io::stdout().lock());
    let mut worst = Outcome::Whole;
    for (index, path) in arguments.files.iter().enumerate() {
        let source = match arguments.input.open(path) {
            Ok(source) => source,
            Err(error) if arguments.files.len() > 1 => {
                // The other files can be examined.
                output.flush()?;
                eprintln!("exectrace: {error}");
                worst = Outcome::Unreadable;
                continue;
            }
            Err(error) => return Err(error),
        };
        let examination = Examination::of(input::name(path), source, arguments.input.mode());
        if arguments.json {
            json::print(&mut output, &examination)?;
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
