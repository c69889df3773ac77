//! `exectrace profile`: where time was spent, by stack, as a table, for flame graphs and for pprof.

mod folded;
mod pprof;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use exectrace_analysis::{Profile, ProfileReport, ProfileType};
use exectrace_json::{ProfileLine, values};

use crate::error::CommandError;
use crate::input::Input;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};
use crate::selection::SelectionArguments;

/// Arguments of `exectrace profile`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// What is counted.
    #[arg(value_name = "TYPE")]
    profile_type: TypeArgument,
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only what begins and ends in what is looked at, as Go's own profiles have it.
    #[arg(long)]
    ended: bool,
    /// How many functions, and stacks, are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = ProfileLine::MOST, value_parser = values::most)]
    most: usize,
    /// Print a stack a line, as tools for flame graphs read it: frames, outermost first, and nanoseconds, or CPU samples.
    #[arg(long, conflicts_with_all = ["json", "pprof"])]
    folded: bool,
    /// Write the profile of a trace to this file, as go tool pprof reads it.
    #[arg(long, value_name = "OUTPUT", conflicts_with = "json")]
    pprof: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// A type of profile, as an argument.
#[derive(Clone, Copy, Debug)]
struct TypeArgument(ProfileType);

impl ValueEnum for TypeArgument {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [TypeArgument; ProfileType::ALL.len()] = {
            let mut all = [TypeArgument(ProfileType::Cpu); ProfileType::ALL.len()];
            let mut place = 0;
            while place < all.len() {
                all[place] = TypeArgument(ProfileType::ALL[place]);
                place += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            ProfileType::Cpu => "CPU samples",
            ProfileType::OffCpu => "all time in which tasks do not run, by where they stopped",
            ProfileType::Sched => "waiting for a worker, by who made tasks runnable",
            ProfileType::Net => "waiting for the network",
            ProfileType::Sync => "waiting for channels, locks and conditions",
            ProfileType::Syscall => "system calls; of files of Go up to 1.21 those that blocked",
            _ => "",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    reading: Reading<ProfileReport>,
}

/// Stands for a stack that is not told.
const NO_STACK: &str = "[no stack]";

/// Prints the profile of each trace, or writes it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let inputs = arguments.reading.input.open_all(&arguments.files)?;
    let traces = inputs.traces();
    if arguments.pprof.is_some() && traces.len() > 1 {
        return Err(CommandError::SeveralTraces {
            traces: traces.len(),
        });
    }
    let mut worst = inputs.outcome;
    let mut output = BufWriter::new(io::stdout().lock());
    for (index, input) in traces.iter().enumerate() {
        let mut profile = Profile::of(arguments.profile_type.0, arguments.selection.selection());
        if arguments.ended {
            profile = profile.ended();
        }
        let (reading, ended) = reading::read(
            input,
            &arguments.reading.input,
            &arguments.reading.window,
            profile,
        );
        if let Some(reading) = reading {
            if index > 0 && !arguments.reading.json && !arguments.folded {
                writeln!(output)?;
            }
            print(&mut output, input, reading, arguments)?;
        }
        output.flush()?;
        worst = worst.max(ended.tell(input, arguments.reading.input.strict));
    }
    Ok(worst.allow_partial(arguments.reading.input.allow_partial))
}

fn print(
    output: &mut impl Write,
    input: &Input<'_>,
    reading: Reading<ProfileReport>,
    arguments: &Arguments,
) -> Result<(), CommandError> {
    if let Some(path) = &arguments.pprof {
        let to_file = |error| CommandError::OutputFile {
            path: path.clone(),
            error,
        };
        let file = File::create(path).map_err(to_file)?;
        pprof::write(file, &reading.report).map_err(to_file)?;
    } else if arguments.folded {
        folded::print(output, &reading.report)?;
    } else if arguments.reading.json {
        let about = input.about(reading.first);
        let line = ProfileLine::of(&reading.report, &about, arguments.most);
        json::print(output, &line)?;
    } else {
        let file = &input.name;
        text::print(output, &Found { file, reading }, arguments)?;
    }
    Ok(())
}
