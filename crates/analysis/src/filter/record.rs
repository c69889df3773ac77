//! What filters look at.

use super::{Field, RecordKind};
use crate::{Id, Severity};

/// Something that a filter lets through or not.
pub trait Record {
    /// Of what kind it is.
    const KIND: RecordKind;

    /// The value of a field of that kind; `None` if this record has none.
    fn value(&self, field: Field) -> Option<Value<'_>>;
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text, as its bytes.
    Text(&'a [u8]),
    /// A duration in nanoseconds, or a time since the trace began.
    Ns(i64),
    /// An id.
    Id(Id),
    /// How many, or the number of a thread.
    Number(u64),
    /// A part of a whole, which is 1.
    Share(f64),
    /// How bad a finding is.
    Severity(Severity),
    /// Whether something is so.
    Flag(bool),
}
