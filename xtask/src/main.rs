//! The workspace's own checks: `cargo xtask ci`, `tidy`, `bench`, `bigtrace`, `corpus`.
//!
//! | module | holds |
//! | --- | --- |
//! | `arguments` | what a command line asks for |
//! | `ci` | the steps that a change must pass, a row each |
//! | `loom` | the model-checked suites, a row each |
//! | `page` | the viewer's page, in a real browser |
//! | `tidy` | the rules that neither the compiler nor clippy can check |
//! | `bench` | the budgets, a row each, and how ours compare |
//! | `bigtrace` | large traces for the bench, recorded with Go |
//! | `corpus` | the shipped traces, recorded anew |
//! | `workspace`, `command`, `error` | the packages; running programs; what can fail |

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command talks to whoever runs it"
)]

mod arguments;
mod bench;
mod bigtrace;
mod ci;
mod command;
mod corpus;
mod error;
mod loom;
mod page;
mod tidy;
mod workspace;

use std::process::ExitCode;

use arguments::{Arguments, Task};
use clap::Parser;
use error::Error;
use workspace::Workspace;

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<(), Error> {
    if let Task::Ci { list: true, .. } = task {
        ci::list();
        return Ok(());
    }
    let workspace = Workspace::load()?;
    match task {
        Task::Ci { steps, .. } => ci::run(&workspace, &steps),
        Task::Tidy => tidy::run(&workspace),
        Task::Bench(arguments) => bench::run(&workspace, &arguments),
        Task::Bigtrace(arguments) => bigtrace::run(&workspace, &arguments),
        Task::Corpus { table } => corpus::run(&workspace, table),
    }
}
