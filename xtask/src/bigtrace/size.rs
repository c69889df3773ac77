//! How large a trace is.

use std::fmt;

/// How large a trace is, about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Size {
    #[value(name = "100MB")]
    Mb100,
    #[value(name = "500MB")]
    Mb500,
    #[value(name = "1GB")]
    Gb1,
}

impl Size {
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Mb100 => 100_000_000,
            Self::Mb500 => 500_000_000,
            Self::Gb1 => 1_000_000_000,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mb100 => "100MB",
            Self::Mb500 => "500MB",
            Self::Gb1 => "1GB",
        })
    }
}
