//! Why a task failed.

use std::path::Path;
use std::{fmt, io};

use exectrace_testkit::GoVersion;

/// What made a task fail.
#[derive(Debug)]
pub(crate) enum Error {
    /// A step or package that does not exist.
    Unknown { kind: &'static str, name: String },
    /// A program that could not be run.
    Start { command: String, source: io::Error },
    /// A program that failed.
    Failed { command: String },
    /// A suite in which no test ran, so that its passing says nothing.
    NothingRan { command: String },
    /// What `cargo metadata` printed is not what it documents.
    Metadata { missing: &'static str },
    /// A file that could not be read.
    Read { path: String, source: io::Error },
    /// A file that could not be written.
    Write { path: String, source: io::Error },
    /// A toolchain that is not there.
    NoGo { version: GoVersion },
    /// A toolchain that does not work, or a program in Go that fails.
    Go { source: exectrace_testkit::Error },
    /// The rules were broken so many times; each was printed.
    Untidy { findings: usize },
}

impl Error {
    /// The file or folder at `path` could not be written.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        Self::Write { path, source }
    }
}

impl From<exectrace_testkit::Error> for Error {
    fn from(source: exectrace_testkit::Error) -> Self {
        Self::Go { source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { kind, name } => write!(f, "there is no {kind} `{name}`"),
            Self::Start { command, source } => write!(f, "cannot run `{command}`: {source}"),
            Self::Failed { command } => write!(f, "failed: {command}"),
            Self::NothingRan { command } => write!(f, "no test to run: {command}"),
            Self::Metadata { missing } => write!(f, "cargo metadata without {missing}"),
            Self::Read { path, source } => write!(f, "cannot read {path}: {source}"),
            Self::Write { path, source } => write!(f, "cannot write {path}: {source}"),
            Self::NoGo { version } => write!(
                f,
                "needs {version}: {}, or name its `go` in {}",
                version.install_hint(),
                version.variable()
            ),
            Self::Go { source } => source.fmt(f),
            Self::Untidy { findings } => write!(f, "{findings} findings"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Read { source, .. } | Self::Write { source, .. } => {
                Some(source)
            }
            Self::Go { source } => source.source(),
            _ => None,
        }
    }
}
