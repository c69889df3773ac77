//! What can keep the demonstration from running.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// What can keep the demonstration from running.
#[derive(Debug)]
pub(crate) enum DemoError {
    Create {
        path: PathBuf,
        error: io::Error,
    },
    Write {
        path: PathBuf,
        error: io::Error,
    },
    Runtime(io::Error),
    Threads(io::Error),
    Listen(io::Error),
    Session(exectrace::Error),
    Request {
        path: &'static str,
        error: RequestError,
    },
}

/// What can go wrong with a request of the demonstration's own client.
#[derive(Debug)]
pub(crate) enum RequestError {
    Connect(io::Error),
    Http(hyper::Error),
    Status(u16),
}

impl From<exectrace::Error> for DemoError {
    fn from(error: exectrace::Error) -> Self {
        Self::Session(error)
    }
}

impl fmt::Display for DemoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create { path, error } => write!(
                f,
                "{} cannot be written: {error}; choose another place with --output FILE",
                path.display()
            ),
            Self::Write { path, error } => write!(
                f,
                "{} could not be written to the end: {error}; free some space, or choose another place with --output FILE",
                path.display()
            ),
            Self::Runtime(error) => write!(f, "the Tokio runtime cannot be built: {error}"),
            Self::Threads(error) => write!(f, "the pool's threads cannot be started: {error}"),
            Self::Listen(error) => write!(f, "no port of the loopback address can be had: {error}"),
            Self::Session(error) => error.fmt(f),
            Self::Request { path, error } => write!(f, "the server did not answer {path}: {error}"),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "no connection: {error}"),
            Self::Http(error) => error.fmt(f),
            Self::Status(status) => write!(f, "status {status}"),
        }
    }
}
