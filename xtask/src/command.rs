//! Running programs, with the line to type when one fails.

use std::env;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::Error;

/// A program with its arguments and the variables that it gets beside those of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invocation {
    program: String,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Invocation {
    /// The cargo that runs this task, with `line` split at its spaces.
    pub(crate) fn cargo(line: &str) -> Self {
        Self {
            program: env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()),
            arguments: line.split_whitespace().map(str::to_owned).collect(),
            variables: Vec::new(),
        }
    }

    /// Another program.
    pub(crate) fn program(program: &str, arguments: &[&str]) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            variables: Vec::new(),
        }
    }

    pub(crate) fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// The line that does the same in a shell.
    pub(crate) fn line(&self) -> String {
        let mut line = String::new();
        // Writing to a string cannot fail.
        for (name, value) in &self.variables {
            let quote = if value.contains(' ') { "'" } else { "" };
            let _ = write!(line, "{name}={quote}{value}{quote} ");
        }
        let program = Path::new(&self.program).file_name();
        line.push_str(&program.unwrap_or_default().to_string_lossy());
        for argument in &self.arguments {
            let _ = write!(line, " {argument}");
        }
        line
    }

    /// Runs it in `directory` with this process's outputs.
    pub(crate) fn run(&self, directory: &Path) -> Result<(), Error> {
        let status = self.command(directory).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Error::Failed {
                command: self.line(),
            }),
            Err(source) => Err(self.cannot_start(source)),
        }
    }

    /// Runs it in `directory` and returns what it printed.
    pub(crate) fn output(&self, directory: &Path) -> Result<String, Error> {
        let output = self
            .command(directory)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|source| self.cannot_start(source))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(Error::Failed {
                command: self.line(),
            })
        }
    }

    fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(directory);
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }

    fn cannot_start(&self, source: std::io::Error) -> Error {
        Error::Start {
            command: self.line(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_can_be_typed() {
        let invocation = Invocation::program("/usr/bin/cargo", &["test", "-p", "x", "--release"])
            .variable("A", "1")
            .variable("RUSTFLAGS", "--cfg loom");
        assert_eq!(
            invocation.line(),
            "A=1 RUSTFLAGS='--cfg loom' cargo test -p x --release"
        );
    }

    #[test]
    fn a_failure_names_the_line() {
        let here = Path::new("/");
        let error = Invocation::program("sh", &["-c", "exit 3"]).run(here);
        assert!(matches!(error, Err(Error::Failed { command }) if command == "sh -c exit 3"));
        let absent = Invocation::program("/nonexistent/program", &[]).output(here);
        assert!(matches!(absent, Err(Error::Start { .. })));
    }

    #[test]
    fn output_is_what_was_printed() {
        let printed = Invocation::program("sh", &["-c", "echo $WORD"])
            .variable("WORD", "yes")
            .output(Path::new("/"));
        assert_eq!(printed.expect("the shell succeeds"), "yes\n");
    }
}
