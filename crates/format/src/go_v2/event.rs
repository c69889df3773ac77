//! How an event becomes bytes.

use super::{ARGS_MAX, EventType};
use crate::limits::EVENT_BYTES_MAX;
use crate::varint;

/// A record that can be written: one struct to a row of the table.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Event, GoStart};
/// use exectrace_format::limits::EVENT_BYTES_MAX;
/// use exectrace_format::{Seq, TaskId};
///
/// let mut out = [0; EVENT_BYTES_MAX];
/// let event = GoStart { task: TaskId(3), seq: Seq(2) };
/// let length = event.encode(5, &mut out);
/// assert_eq!(out[..length], [16, 5, 3, 2]);
/// ```
pub trait Event {
    /// The type of the record.
    const TYPE: EventType;

    /// Writes the record to the start of `out` and returns its length, at most 51 bytes.
    ///
    /// `delta` is the time since the batch's last event; records without a time leave it out.
    ///
    /// # Signal safety
    ///
    /// Does not allocate, lock or panic.
    fn encode(&self, delta: u64, out: &mut [u8; EVENT_BYTES_MAX]) -> usize;

    /// The event with these arguments, as [`Record::args`](super::Record::args) has them.
    fn from_args(args: &[u64; ARGS_MAX]) -> Self
    where
        Self: Sized;

    /// Appends the record to a growing buffer.
    fn append(&self, delta: u64, out: &mut Vec<u8>) {
        let mut record = [0; EVENT_BYTES_MAX];
        let length = self.encode(delta, &mut record);
        out.extend_from_slice(&record[..length]);
    }
}

/// Writes a record of `event_type`; what [`Event::encode`] is made of.
#[inline(always)]
pub(super) fn encode_args<const TIMED: bool, const N: usize>(
    event_type: EventType,
    delta: u64,
    args: [u64; N],
    out: &mut [u8; EVENT_BYTES_MAX],
) -> usize {
    out[0] = event_type as u8;
    let mut at = 1;
    if TIMED {
        at = varint::write(out, at, delta);
    }
    for arg in args {
        at = varint::write(out, at, arg);
    }
    at
}
