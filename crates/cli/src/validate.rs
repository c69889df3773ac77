//! `exectrace validate`: whether the events of traces can have happened as they are told.

use std::io::{self, Write};
use std::path::PathBuf;

use exectrace_reader::{Reader, Source, Validator};

use crate::advice;
use crate::error::CommandError;
use crate::input::{self, InputArguments};
use crate::outcome::{self, Outcome};

/// Arguments of `exectrace validate`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The traces; - is standard input.
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
    let mut worst = Outcome::Whole;
    let mut out = io::stdout().lock();
    for file in &arguments.files {
        let name = input::name(file);
        let outcome = match arguments.input.open(file) {
            Ok(source) => check(&name, &source, arguments.most, &mut out)?,
            Err(error) => {
                eprintln!("exectrace: {error}");
                Outcome::Unreadable
            }
        };
        worst = worst.max(outcome);
    }
    Ok(worst.allow_partial(arguments.input.allow_partial))
}

fn check(name: &str, source: &Source, most: u64, out: &mut impl Write) -> io::Result<Outcome> {
    let (mut events, mut violations) = (0_u64, 0_u64);
    let mut fault = None;
    match Reader::new(source.bytes()) {
        Ok(reader) => {
            let mut validator = Validator::new();
            for event in reader {
                let event = match event {
                    Ok(event) => event,
                    Err(error) => {
                        fault = Some(error);
                        break;
                    }
                };
                events += 1;
                if let Err(violation) = validator.event(&event) {
                    violations += 1;
                    if violations <= most {
                        writeln!(out, "{name}: {violation}")?;
                    }
                }
            }
        }
        Err(error) => fault = Some(error),
    }
    if violations > most {
        writeln!(out, "{name}: and {} more", violations - most)?;
    }
    writeln!(out, "{name}: {events} events, {violations} violations")?;
    if let Some(packing) = source.fault() {
        eprintln!(
            "exectrace: {name}: {packing}; {}",
            advice::on_packing(packing)
        );
    }
    if let Some(fault) = &fault {
        eprintln!("exectrace: {name}: {fault}; {}", advice::on_fault(fault));
    }
    let is_whole = violations == 0 && source.fault().is_none();
    Ok(match fault {
        None if is_whole && events > 0 => Outcome::Whole,
        Some(fault) if events == 0 && !advice::is_empty(&fault) => Outcome::Unreadable,
        _ => Outcome::Partial,
    })
}
