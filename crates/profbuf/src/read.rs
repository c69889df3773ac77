//! What a read is asked for, and what it gives.

use crate::Records;

/// What [`Reader::read`](crate::Reader::read) does when there is nothing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Wait until there is something, or until the writer is gone.
    Blocking,
    /// Return at once.
    NonBlocking,
}

/// What [`Reader::read`](crate::Reader::read) found.
#[derive(Debug)]
pub enum Read<'a, T> {
    /// At least one record.
    Records(Records<'a, T>),
    /// Nothing yet; only with [`Mode::NonBlocking`].
    Empty,
    /// The writer is gone, and everything it wrote or lost has been read.
    End,
}
