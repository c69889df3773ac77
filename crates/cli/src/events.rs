//! `exectrace events`: all events of a trace, one a line.

mod fields;
mod filter;
mod json;
mod text;

use std::io::{self, BufWriter};
use std::path::PathBuf;

use exectrace_reader::{Description, Error, Kind, Loss, Reader, Repairs, Source, Timestamp};

use self::filter::Filter;
use self::json::JsonLines;
use self::text::TextLines;
use crate::advice;
use crate::damage;
use crate::error::CommandError;
use crate::input::{self, InputArguments};
use crate::outcome::{self, Outcome};
use crate::progress::Progress;

/// Room for what is printed before it goes out.
const OUTPUT_BYTES: usize = 1 << 16;

/// Arguments of `exectrace events`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The trace; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
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
    /// What stands before the events.
    fn begin(&mut self, reader: &Reader<'_>) -> io::Result<()>;

    /// An event; `since_ns` is its time since the first event of the trace.
    fn event(&mut self, printed: &Printed<'_, '_>) -> io::Result<()>;

    /// Brings all that was printed out.
    fn flush(&mut self) -> io::Result<()>;
}

/// An event with what its ids refer to.
struct Printed<'r, 'a> {
    event: exectrace_reader::Event,
    reader: &'r Reader<'a>,
    /// The time of the first event of the trace.
    first: Timestamp,
}

/// What came of a trace.
#[derive(Default)]
struct Ended {
    /// Some events that are not syncs were read, printed or not.
    has_events: bool,
    fault: Option<Error>,
    loss: Loss,
    repairs: Repairs,
    first: Timestamp,
}

/// Prints the events.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let source = arguments.input.open(&arguments.file)?;
    let name = input::name(&arguments.file);
    if let Some(fault) = source.fault()
        && arguments.input.strict
    {
        eprintln!("exectrace: {name}: {fault}; {}", advice::on_packing(fault));
        return Ok(Outcome::Unreadable);
    }
    let output = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
    let ended = if arguments.json || arguments.format == Form::Jsonl {
        let lines = JsonLines::new(output, arguments.stacks);
        print(&source, arguments, lines)?
    } else {
        let lines = TextLines::new(output, arguments.stacks);
        print(&source, arguments, lines)?
    };
    let mut outcome = tell(&name, &source, &ended);
    if arguments.input.strict && ended.fault.is_some() && ended.has_events {
        // What was printed was not known to be faulty.
        outcome = Outcome::Unreadable;
    }
    Ok(outcome.allow_partial(arguments.input.allow_partial))
}

fn print(source: &Source, arguments: &Arguments, mut lines: impl Lines) -> io::Result<Ended> {
    let filter = &arguments.filter;
    let mut ended = Ended::default();
    let mut reader = match Reader::open(source.bytes(), arguments.input.mode()) {
        Ok(reader) => reader,
        Err(fault) => {
            ended.fault = Some(fault);
            return Ok(ended);
        }
    };
    lines.begin(&reader)?;
    let mut progress = Progress::beside_output(source.bytes().len() as u64);
    let mut first = None;
    let mut description = Description::default();
    while let Some(event) = reader.next() {
        let event = match event {
            Ok(event) => event,
            Err(fault) => {
                ended.fault = Some(fault);
                break;
            }
        };
        ended.has_events |= event.kind != Kind::Sync;
        if let Kind::UserLog { .. } = event.kind {
            description.add(&event, reader.tables());
        }
        progress.show(event.offset);
        let first = *first.get_or_insert(event.time);
        if filter.is_past(&event, first) {
            break;
        }
        let reader = &reader;
        if filter.lets_through(&event, first, reader.version()) {
            lines.event(&Printed {
                event,
                reader,
                first,
            })?;
        }
    }
    lines.flush()?;
    ended.loss = reader.loss().clone();
    ended.loss.dropped = description.dropped();
    ended.repairs = reader.repairs().clone();
    ended.first = first.unwrap_or_default();
    Ok(ended)
}

/// Says what was lost.
fn tell(name: &str, source: &Source, ended: &Ended) -> Outcome {
    if let Some(fault) = source.fault() {
        eprintln!("exectrace: {name}: {fault}; {}", advice::on_packing(fault));
    }
    if let Some(fault) = ended.fault {
        eprintln!("exectrace: {name}: {fault}; {}", advice::on_fault(&fault));
    }
    let is_whole = ended.loss.is_none() && ended.repairs.is_none();
    damage::tell(name, &ended.loss, &ended.repairs, ended.first);
    match (ended.has_events, ended.fault) {
        (true, None) if source.fault().is_none() && is_whole => Outcome::Whole,
        (true, _) => Outcome::Partial,
        (false, fault) if is_whole && fault.is_none_or(|fault| advice::is_empty(&fault)) => {
            if fault.is_none() {
                eprintln!("exectrace: {name}: {}", advice::on_empty(source.bytes()));
            }
            Outcome::Partial
        }
        (false, _) => Outcome::Unreadable,
    }
}
