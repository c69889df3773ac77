//! One record, decoded but not yet understood, and its way back to bytes.

use super::layout::{DELTA, PLACES, SEQUENCE, layouts};
use super::{ARGS_MAX, EventType, frame_numbers, write_message};
use crate::frames::Frames;
use crate::spec::Shape;
use crate::varint;
use crate::version::Version;

/// A record of any type and version.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v1::{Event, EventType, GoStart, Records};
/// use exectrace_format::{Seq, TaskId, Version};
///
/// let file = [&Version::Go1_19.header()[..], &[14 | 2 << 6, 5, 3, 2]].concat();
/// let record = Records::of_file(&file)?.next().unwrap()?;
/// assert_eq!((record.offset, record.event_type, record.delta), (16, EventType::GoStart, 5));
/// let event = GoStart::from_args(&record.args);
/// assert_eq!(event, GoStart { task: TaskId(3), seq: Seq(2) });
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its type.
    pub event_type: EventType,
    /// Version 1.5: a batch's sequence number, or the difference to the record before.
    pub sequence: u64,
    /// The time since the record before, modulo 2^64; 0 where the type has no time.
    pub delta: u64,
    /// The arguments in the order of the table; 0 for those that the version lacks.
    pub args: [u64; ARGS_MAX],
    /// A string's text, a log's message, a stack's frames: see [`Record::frames`].
    pub rest: &'a [u8],
}

impl<'a> Record<'a> {
    /// The frames of a stack record; of any other, none.
    #[must_use]
    pub fn frames(&self, version: Version) -> Frames<'a> {
        let bytes = if self.event_type == EventType::Stack {
            self.rest
        } else {
            &[]
        };
        Frames::new(bytes, frame_numbers(version))
    }

    /// Appends the record as a file of `version` has it; the offset does not matter.
    ///
    /// Limits are not checked, so that faulty files can be made. For a recorder there are the
    /// events' own [`encode`](super::Event::encode) and the writers beside it.
    ///
    /// # Panics
    ///
    /// When `version` has no such type.
    pub fn append(&self, version: Version, out: &mut Vec<u8>) {
        let layout = &layouts(version)[self.event_type as usize];
        assert_eq!(
            layout.event_type,
            Some(self.event_type),
            "not in this version"
        );
        match self.event_type {
            EventType::String => {
                out.push(self.event_type as u8);
                varint::push(out, self.args[0]);
                write_message(out, self.rest);
                return;
            }
            EventType::Stack => {
                let frames = self.frames(version).count() as u64;
                let length =
                    varint::size_bytes(self.args[0]) + varint::size_bytes(frames) + self.rest.len();
                out.push(self.event_type as u8 | 3 << 6);
                varint::push(out, length as u64);
                varint::push(out, self.args[0]);
                varint::push(out, frames);
                out.extend_from_slice(self.rest);
                return;
            }
            _ => {}
        }
        let mut places = [0; PLACES];
        places[..ARGS_MAX].copy_from_slice(&self.args);
        places[DELTA] = self.delta;
        places[SEQUENCE] = self.sequence;
        let numbers = || {
            layout
                .places()
                .iter()
                .map(|&place| places[usize::from(place)])
        };
        // Version 1.5 does not count its sequence number.
        let counted = layout.count - u8::from(version == Version::Go1_5);
        if counted > 3 {
            let length: usize = numbers().map(varint::size_bytes).sum();
            out.push(self.event_type as u8 | 3 << 6);
            varint::push(out, length as u64);
        } else {
            out.push(self.event_type as u8 | (counted - 1) << 6);
        }
        for number in numbers() {
            varint::push(out, number);
        }
        if layout.shape == Shape::Log {
            write_message(out, self.rest);
        }
    }
}
