//! What can be wrong with the bytes of a trace.

use std::fmt;

/// What is wrong with the bytes, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The file ends inside its header.
    HeaderCut {
        /// How many bytes there are.
        length_bytes: usize,
    },
    /// The first 16 bytes are not the header of an execution trace.
    NotATrace,
    /// The header is well formed, but names a version that this crate does not know.
    UnsupportedVersion {
        /// The number before the stop.
        major: u32,
        /// The number after the stop.
        minor: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::HeaderCut { length_bytes } => {
                write!(f, "the header is cut: {length_bytes} of 16 bytes")
            }
            Self::NotATrace => f.write_str("not an execution trace: no header"),
            Self::UnsupportedVersion { major, minor } => {
                write!(f, "unsupported version {major}.{minor}")
            }
        }
    }
}

impl std::error::Error for Error {}
