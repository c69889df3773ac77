//! The `exectrace` command: all of it is in the library, whose name no stack of the demonstration takes for the recorder's.

use std::process::ExitCode;

fn main() -> ExitCode {
    exectrace_cli::run()
}
