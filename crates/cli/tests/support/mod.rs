//! What the tests of commands share: running them on traces.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use exectrace_testkit::Corpus;

/// A shipped trace.
pub(crate) fn shipped(file: &str) -> PathBuf {
    Corpus::shipped().folder().join(file)
}

pub(crate) fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exectrace"));
    command.args(arguments);
    command
}

/// Runs the command on files.
pub(crate) fn run(arguments: &[&str], files: &[&Path]) -> Output {
    let mut command = command(arguments);
    command.args(files);
    command.output().expect("the command runs")
}

/// Runs the command with bytes as its standard input.
pub(crate) fn feed(arguments: &[&str], input: Vec<u8>) -> Output {
    let mut child = command(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("is piped");
    let feeder = std::thread::spawn(move || {
        // A command that refuses its input does not read all of it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the command ends");
    feeder.join().expect("writing does not panic");
    output
}

#[track_caller]
pub(crate) fn check_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", error(output));
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("is text")
}

pub(crate) fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
