//! How a trace is written, which the toolchain decides.

use std::fmt;

use exectrace_testkit::GoVersion;

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// By Go 1.19.
    V1,
    /// By Go 1.27, whose traces are of version 1.26.
    V2,
}

impl Format {
    pub(crate) const ALL: [Self; 2] = [Self::V1, Self::V2];

    /// The toolchain that writes it.
    pub(crate) fn writer(self) -> GoVersion {
        match self {
            Self::V1 => GoVersion::V1_19,
            Self::V2 => GoVersion::V1_27,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        })
    }
}
