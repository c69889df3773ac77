//! The writers of the entries of tables.

use super::EventType;
use crate::frames::Frame;
use crate::ids::{StackId, StringId};
use crate::limits::{V2_STACK_FRAMES_MAX, V2_STRING_BYTES_MAX};
use crate::varint;

/// Appends an entry to the data of a batch of strings and returns how many bytes of `text` it holds.
///
/// The text may be any bytes. Longer ones than readers take are cut. Id 0 is the empty string
/// already, and readers refuse an entry of it, so none is written.
///
/// # Examples
///
/// ```
/// use exectrace_format::StringId;
/// use exectrace_format::go_v2::{Event, Strings, write_string};
/// let mut data = Vec::new();
/// Strings {}.append(0, &mut data);
/// assert_eq!(write_string(&mut data, StringId(7), b"main"), 4);
/// assert_eq!(data, b"\x04\x05\x07\x04main");
/// ```
pub fn write_string(out: &mut Vec<u8>, id: StringId, text: &[u8]) -> usize {
    if id == StringId(0) {
        return 0;
    }
    let text = &text[..text.len().min(V2_STRING_BYTES_MAX)];
    write_string_of_any_size(out, id.0, text);
    text.len()
}

pub(super) fn write_string_of_any_size(out: &mut Vec<u8>, id: u64, text: &[u8]) {
    out.push(EventType::String as u8);
    varint::push(out, id);
    varint::push(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// Appends an entry to the data of a batch of stacks and returns how many of `frames` it holds.
///
/// More frames than readers take are left out. Id 0 means no stack already, and readers refuse an
/// entry of it, so none is written.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Event, Stacks, write_stack};
/// use exectrace_format::{Frame, StackId, StringId};
/// let frame = Frame { pc: 9, function: StringId(1), file: StringId(2), line: 40 };
/// let mut data = Vec::new();
/// Stacks {}.append(0, &mut data);
/// assert_eq!(write_stack(&mut data, StackId(5), &[frame]), 1);
/// assert_eq!(data, [2, 3, 5, 1, 9, 1, 2, 40]);
/// ```
pub fn write_stack(out: &mut Vec<u8>, id: StackId, frames: &[Frame]) -> usize {
    if id == StackId(0) {
        return 0;
    }
    let frames = &frames[..frames.len().min(V2_STACK_FRAMES_MAX)];
    out.push(EventType::Stack as u8);
    varint::push(out, id.0);
    varint::push(out, frames.len() as u64);
    for number in frames.iter().flat_map(Frame::numbers) {
        varint::push(out, number);
    }
    frames.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_refuse_is_not_written() {
        let mut out = Vec::new();
        assert_eq!(write_string(&mut out, StringId(0), b"x"), 0);
        assert_eq!(write_stack(&mut out, StackId(0), &[Frame::default()]), 0);
        assert_eq!(out, []);
        assert_eq!(write_string(&mut out, StringId(1), &[b'x'; 1025]), 1024);
        out.clear();
        assert_eq!(
            write_stack(&mut out, StackId(1), &[Frame::default(); 129]),
            128
        );
        assert_eq!(out.len(), 1 + 1 + 2 + 128 * 4);
    }
}
