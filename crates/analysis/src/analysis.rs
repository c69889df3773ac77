//! What all analyses have in common.

use exectrace_reader::{Event, Tables};

/// A fold over the events of a trace.
pub trait Analysis {
    /// What comes of it.
    type Report;

    /// Takes the next event, in the order of a reader. `tables` are that reader's.
    fn event(&mut self, event: &Event, tables: &Tables<'_>);

    /// All events were taken.
    fn report(self, tables: &Tables<'_>) -> Self::Report;
}
