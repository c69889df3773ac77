//! The `exectrace` command, as a library: [`run`] is its `main`.
#![expect(clippy::print_stderr, reason = "a command prints its errors")]

mod advice;
mod blockers;
mod check;
mod damage;
mod demo;
mod diff;
mod ended;
mod error;
mod events;
mod filtered;
mod findings;
mod gc;
mod info;
mod input;
mod json;
mod latency;
mod outcome;
mod profile;
mod progress;
mod reading;
mod schema;
mod selection;
mod shown;
mod state;
mod summary;
mod table;
mod tasks;
mod threshold;
mod tone;
mod units;
mod validate;
mod view;
mod why;
mod window;
mod words;
mod workers;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use self::outcome::Outcome;

/// Counts the program's heap for the recording.
#[global_allocator]
static ALLOCATOR: exectrace::TracingAllocator = exectrace::TracingAllocator::system();

/// An execution tracer for Rust programs, and a reader of Go's execution traces.
#[derive(Parser)]
#[command(name = "exectrace", version, about, after_help = outcome::EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record a demonstration: an HTTP server under load, and a pool of threads.
    Demo(demo::Arguments),
    /// Say what is in traces, and whether they are whole.
    Info(info::Arguments),
    /// Print the events of a trace, one a line.
    Events(events::Arguments),
    /// Say on one screen whether a trace is whole, what its program is short of, and what took long.
    Summary(summary::Arguments),
    /// Say what cost the tasks of a program time, the worst first.
    Findings(findings::Arguments),
    /// Check traces against budgets, for a build that is to fail when they are broken.
    Check(check::Arguments),
    /// Say what changed from one trace to another, and what is only noise.
    Diff(diff::Arguments),
    /// Say how long tasks ran, waited for a worker and were blocked, by the function that they run.
    Tasks(tasks::Arguments),
    /// Say which code made others wait: how long, how often, and who woke them where.
    Blockers(blockers::Arguments),
    /// Say where time was spent, by stack: CPU samples, waits and system calls; also for flame graphs and pprof.
    Profile(profile::Arguments),
    /// Say what the garbage collector did, what it left of the workers, and how large the heap was.
    Gc(gc::Arguments),
    /// Say how long user tasks and regions took, by name; and why the longest of a name did.
    Latency(latency::Arguments),
    /// Say why a task or a user task took so long, and who woke whom.
    Why(why::Arguments),
    /// Say how workers and threads were used over time.
    Workers(workers::Arguments),
    /// Show a trace in a browser.
    View(view::Arguments),
    /// Check whether the events of traces can have happened as they are told.
    Validate(validate::Arguments),
    /// Print what the JSON of the commands looks like, as JSON Schema.
    Schema(schema::Arguments),
}

/// Does what the command line asks for; the answer is the process's exit code.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing can be done where the message itself cannot be printed.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(outcome::USAGE),
            };
        }
    };
    let result = match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments).map(|()| Outcome::Whole),
        Command::Info(arguments) => info::run(&arguments),
        Command::Events(arguments) => events::run(&arguments),
        Command::Summary(arguments) => summary::run(&arguments),
        Command::Findings(arguments) => findings::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Tasks(arguments) => tasks::run(&arguments),
        Command::Blockers(arguments) => blockers::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Gc(arguments) => gc::run(&arguments),
        Command::Latency(arguments) => latency::run(&arguments),
        Command::Why(arguments) => why::run(&arguments),
        Command::Workers(arguments) => workers::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
    };
    match result {
        Ok(outcome) => outcome.into(),
        // Who closes a pipe has seen enough.
        Err(error) if error.is_of_a_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("exectrace: {error}");
            error.exit_code()
        }
    }
}
