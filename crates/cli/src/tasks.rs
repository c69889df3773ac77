//! `exectrace tasks`: how long tasks ran, waited for a worker, and were blocked by what; by the function that they run.

mod life;
mod text;

use std::path::PathBuf;

use exectrace_analysis::{Filter, Id, RecordKind, TaskTimes, TaskTimesReport};
use exectrace_json::{TasksLine, values};
use exectrace_reader::TaskId;

use crate::error::CommandError;
use crate::json;
use crate::outcome::{self, Outcome};
use crate::reading::{self, Reading, ReadingArguments};

/// Arguments of `exectrace tasks`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together. A task before them, such as task:7, asks for
    /// all that this one did.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The tasks that run a function, one by one, instead of groups of tasks by function.
    #[arg(long, value_name = "FUNCTION")]
    group: Option<String>,
    /// How many lines are printed of a trace; 0 for all.
    #[arg(long, value_name = "NUMBER", default_value_t = TasksLine::MOST, value_parser = values::most)]
    most: usize,
    /// Only tasks such as 'task.function contains "handle" && duration > 50ms'.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Task))]
    filter: Option<Filter>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// What was found in a trace.
struct Found<'a> {
    file: &'a str,
    reading: Reading<TaskTimesReport>,
}

impl Arguments {
    /// The task that is asked for, and the files behind it. A lone argument is always a file.
    fn task(&self) -> Option<(TaskId, &[PathBuf])> {
        let (first, files) = self.files.split_first()?;
        match first.to_str()?.parse() {
            Ok(Id::Task(task)) if !files.is_empty() => Some((task, files)),
            _ => None,
        }
    }
}

/// Prints the times of each trace.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if let Some((task, files)) = arguments.task() {
        if arguments.group.is_some() || arguments.filter.is_some() {
            return Err(CommandError::OneTask);
        }
        return life::run(task, files, arguments);
    }
    let asked = arguments.reading.asked(&arguments.files);
    reading::print_each(
        &asked,
        || {
            let times = TaskTimes::of(arguments.filter.clone().unwrap_or_default());
            times.listing(arguments.group.clone(), arguments.most)
        },
        |output, input, reading, _| {
            if arguments.reading.json {
                let (report, group) = (&reading.report, arguments.group.as_deref());
                let about = input.about(reading.first);
                let line = TasksLine::of(report, group, &about, arguments.most);
                json::print(output, &line)?;
            } else {
                let file = &input.name;
                text::print(output, &Found { file, reading }, arguments)?;
            }
            Ok(())
        },
    )
}
