//! `exectrace why`: why a task, or a user task, took so long.

mod text;

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use exectrace_analysis::{Filter, Id, RecordKind, Subject, SubjectSearch, Why, WhyReport};
use exectrace_json::{Axis, Moment, WhyLine, values};
use exectrace_reader::Timestamp;

use crate::error::CommandError;
use crate::input::Input;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace why`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// What took so long: a task (Go: a goroutine), task:7, or a user task, user:7.
    #[arg(value_name = "ID", value_parser = values::subject)]
    id: Id,
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Who is waited for at this time, as in --from; without it, in the longest wait.
    #[arg(long, value_name = "TIME")]
    at: Option<Moment>,
    /// How many parts of the path are printed; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = WhyLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only parts of the path such as 'state == "blocked" && !is_own'; the chain is told as it is.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::PathPart))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    report: WhyReport,
    /// The time of the first event.
    first: Timestamp,
}

/// Prints why it took so long, in each trace that has it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let inputs = arguments.reading.input.open_all(&arguments.files)?;
    let mut worst = inputs.outcome;
    let mut output = BufWriter::new(io::stdout().lock());
    let mut is_found = false;
    for input in &inputs.traces() {
        let prepare = |axis: Axis<'_>| {
            let at = arguments.at.map(|at| axis.time(at)).transpose()?;
            let search = SubjectSearch::new(arguments.id, at);
            Ok((arguments.reading.window.of(axis)?, search))
        };
        let (reading, ended) = reading::read_in(input, &arguments.reading.input, prepare);
        if let Some(found) = reading.and_then(|reading| explain(input, arguments, reading)) {
            if arguments.reading.json {
                let about = input.about(found.first);
                let line = WhyLine::of(&found.report, &about, arguments.most);
                json::print(&mut output, &line)?;
            } else {
                if is_found {
                    writeln!(output)?;
                }
                text::print(&mut output, &found, arguments)?;
            }
            is_found = true;
        }
        output.flush()?;
        worst = worst.max(ended.tell(input, arguments.reading.input.strict));
    }
    if !is_found && worst != Outcome::Unreadable {
        let id = arguments.id;
        return Err(CommandError::NotThere { id });
    }
    Ok(worst.allow_partial(arguments.reading.input.allow_partial))
}

/// Reads the trace once more, now that it is known when the subject was there.
fn explain<'a>(
    input: &'a Input<'_>,
    arguments: &Arguments,
    reading: Reading<Option<Subject>>,
) -> Option<Found<'a>> {
    let subject = reading.report?;
    let window = subject.window();
    let why = Why::new(subject).filtered(arguments.filter.clone().unwrap_or_default());
    let (reading, _) = reading::read_in(input, &arguments.reading.input, |_| Ok((window, why)));
    let reading = reading?;
    Some(Found {
        file: &input.name,
        report: reading.report,
        first: reading.first,
    })
}
