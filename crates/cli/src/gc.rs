//! `exectrace gc`: what the garbage collector did, what it left of the workers, and the heap over time.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{
    Filter, Gc, GcReport, MutatorUtilization, MutatorUtilizationReport, RecordKind,
};
use exectrace_json::{GcLine, values};

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace gc`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many cycles, stops and functions are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = GcLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only cycles and stops such as 'kind == "stop" && duration > 1ms'; all else is told as it is.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Collection))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    most: usize,
    reading: Reading<(GcReport, MutatorUtilizationReport)>,
}

/// Prints what the collector did in each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let most = arguments.most;
    let asked = arguments.reading.asked(&arguments.files);
    let filter = arguments.filter.clone().unwrap_or_default();
    reading::print_each(
        &asked,
        || {
            let gc = Gc::new(most).filtered(filter.clone());
            (gc, MutatorUtilization::default())
        },
        |output, input, reading, _| {
            if arguments.reading.json {
                let (gc, utilization) = &reading.report;
                let about = input.about(reading.first);
                json::print(output, &GcLine::of(gc, utilization, &about, most))?;
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
        },
    )
}
