//! Why a task failed.

use std::{fmt, io};

/// What made a task fail.
#[derive(Debug)]
pub(crate) enum Error {
    /// Words that are no task of ours.
    Usage { arguments: String },
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
    /// The rules were broken so many times; each was printed.
    Untidy { findings: usize },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { arguments } => {
                write!(f, "unknown: `{arguments}`; try `cargo xtask help`")
            }
            Self::Unknown { kind, name } => write!(f, "there is no {kind} `{name}`"),
            Self::Start { command, source } => write!(f, "cannot run `{command}`: {source}"),
            Self::Failed { command } => write!(f, "failed: {command}"),
            Self::NothingRan { command } => write!(f, "no test to run: {command}"),
            Self::Metadata { missing } => write!(f, "cargo metadata without {missing}"),
            Self::Read { path, source } => write!(f, "cannot read {path}: {source}"),
            Self::Untidy { findings } => write!(f, "{findings} findings"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
