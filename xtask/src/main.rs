//! The workspace's own checks: `cargo xtask ci`, `tidy`, `bench`.
//!
//! | module | holds |
//! | --- | --- |
//! | `ci` | the steps that a change must pass, a row each |
//! | `loom` | the model-checked suites, a row each |
//! | `tidy` | the rules that neither the compiler nor clippy can check |
//! | `bench` | the budgets, a row each, and how ours compare |
//! | `workspace`, `command`, `error` | the packages; running programs; what can fail |

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command talks to whoever runs it"
)]

mod bench;
mod ci;
mod command;
mod error;
mod loom;
mod tidy;
mod workspace;

use std::env;
use std::process::ExitCode;

use error::Error;
use workspace::Workspace;

const HELP: &str = "\
The workspace's own checks.

    cargo xtask ci [STEP…]      all that a change must pass, or only the named steps
    cargo xtask ci --list       the steps
    cargo xtask tidy            the house rules that no compiler checks
    cargo xtask bench [NAME…]   the benches beside their budgets, or only those of the named packages;
                                `peers` for other tracers, which are in no package of ours
    cargo xtask help            this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Error> {
    let Some((task, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    match task.as_str() {
        "ci" if rest == ["--list"] => {
            ci::list();
            Ok(())
        }
        "ci" => ci::run(&Workspace::load()?, rest),
        "tidy" if rest.is_empty() => tidy::run(&Workspace::load()?),
        "bench" => bench::run(&Workspace::load()?, rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(Error::Usage {
            arguments: arguments.join(" "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_refused() {
        for words in [&["cii"][..], &["tidy", "now"], &["--ci"]] {
            let arguments: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert!(
                matches!(run(&arguments), Err(Error::Usage { .. })),
                "{words:?}"
            );
        }
    }
}
