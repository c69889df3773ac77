//! `exectrace tasks`: how long tasks ran, waited for a worker, and were blocked by what; by the function that they run.

mod json;
mod text;

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use exectrace_analysis::{Analysis as _, TaskTime, TaskTimes, TaskTimesReport};
use exectrace_reader::{Reader, Timestamp};

use crate::ended::Ended;
use crate::error::CommandError;
use crate::input::{Input, InputArguments};
use crate::outcome::{self, Outcome};
use crate::progress::Progress;

/// Arguments of `exectrace tasks`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The tasks that run a function, one by one, instead of groups of tasks by function.
    #[arg(long, value_name = "FUNCTION")]
    group: Option<String>,
    /// How many lines are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    most: usize,
    /// Print JSON, an object for each trace.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    input: InputArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    report: TaskTimesReport,
    /// The time of the first event.
    first: Timestamp,
    /// In whose words: Go's for traces of Go.
    is_of_go: bool,
}

impl Found<'_> {
    /// The tasks that run a function, those that live longest first.
    fn tasks_of(&self, function: &str) -> Vec<&TaskTime> {
        let tasks = self.report.tasks.iter();
        let mut tasks: Vec<_> = tasks.filter(|task| task.function == function).collect();
        tasks.sort_by_key(|task| Reverse(task.times.life_ns()));
        tasks
    }
}

/// Prints the times of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let inputs = arguments.input.open_all(&arguments.files)?;
    let mut worst = inputs.outcome;
    let mut output = BufWriter::new(io::stdout().lock());
    for (index, input) in inputs.traces().iter().enumerate() {
        let (found, ended) = find(input, arguments);
        if let Some(found) = found {
            if arguments.json {
                json::print(&mut output, &found, arguments)?;
            } else {
                if index > 0 {
                    writeln!(output)?;
                }
                text::print(&mut output, &found, arguments)?;
            }
        }
        output.flush()?;
        worst = worst.max(ended.tell(input, arguments.input.strict));
    }
    Ok(worst.allow_partial(arguments.input.allow_partial))
}

/// Reads a trace. Nothing is found in what has no events.
fn find<'a>(input: &'a Input<'_>, arguments: &Arguments) -> (Option<Found<'a>>, Ended) {
    let mut ended = Ended::default();
    let mut reader = match Reader::open(input.bytes(), arguments.input.mode()) {
        Ok(reader) => reader,
        Err(fault) => {
            ended.fault = Some(fault);
            return (None, ended);
        }
    };
    let mut progress = Progress::new(input.bytes().len() as u64);
    let mut times = TaskTimes::default();
    let mut first = None;
    while let Some(event) = reader.next() {
        let event = match event {
            Ok(event) => event,
            Err(fault) => {
                ended.fault = Some(fault);
                break;
            }
        };
        ended.add(&event, &reader);
        progress.show(event.offset);
        first.get_or_insert(event.time);
        times.event(&event, reader.tables());
    }
    drop(progress);
    let first = first.unwrap_or_default();
    ended.end(&reader, first);
    let found = ended.has_events.then(|| Found {
        file: &input.name,
        report: times.report(reader.tables()),
        first,
        is_of_go: ended.description.writer().is_none(),
    });
    (found, ended)
}
