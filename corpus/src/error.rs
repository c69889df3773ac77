//! What can fail.

use std::path::PathBuf;
use std::{fmt, io};

use exectrace_testkit::GoVersion;

/// Why the folder cannot be made anew.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum Error {
    /// Words that are no command.
    Usage { arguments: String },
    /// A toolchain that is not there.
    NoGo { version: GoVersion },
    /// What Go's tools or readers say.
    Go(exectrace_testkit::Error),
    /// A program that did not come to record what it should, however often it ran.
    Unlucky {
        name: &'static str,
        wanted: &'static str,
    },
    /// A recording that is not known.
    NoSuchRecording { name: String },
    /// A process that was recorded has failed.
    Failed { name: &'static str },
    /// What our recorder says.
    Recorder(exectrace::Error),
    /// Something that Go's reader printed.
    Unreadable { line: String },
    /// A file that cannot be read or written.
    File { path: PathBuf, source: io::Error },
    /// A process or runtime that cannot be started, or a channel that broke.
    System(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { arguments } => write!(
                f,
                "`{arguments}` is no command; there is `table`, or none for everything"
            ),
            Self::NoGo { version } => {
                write!(f, "needs {version}: {}", version.install_hint())
            }
            Self::Go(error) => error.fmt(f),
            Self::Unlucky { name, wanted } => {
                write!(f, "no run of {name} has `{wanted}` in its trace; try again")
            }
            Self::NoSuchRecording { name } => write!(f, "there is no recording {name}"),
            Self::Failed { name } => write!(f, "the recording {name} failed"),
            Self::Recorder(error) => error.fmt(f),
            Self::Unreadable { line } => write!(f, "not known from Go's reader: {line}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<exectrace_testkit::Error> for Error {
    fn from(error: exectrace_testkit::Error) -> Self {
        Self::Go(error)
    }
}

impl From<exectrace::Error> for Error {
    fn from(error: exectrace::Error) -> Self {
        Self::Recorder(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}
