//! The trace that an object is about.

use exectrace_reader::Timestamp;

/// The trace that an object is about, as far as a report does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// What the trace is called: the name as on the command line; `standard input`; `a + b` for parts of one trace.
    pub file: &'a str,
    /// The same as arguments of a command, for a shell.
    pub arguments: &'a str,
    /// The time of the first event, since which all other times count.
    pub first: Timestamp,
}

impl About<'_> {
    /// When something was, as all objects tell it: nanoseconds since the first event.
    pub(crate) fn since_ns(&self, time: Timestamp) -> i64 {
        time.since_ns(self.first)
    }
}
