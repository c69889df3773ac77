//! `exectrace latency`: how long user tasks and regions took, by name; and those of one name, the longest with their parts.

mod text;

use std::path::PathBuf;

use exectrace_analysis::{Filter, Latency, LatencyReport, RecordKind};
use exectrace_json::{LatencyLine, values};

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace latency`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES, override_usage = "exectrace latency [OPTIONS] NAME FILE...\n       exectrace latency [OPTIONS] FILE\n       exectrace latency [OPTIONS] --names FILE...")]
pub(crate) struct Arguments {
    /// The name of user tasks or regions, then the traces; - is standard input. A trace alone gets a table of all names. Files that are
    /// parts of one trace are put together.
    #[arg(value_name = "NAME FILE", required = true)]
    name_and_files: Vec<PathBuf>,
    /// There is no name, only traces: a table of all names for each.
    #[arg(long)]
    names: bool,
    /// How many names, or how many of a name, are printed of a trace; 0 for all. Otherwise 40 names, and the longest 10 of one.
    #[arg(long, value_name = "NUMBER", value_parser = values::most)]
    most: Option<usize>,
    /// Only user tasks and regions such as 'kind == "region" && duration > 50ms'.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Annotation))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What is asked for.
struct LatencyAsked {
    name: Option<String>,
    /// How many names, or how many of the name.
    most: usize,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    asked: &'a LatencyAsked,
    reading: Reading<LatencyReport>,
}

impl Arguments {
    fn asked(&self) -> (LatencyAsked, &[PathBuf]) {
        let (name, files) = match &self.name_and_files[..] {
            [name, files @ ..] if !self.names && !files.is_empty() => {
                (Some(name.to_string_lossy().into_owned()), files)
            }
            files => (None, files),
        };
        let most = self.most.unwrap_or(LatencyLine::most(name.as_deref()));
        (LatencyAsked { name, most }, files)
    }
}

/// Prints the latencies in each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let (latency, files) = arguments.asked();
    let asked = arguments.reading.asked(files);
    let filter = arguments.filter.clone().unwrap_or_default();
    let analysis = || Latency::new(latency.name.clone(), latency.most).filtered(filter.clone());
    reading::print_each(&asked, analysis, |output, input, reading, _| {
        if arguments.reading.json {
            let (report, most) = (&reading.report, latency.most);
            let about = input.about(reading.first);
            let line = LatencyLine::of(report, latency.name.as_deref(), &about, most);
            json::print(output, &line)?;
        } else {
            let found = Found {
                file: &input.name,
                asked: &latency,
                reading,
            };
            text::print(output, &found)?;
        }
        Ok(())
    })
}
