//! How commands take a trace through an analysis.

use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::path::{Path, PathBuf};
use std::thread;

use exectrace_analysis::{Analysis, Pass, Passed, Window};
use exectrace_json::{About, Axis, NoClock};
use exectrace_reader::{Error, Reader, Timestamp};

use crate::ended::Ended;
use crate::error::CommandError;
use crate::input::{Input, InputArguments};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::window::WindowArguments;

/// Arguments of all commands that take traces through an analysis.
#[derive(clap::Args)]
pub(crate) struct ReadingArguments {
    /// Print JSON, an object for each trace.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) window: WindowArguments,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

impl ReadingArguments {
    /// The same for some files.
    pub(crate) fn asked<'a>(&'a self, files: &'a [PathBuf]) -> Asked<'a> {
        Asked {
            files,
            input: &self.input,
            window: &self.window,
            is_text: !self.json,
        }
    }
}

/// Where commands print to.
pub(crate) type Output = BufWriter<StdoutLock<'static>>;

/// What is asked of a command that takes traces through an analysis.
pub(crate) struct Asked<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) input: &'a InputArguments,
    pub(crate) window: &'a WindowArguments,
    /// There is an empty line between what is printed of two traces.
    pub(crate) is_text: bool,
}

/// What came of an analysis of a trace.
pub(crate) struct Reading<R> {
    pub(crate) report: R,
    /// The time of the first event.
    pub(crate) first: Timestamp,
    /// In whose words to tell it: Go's for traces of Go.
    pub(crate) is_of_go: bool,
}

/// Takes each trace through an analysis of its own, prints what comes of it, and tells what of the trace could not be read.
pub(crate) fn print_each<A: Analysis>(
    asked: &Asked<'_>,
    analysis: impl Fn() -> A,
    mut print: impl FnMut(
        &mut Output,
        &Input<'_>,
        Reading<A::Report>,
        &Ended,
    ) -> Result<(), CommandError>,
) -> Result<Outcome, CommandError> {
    let inputs = asked.input.open_all(asked.files)?;
    let mut worst = inputs.outcome;
    let mut output = BufWriter::new(io::stdout().lock());
    for (index, input) in inputs.traces().iter().enumerate() {
        let (reading, ended) = read(input, asked.input, asked.window, analysis());
        if let Some(reading) = reading {
            if index > 0 && asked.is_text {
                writeln!(output)?;
            }
            print(&mut output, input, reading, &ended)?;
        }
        output.flush()?;
        worst = worst.max(ended.tell(input, asked.input.strict));
    }
    Ok(worst.allow_partial(asked.input.allow_partial))
}

/// What came of a trace that is taken alone, whatever others there are.
pub(crate) struct Lone<R> {
    /// What messages call it.
    pub(crate) file: String,
    /// The same as an argument of a command.
    arguments: String,
    pub(crate) reading: Option<Reading<R>>,
    pub(crate) outcome: Outcome,
}

impl<R> Lone<R> {
    /// What objects for programs say of it.
    pub(crate) fn about(&self, reading: &Reading<R>) -> About<'_> {
        About {
            file: &self.file,
            arguments: &self.arguments,
            first: reading.first,
        }
    }
}

/// Reads a trace that is no part of another one, and tells what of it could not be read.
pub(crate) fn read_lone<A: Analysis>(
    path: &Path,
    input: &InputArguments,
    window: &WindowArguments,
    analysis: A,
) -> Result<Lone<A::Report>, CommandError> {
    let inputs = input.open_all(&[path.to_owned()])?;
    let mut lone = Lone {
        file: path.display().to_string(),
        arguments: String::new(),
        reading: None,
        outcome: inputs.outcome,
    };
    // A file is one trace.
    if let Some(trace) = inputs.traces().first() {
        let (reading, ended) = read(trace, input, window, analysis);
        lone.file.clone_from(&trace.name);
        lone.arguments.clone_from(&trace.arguments);
        lone.reading = reading;
        lone.outcome = lone.outcome.max(ended.tell(trace, input.strict));
    }
    Ok(lone)
}

/// Reads a trace. Nothing comes of one that has no events.
pub(crate) fn read<A: Analysis>(
    input: &Input<'_>,
    arguments: &InputArguments,
    window: &WindowArguments,
    analysis: A,
) -> (Option<Reading<A::Report>>, Ended) {
    read_in(input, arguments, |axis| Ok((window.of(axis)?, analysis)))
}

/// Reads a trace; `prepare` says what is to be looked at, and by what, once it is known what times count from.
pub(crate) fn read_in<A: Analysis>(
    input: &Input<'_>,
    arguments: &InputArguments,
    prepare: impl FnOnce(Axis<'_>) -> Result<(Window, A), NoClock>,
) -> (Option<Reading<A::Report>>, Ended) {
    thread::scope(|scope| {
        let reader = input.reader(arguments.mode(), scope);
        take(input, reader, prepare)
    })
}

/// Takes all that a reader gives through an analysis.
fn take<A: Analysis>(
    input: &Input<'_>,
    reader: Result<Reader<'_>, Error>,
    prepare: impl FnOnce(Axis<'_>) -> Result<(Window, A), NoClock>,
) -> (Option<Reading<A::Report>>, Ended) {
    let mut ended = Ended::default();
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(fault) => {
            ended.fault = Some(fault);
            return (None, ended);
        }
    };
    let mut progress = Progress::new(input.bytes().len() as u64);
    let file = Some(input.bytes());
    let prepare = |first| prepare(Axis { first, file });
    let passed = Pass::over(&mut reader, prepare, |event, reader| {
        ended.add(event, reader);
        progress.show(event.offset);
    });
    drop(progress);
    let Ok(Passed {
        report,
        first,
        fault,
        ..
    }) = passed
    else {
        ended.lacks_clock = Some(NoClock::ADVICE);
        return (None, ended);
    };
    ended.fault = fault;
    ended.end(&reader, first);
    let reading = report.map(|report| Reading {
        report,
        first,
        is_of_go: ended.description.writer().is_none(),
    });
    (reading, ended)
}
