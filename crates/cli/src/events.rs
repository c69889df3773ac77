//! `exectrace events`: all events of traces, one a line.

mod fields;
mod filter;
mod json;
mod line;
mod record;
mod text;

use std::io::{self, BufWriter};
use std::path::PathBuf;

use exectrace_analysis::Window;
use exectrace_json::{Axis, NoClock};
use exectrace_reader::{Event, MergeError, Merged, Reader, Timestamp};

use self::filter::Filter;
use self::json::JsonLines;
pub(crate) use self::line::Line;
use self::text::TextLines;
use crate::advice;
use crate::ended::Ended;
use crate::error::CommandError;
use crate::input::{Input, InputArguments};
use crate::outcome::{self, Outcome};
use crate::progress::Progress;

/// Room for what is printed before it goes out.
const OUTPUT_BYTES: usize = 1 << 16;

/// Arguments of `exectrace events`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The trace, or its parts; - is standard input. Traces of several processes are put in order of the wall clock.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What a line is.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// The same as --format jsonl.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print the frames of stacks.
    #[arg(long)]
    stacks: bool,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    input: InputArguments,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// For people: time, Go's name of the event, fields.
    Text,
    /// For programs: JSON, an object a line.
    Jsonl,
}

/// Prints events, whatever the form.
trait Lines {
    /// What stands before the events of these traces, the first of which was at `first`.
    fn begin(
        &mut self,
        inputs: &[Input<'_>],
        merged: &Merged<'_>,
        first: Option<Timestamp>,
    ) -> io::Result<()>;

    /// An event; `since_ns` is its time since the first event of the trace.
    fn event(&mut self, printed: &Printed<'_, '_>) -> io::Result<()>;

    /// Brings all that was printed out.
    fn flush(&mut self) -> io::Result<()>;
}

/// An event with what its ids refer to.
struct Printed<'r, 'a> {
    event: Event,
    /// The place of its trace, where there are several.
    trace: Option<usize>,
    reader: &'r Reader<'a>,
    /// The time of the first event of all.
    first: Timestamp,
}

/// Prints the events.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let inputs = arguments.input.open_all(&arguments.files)?;
    let (opened, inputs) = (inputs.outcome, inputs.traces());
    let faults = inputs
        .iter()
        .filter_map(|input| Some((input, input.fault?)));
    let mut outcome = opened;
    if arguments.input.strict {
        for (input, fault) in faults {
            let advice = advice::on_packing(fault);
            eprintln!("exectrace: {}: {fault}; {advice}", input.name);
            outcome = Outcome::Unreadable;
        }
    }
    if outcome != Outcome::Whole {
        return Ok(outcome);
    }
    let output = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
    let ended = if arguments.json || arguments.format == Form::Jsonl {
        let lines = JsonLines::new(output, arguments.stacks);
        print(&inputs, arguments, lines)?
    } else {
        let lines = TextLines::new(output, arguments.stacks);
        print(&inputs, arguments, lines)?
    };
    for (input, ended) in inputs.iter().zip(&ended) {
        outcome = outcome.max(ended.tell(input, arguments.input.strict));
    }
    Ok(outcome.allow_partial(arguments.input.allow_partial))
}

/// Prints the events of all traces; what came of each.
fn print(
    inputs: &[Input<'_>],
    arguments: &Arguments,
    mut lines: impl Lines,
) -> io::Result<Vec<Ended>> {
    let filter = &arguments.filter;
    let mut ended: Vec<Ended> = inputs.iter().map(|_| Ended::default()).collect();
    let files: Vec<&[u8]> = inputs.iter().map(Input::bytes).collect();
    let mut merged = match Merged::open(&files, arguments.input.mode()) {
        Ok(merged) => merged,
        Err(MergeError { trace, error }) => {
            ended[trace].fault = error;
            ended[trace].lacks_clock = error.is_none().then_some(advice::EACH_ALONE);
            return Ok(ended);
        }
    };
    let total: usize = files.iter().map(|file| file.len()).sum();
    let mut progress = Progress::beside_output(total as u64);
    let mut bytes_read = vec![0; files.len()];
    let (mut first, mut window) = (None, Window::WHOLE);
    while let Some(event) = merged.next() {
        let (trace, event) = match event {
            Ok(event) => event,
            Err((trace, fault)) => {
                ended[trace].fault = Some(fault);
                continue;
            }
        };
        let reader = merged.reader(trace);
        ended[trace].add(&event, reader);
        bytes_read[trace] = event.offset.max(bytes_read[trace]);
        progress.show(bytes_read.iter().sum());
        if first.is_none() {
            lines.begin(inputs, &merged, Some(event.time))?;
            // Times of several traces are those of the wall clock.
            let file = Some(files[trace]).filter(|_| files.len() == 1);
            let first = event.time;
            match filter.window.of(Axis { first, file }) {
                Ok(asked_for) => window = asked_for,
                Err(NoClock) => {
                    ended[trace].lacks_clock = Some(NoClock::ADVICE);
                    return Ok(ended);
                }
            }
        }
        let first = *first.get_or_insert(event.time);
        if window.to().is_some_and(|to| event.time >= to) {
            break;
        }
        let printed = Printed {
            event,
            trace: (files.len() > 1).then_some(trace),
            reader,
            first,
        };
        if window.contains(printed.event.time) && filter.lets_through(&printed) {
            lines.event(&printed)?;
        }
    }
    if first.is_none() {
        lines.begin(inputs, &merged, None)?;
    }
    lines.flush()?;
    for (trace, ended) in ended.iter_mut().enumerate() {
        ended.end(merged.reader(trace), first.unwrap_or_default());
    }
    Ok(ended)
}
