//! The `exectrace` command.
#![expect(clippy::print_stderr, reason = "a command prints its errors")]

mod demo;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// Counts the program's heap for the recording.
#[global_allocator]
static ALLOCATOR: exectrace::TracingAllocator = exectrace::TracingAllocator::system();

/// A usage error, as BSD's sysexits have it.
const USAGE: u8 = 64;

/// An execution tracer for Rust programs.
#[derive(Parser)]
#[command(name = "exectrace", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record a demonstration: an HTTP server under load, and a pool of threads.
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing can be done where the message itself cannot be printed.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(USAGE),
            };
        }
    };
    let result = match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("exectrace: {error}");
            ExitCode::FAILURE
        }
    }
}
