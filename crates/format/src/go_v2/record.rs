//! One record, decoded but not yet understood, and its way back to bytes.

use super::structure::write_string_of_any_size;
use super::{ARGS_MAX, EventType};
use crate::frames::Frames;
use crate::spec::Shape;
use crate::varint;

/// An event or an entry of a table.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Event, Events, GoStart};
/// use exectrace_format::{Seq, TaskId};
///
/// let record = Events::new(&[16, 5, 3, 2], 100).next().unwrap()?;
/// assert_eq!((record.offset, record.event_type, record.delta), (100, GoStart::TYPE, 5));
/// assert_eq!(GoStart::from_args(&record.args), GoStart { task: TaskId(3), seq: Seq(2) });
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its type.
    pub event_type: EventType,
    /// The time since the event before; 0 where the type has no time.
    pub delta: u64,
    /// The arguments in the order of the table, then zeros.
    pub args: [u64; ARGS_MAX],
    /// A string's text, a stack's frames (see [`Record::frames`]), an experimental batch's data.
    pub rest: &'a [u8],
}

impl<'a> Record<'a> {
    /// One to decode into: no record of a file.
    pub const EMPTY: Self = Self {
        offset: 0,
        event_type: EventType::EventBatch,
        delta: 0,
        args: [0; ARGS_MAX],
        rest: &[],
    };

    /// The frames of an entry of the stack table; of any other record, none.
    #[must_use]
    pub fn frames(&self) -> Frames<'a> {
        let bytes = if self.event_type == EventType::Stack {
            self.rest
        } else {
            &[]
        };
        Frames::new(bytes, 4)
    }

    /// Appends the record, which is not a batch's head, as it stands in a batch; the offset does
    /// not matter.
    ///
    /// Limits are not checked, so that faulty files can be made.
    ///
    /// # Panics
    ///
    /// For the head of a batch, which needs its data: see [`Batch::append`](super::Batch::append).
    pub fn append(&self, out: &mut Vec<u8>) {
        let spec = self.event_type.spec();
        match (self.event_type, spec.shape) {
            (EventType::String, _) => write_string_of_any_size(out, self.args[0], self.rest),
            (EventType::Stack, _) => {
                out.push(spec.number);
                varint::push(out, self.args[0]);
                varint::push(out, self.frames().count() as u64);
                out.extend_from_slice(self.rest);
            }
            (_, Shape::Raw) => panic!("a batch is not written as a record"),
            _ => {
                out.push(spec.number);
                if spec.is_timed() {
                    varint::push(out, self.delta);
                }
                for &arg in &self.args[..spec.args.len()] {
                    varint::push(out, arg);
                }
            }
        }
    }
}
