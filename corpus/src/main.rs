//! Records the shipped traces anew, and writes down what Go's own readers find in them.
//!
//! ```console
//! $ cargo xtask corpus            # everything
//! $ cargo xtask corpus --table    # only what Go finds
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | `go_program` | what Go records: a row a program |
//! | `recordings` | what our recorder records: a function each |
//! | `shelf` | the folder: files in, table out |
//! | `row` | what a reader of Go finds in a file |
//! | `tally`, `line` | how events are counted; an event as the reader tells it |
//! | `error` | what can fail |

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command talks to whoever runs it"
)]

mod error;
mod go_program;
mod line;
mod recordings;
mod row;
mod shelf;
mod tally;

use std::env;
use std::process::ExitCode;

use error::Error;
use shelf::Shelf;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Error> {
    match arguments {
        [] => {
            let shelf = Shelf::shipped();
            go_program::record_all(&shelf)?;
            recordings::record_all(&shelf)?;
            shelf.write_table()
        }
        ["table"] => Shelf::shipped().write_table(),
        // The process that is recorded, whose output is the trace.
        ["record", name] => recordings::record_here(name),
        _ => Err(Error::Usage {
            arguments: arguments.join(" "),
        }),
    }
}
