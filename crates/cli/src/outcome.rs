//! How a command ended, and what its exit code says of it.

use std::process::ExitCode;

/// A usage error, as BSD's sysexits have it.
pub(crate) const USAGE: u8 = 64;

/// The end of each help text.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   done; traces are whole
  1   a budget is broken; or it could not be done: no place to write to, no thread to start, no task of that id
  2   a trace cannot be read: not there, none at all, or nothing of it makes sense
  3   a trace is read in part, was repaired, or has no events
  64  the command line is not understood";

/// What was found of the traces; the worst comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All was read.
    Whole,
    /// Something was lost or put right, or nothing was there.
    Partial,
    /// A budget is broken.
    Broken,
    /// Nothing was read.
    Unreadable,
}

impl Outcome {
    /// The same where a budget is broken, which counts more than that only a part was read.
    pub(crate) fn broken_if(self, is_broken: bool) -> Self {
        if is_broken {
            self.max(Self::Broken)
        } else {
            self
        }
    }

    /// The same where the user has said that a part is enough.
    pub(crate) fn allow_partial(self, allowed: bool) -> Self {
        match self {
            Self::Partial if allowed => Self::Whole,
            other => other,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Whole => Self::SUCCESS,
            Outcome::Partial => Self::from(3),
            Outcome::Broken => Self::FAILURE,
            Outcome::Unreadable => Self::from(2),
        }
    }
}
