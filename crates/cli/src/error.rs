//! What keeps a command from doing its work.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{fmt, io};

use exectrace_analysis::Id;
use exectrace_reader::SourceError;
use exectrace_viewer::ExportError;

use crate::demo::DemoError;
use crate::outcome::{self, Outcome};

/// What keeps a command from doing its work.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The demonstration failed.
    Demo(DemoError),
    /// A trace cannot be opened.
    Input { name: String, error: SourceError },
    /// Nothing can be printed.
    Output(io::Error),
    /// A file cannot be written.
    OutputFile { path: PathBuf, error: io::Error },
    /// One file is to hold what several traces have.
    SeveralTraces { traces: usize },
    /// More traces are given than are shown.
    OneTrace,
    /// An address cannot be had.
    Listen {
        address: SocketAddr,
        error: io::Error,
    },
    /// The server has failed.
    Serve(io::Error),
    /// There is no page of a trace.
    Export(ExportError),
    /// No trace has what was asked for.
    NotThere { id: Id },
    /// One task is asked for, and some of all.
    OneTask,
    /// There is nothing to check.
    NoBudget,
    /// A filter makes no sense.
    Where { text: String, reason: String },
}

impl CommandError {
    pub(crate) fn is_of_a_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input { .. }
            | Self::Export(ExportError::Unreadable { .. } | ExportError::NoClock(_)) => {
                Outcome::Unreadable.into()
            }
            Self::SeveralTraces { .. }
            | Self::OneTrace
            | Self::OneTask
            | Self::NoBudget
            | Self::Where { .. } => ExitCode::from(outcome::USAGE),
            Self::Demo(_)
            | Self::Export(_)
            | Self::Listen { .. }
            | Self::NotThere { .. }
            | Self::Output(_)
            | Self::OutputFile { .. }
            | Self::Serve(_) => ExitCode::FAILURE,
        }
    }
}

impl From<DemoError> for CommandError {
    fn from(error: DemoError) -> Self {
        Self::Demo(error)
    }
}

impl From<io::Error> for CommandError {
    /// Whatever else reads or writes has errors of its own.
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demo(error) => error.fmt(f),
            Self::Input { name, error } => {
                write!(f, "{name} {error}")?;
                match error {
                    SourceError::TooLarge { .. } => {
                        f.write_str("; raise the limit with --unpack-limit BYTES")
                    }
                    SourceError::WindowTooLarge { .. } => {
                        f.write_str("; unpack it with zstd -d --long=31")
                    }
                    _ => Ok(()),
                }
            }
            Self::OutputFile { path, error } => {
                write!(f, "{} cannot be written: {error}", path.display())
            }
            Self::SeveralTraces { traces } => write!(
                f,
                "a file holds the profile of one trace, not of {traces}; give each of them alone"
            ),
            Self::OneTrace => f.write_str(
                "the files are more than two traces: give one to be shown, or an older and a newer one to be compared",
            ),
            Self::Listen { address, error } => write!(
                f,
                "cannot listen at {address}: {error}; another port may be free: --listen 127.0.0.1:0"
            ),
            Self::Export(error) => write!(f, "no page can be made: {error}"),
            Self::Serve(error) => write!(f, "the viewer's server has failed: {error}"),
            Self::NoBudget => {
                f.write_str("there is nothing to check: give --max BUDGET, --fail-on SEVERITY or --baseline OLD")
            }
            Self::Where { text, reason } => {
                write!(f, "invalid value '{text}' for '--where <FILTER>': {reason}")
            }
            Self::OneTask => f.write_str("one task is asked for: leave out --group and --where"),
            Self::NotThere { id } => write!(
                f,
                "there is no {id}, or not then; `exectrace events` tells of all tasks and user tasks"
            ),
            Self::Output(error) => write!(f, "the output cannot be written: {error}"),
        }
    }
}
