//! What can go wrong between a trace and Go's tools.

use std::path::PathBuf;
use std::{fmt, io};

use crate::GoVersion;

/// Why a tool's answer is not what a good recording gets.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The tool could not be run at all.
    Start {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// A toolchain was found, and is not what it should be.
    NotWorking {
        /// What it should be.
        version: GoVersion,
        /// Where it was found.
        binary: PathBuf,
        /// What it did.
        source: Box<Error>,
    },
    /// The tool ended with a failure: it refuses the file.
    Refused {
        /// The command line.
        command: String,
        /// The exit code; `None` when a signal ended it.
        code: Option<i32>,
        /// What it wrote to its standard error.
        log: String,
    },
    /// The tool did not finish in time and was killed.
    TimedOut {
        /// The command line.
        command: String,
        /// How long it had.
        limit_s: u64,
        /// What it wrote to its standard error until then.
        log: String,
    },
    /// A page of the web view is not what it should be.
    Page {
        /// The command line of the server.
        command: String,
        /// The request's path and query.
        target: String,
        /// What is wrong with the answer.
        problem: PageProblem,
        /// What the server wrote to its standard error.
        log: String,
    },
    /// The server answered every page but complained meanwhile.
    Complaint {
        /// The command line of the server.
        command: String,
        /// What the server wrote to its standard error.
        log: String,
    },
    /// A reader does not take the file.
    Unread {
        /// The file.
        file: PathBuf,
        /// What it says.
        answer: String,
    },
    /// A tool's text is not in the form that this crate knows.
    Unreadable {
        /// The first line that is not.
        line: String,
    },
}

/// What is wrong with the answer to a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageProblem {
    /// The connection ended without an answer, as it does when the server's handler panics.
    NoAnswer,
    /// The status is not 200.
    Status {
        /// The status.
        status: u16,
        /// The start of the body.
        body: String,
    },
    /// The body is empty.
    Empty,
    /// The body is not the JSON that the page's script wants.
    NotJson {
        /// Where it stops being JSON.
        offset: usize,
    },
    /// The body is neither a gzipped profile nor a drawing where one of these should be.
    NotProfile,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { command, source } => write!(f, "cannot run `{command}`: {source}"),
            Self::NotWorking {
                version,
                binary,
                source,
            } => write!(
                f,
                "{} is not a working {version}: {source}",
                binary.display()
            ),
            Self::Refused { command, code, log } => match code {
                Some(code) => write!(f, "`{command}` exits {code} and says:\n{log}"),
                None => write!(f, "`{command}` was ended by a signal and says:\n{log}"),
            },
            Self::TimedOut {
                command,
                limit_s,
                log,
            } => write!(
                f,
                "`{command}` is not done after {limit_s} s; so far:\n{log}"
            ),
            Self::Page {
                command,
                target,
                problem,
                log,
            } => write!(f, "{target} of `{command}` {problem}; its log:\n{log}"),
            Self::Complaint { command, log } => {
                write!(f, "`{command}` answers but complains:\n{log}")
            }
            Self::Unread { file, answer } => write!(f, "{}: {answer}", file.display()),
            Self::Unreadable { line } => write!(f, "a line of no known form: {line:?}"),
        }
    }
}

impl fmt::Display for PageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => write!(f, "ends without an answer"),
            Self::Status { status, body } => write!(f, "answers {status}: {body}"),
            Self::Empty => write!(f, "is empty"),
            Self::NotJson { offset } => write!(f, "is no JSON from byte {offset} on"),
            Self::NotProfile => write!(f, "is no profile"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } => Some(source),
            Self::NotWorking { source, .. } => Some(source),
            _ => None,
        }
    }
}
