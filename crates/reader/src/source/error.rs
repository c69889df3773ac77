//! Why there are no bytes to read a trace from.

use std::{error, fmt, io};

use super::UnpackLimit;

/// Why a file, or what stands for one, cannot be read at all.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The file cannot be opened.
    Open(io::Error),
    /// It cannot be read, or not to its end.
    Read(io::Error),
    /// There is more of it than may be held in memory.
    TooLarge {
        /// How much may be.
        limit: UnpackLimit,
    },
    /// It is packed by zstd so that unpacking takes more memory than zstd's own tools allow.
    WindowTooLarge {
        /// How much it takes beside the unpacked bytes.
        window_bytes: u64,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => write!(f, "cannot be opened: {error}"),
            Self::Read(error) => write!(f, "cannot be read: {error}"),
            Self::TooLarge { limit } => {
                write!(f, "has more than the {limit} that may be unpacked")
            }
            Self::WindowTooLarge { window_bytes } => {
                write!(
                    f,
                    "takes {window_bytes} bytes beside its contents to be unpacked"
                )
            }
        }
    }
}

impl error::Error for SourceError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Open(error) | Self::Read(error) => Some(error),
            Self::TooLarge { .. } | Self::WindowTooLarge { .. } => None,
        }
    }
}
