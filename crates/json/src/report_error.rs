//! Why there is no report.

use std::fmt;

use exectrace_analysis::Id;
use exectrace_reader::Error;

use crate::{NoClock, REPORTS};

/// Why there is no report, in the words of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportError {
    /// There is none of that name.
    NoReport {
        /// The name.
        name: String,
    },
    /// It has no such option.
    NoOption {
        /// The report's name.
        report: &'static str,
        /// What was taken for an option.
        option: String,
    },
    /// An option makes no sense.
    Value {
        /// The option.
        option: &'static str,
        /// Its text.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It needs an option.
    Lacks {
        /// The option.
        option: &'static str,
    },
    /// One task is asked for, and some of all.
    OneTask,
    /// There is no older trace to compare with.
    NoOlder,
    /// A time of the wall clock is asked for, and the trace does not say what that showed.
    NoClock,
    /// The trace does not have what is asked for.
    NotThere {
        /// What that is.
        id: Id,
    },
    /// The trace has no events.
    Empty,
    /// Nothing of the trace can be read.
    Unreadable(Error),
}

impl ReportError {
    pub(crate) fn value(option: &'static str, value: &str, reason: String) -> Self {
        Self::Value {
            option,
            value: value.to_owned(),
            reason,
        }
    }
}

impl From<NoClock> for ReportError {
    fn from(NoClock: NoClock) -> Self {
        Self::NoClock
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReport { name } => {
                let names: Vec<&str> = REPORTS.iter().map(|report| report.name()).collect();
                write!(f, "there is no report '{name}', but {}", names.join(", "))
            }
            Self::NoOption { report, option } => {
                let report = REPORTS.iter().find(|it| it.name() == *report);
                let options: Vec<&str> = report.into_iter().flat_map(|it| it.options()).collect();
                write!(
                    f,
                    "unexpected option '{option}': there are {}",
                    options.join(", ")
                )
            }
            Self::Value {
                option,
                value,
                reason,
            } => write!(f, "invalid value '{value}' for '{option}': {reason}"),
            Self::Lacks { option } => write!(f, "the option '{option}' is not given"),
            Self::NoOlder => f.write_str("there is no older trace to compare with"),
            Self::OneTask => f.write_str("one task is asked for: leave out group and where"),
            Self::NoClock => write!(f, "{NoClock}; {}", NoClock::ADVICE),
            Self::NotThere { id } => write!(
                f,
                "there is no {id}, or not then; `exectrace events` tells of all tasks and user tasks"
            ),
            Self::Empty => f.write_str("the trace has no events"),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReportError {}
