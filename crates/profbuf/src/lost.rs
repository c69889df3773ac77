//! A record that could not be written.

use std::fmt;

/// A record that could not be written, as its writer gets it back.
///
/// It is counted, and the reader will be told of it: the caller need not keep a count. But the
/// tag is the caller's again. Where dropping it may free memory, a signal handler must put it
/// somewhere to be dropped later.
pub struct Lost<T> {
    /// The record's tag.
    pub tag: Option<T>,
    /// Why the record was lost.
    pub cause: Cause,
}

/// Why a record was lost.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There was no room for it, or for it and the report of those lost before.
    NoRoom,
    /// Its header was longer than the buffer's records have one.
    HeaderTooLong,
}

impl<T> fmt::Debug for Lost<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lost")
            .field("tag", &self.tag.as_ref().map(|_| ".."))
            .field("cause", &self.cause)
            .finish()
    }
}

impl<T> fmt::Display for Lost<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Cause::NoRoom => f.write_str("no room for the record"),
            Cause::HeaderTooLong => f.write_str("the record's header is too long"),
        }
    }
}

impl<T> std::error::Error for Lost<T> {}
