//! What a traced program does.

use std::fmt;

/// What a traced program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// HTTP, garbage collection, locks, many goroutines, annotations, CPU samples.
    Mix,
    /// Goroutines that hand a number to and fro through channels.
    #[value(name = "pp")]
    PingPong,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Mix, Self::PingPong];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mix => "mix",
            Self::PingPong => "pp",
        })
    }
}
