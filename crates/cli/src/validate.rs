//! `exectrace validate`: whether the events of traces can have happened as they are told.

use std::io::{self, Write};
use std::path::PathBuf;

use exectrace_reader::{Description, Kind, Loss, Mode, Reader, Repairs, Validator};

use crate::advice;
use crate::damage;
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
    let name = &input.name;
    let most = arguments.most;
    let (mut events, mut violations) = (0_u64, 0_u64);
    let mut fault = None;
    let (mut loss, mut repairs) = (Loss::default(), Repairs::default());
    let (mut first, mut has_events) = (None, false);
    match Reader::open(input.bytes(), arguments.input.mode()) {
        Ok(mut reader) => {
            let mut validator = Validator::new();
            let mut description = Description::default();
            while let Some(event) = reader.next() {
                let event = match event {
                    Ok(event) => event,
                    Err(error) => {
                        fault = Some(error);
                        break;
                    }
                };
                events += 1;
                has_events |= event.kind != Kind::Sync;
                if let Kind::UserLog { .. } = event.kind {
                    description.add(&event, reader.tables());
                }
                first.get_or_insert(event.time);
                if let Err(violation) = validator.event(&event) {
                    violations += 1;
                    if violations <= most {
                        writeln!(out, "{name}: {violation}")?;
                    }
                }
            }
            loss = reader.loss().clone();
            if arguments.input.mode() == Mode::Tolerant {
                description.add_to(&mut loss);
            }
            repairs = reader.repairs().clone();
        }
        Err(error) => fault = Some(error),
    }
    if violations > most {
        writeln!(out, "{name}: and {} more", violations - most)?;
    }
    writeln!(out, "{name}: {events} events, {violations} violations")?;
    if let Some(packing) = input.fault {
        eprintln!(
            "exectrace: {name}: {packing}; {}",
            advice::on_packing(packing)
        );
    }
    if let Some(fault) = &fault {
        eprintln!("exectrace: {name}: {fault}; {}", advice::on_fault(fault));
    }
    damage::tell(name, &loss, &repairs, first.unwrap_or_default());
    let is_read_whole = loss.is_none() && repairs.is_none() && input.fault.is_none();
    let is_whole = violations == 0 && is_read_whole;
    let is_empty = match fault {
        None => is_read_whole,
        Some(fault) => advice::is_empty(&fault),
    };
    Ok(match has_events {
        true if is_whole && fault.is_none() => Outcome::Whole,
        false if !is_empty => Outcome::Unreadable,
        _ => Outcome::Partial,
    })
}
