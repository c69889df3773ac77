//! `exectrace validate`: whether the events of traces can have happened as they are told.

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;

use exectrace_json::since_first;
use exectrace_reader::{Error, Reader, Rule, Timestamp, Validator, Violation};

use crate::ended::Ended;
use crate::error::CommandError;
use crate::input::{Input, InputArguments};
use crate::outcome::{self, Outcome};

/// Arguments of `exectrace validate`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input. Files that are parts of one trace are put together.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many violations of a trace are printed; all are counted.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    most: u64,
    #[command(flatten)]
    input: InputArguments,
}

/// Checks each trace and says what breaks a rule.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let inputs = arguments.input.open_all(&arguments.files)?;
    let mut worst = inputs.outcome;
    let mut out = io::stdout().lock();
    for input in inputs.traces() {
        worst = worst.max(check(&input, arguments, &mut out)?);
    }
    Ok(worst.allow_partial(arguments.input.allow_partial))
}

fn check(input: &Input<'_>, arguments: &Arguments, out: &mut impl Write) -> io::Result<Outcome> {
    thread::scope(|scope| {
        let reader = input.reader(arguments.input.mode(), scope);
        check_all(input, reader, arguments, out)
    })
}

/// Checks all that a reader gives.
fn check_all(
    input: &Input<'_>,
    reader: Result<Reader<'_>, Error>,
    arguments: &Arguments,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let name = &input.name;
    let most = arguments.most;
    let (mut events, mut violations) = (0_u64, 0_u64);
    let mut ended = Ended::default();
    match reader {
        Ok(mut reader) => {
            let mut validator = Validator::new();
            let mut first = None;
            loop {
                let (event, reader) = match reader.lend_next() {
                    Ok(Some(next)) => next,
                    Ok(None) => break,
                    Err(fault) => {
                        ended.fault = Some(fault);
                        break;
                    }
                };
                events += 1;
                ended.add(event, reader);
                let first = *first.get_or_insert(event.time);
                if let Err(violation) = validator.event(event) {
                    violations += 1;
                    if violations <= most {
                        writeln!(out, "{name}: {}", line(&violation, first))?;
                    }
                }
            }
            ended.end(&reader, first.unwrap_or_default());
        }
        Err(error) => ended.fault = Some(error),
    }
    if violations > most {
        writeln!(out, "{name}: and {} more", violations - most)?;
    }
    writeln!(out, "{name}: {events} events, {violations} violations")?;
    let outcome = ended.tell(input, arguments.input.strict);
    let broken = if violations > 0 {
        Outcome::Partial
    } else {
        Outcome::Whole
    };
    Ok(outcome.max(broken))
}

/// A violation; times since `first`, the first event.
fn line(violation: &Violation, first: Timestamp) -> String {
    let (offset, time) = (violation.offset, since_first(violation.time, first));
    let rule = match violation.rule {
        Rule::TimeGoesBack { last } => {
            let last = since_first(last, first);
            format!("the event before was at {last}")
        }
        rule => rule.to_string(),
    };
    format!("byte {offset}, {time}: {rule}")
}
