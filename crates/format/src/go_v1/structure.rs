//! The writers of the records that are not events: tables and messages.

use super::EventType;
use crate::frames::Frame;
use crate::ids::{StackId, StringId};
use crate::limits::{V1_LENGTH_FORM_BYTES_MAX, V1_STACK_FRAMES_MAX, V1_STRING_BYTES_MAX};
use crate::varint;
use crate::version::Version;

/// Appends an entry of the string table and returns how many bytes of `text` it holds.
///
/// The text may be any bytes. Longer ones than readers take are cut. Id 0 is the empty string and
/// the empty string is id 0; readers refuse a record of either, so none is written.
///
/// # Examples
///
/// ```
/// use exectrace_format::{StringId, go_v1};
/// let mut out = Vec::new();
/// assert_eq!(go_v1::write_string(&mut out, StringId(7), b"main"), 4);
/// assert_eq!(out, b"\x25\x07\x04main");
/// ```
pub fn write_string(out: &mut Vec<u8>, id: StringId, text: &[u8]) -> usize {
    if id == StringId(0) || text.is_empty() {
        return 0;
    }
    out.push(EventType::String as u8);
    varint::push(out, id.0);
    write_message(out, text)
}

/// Appends an entry of the stack table and returns how many of `frames` it holds.
///
/// As many are written as fit into the 2048 bytes that Go 1.27 takes: more than 128, unless
/// addresses and ids are very large. Id 0 means no stack, and readers ignore a record of it or
/// of no frames, so none is written.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v1::write_stack;
/// use exectrace_format::{Frame, StackId, StringId};
/// let frame = Frame { pc: 9, function: StringId(1), file: StringId(2), line: 40 };
/// let mut out = Vec::new();
/// assert_eq!(write_stack(&mut out, StackId(5), &[frame]), 1);
/// assert_eq!(out, [0xc3, 6, 5, 1, 9, 1, 2, 40]);
/// ```
pub fn write_stack(out: &mut Vec<u8>, id: StackId, frames: &[Frame]) -> usize {
    if id == StackId(0) {
        return 0;
    }
    let head_bytes = varint::size_bytes(id.0) + varint::size_bytes(V1_STACK_FRAMES_MAX as u64);
    let mut room_bytes = V1_LENGTH_FORM_BYTES_MAX - head_bytes;
    let mut frames_bytes = 0;
    let mut count = 0;
    for frame in frames.iter().take(V1_STACK_FRAMES_MAX) {
        let frame_bytes: usize = frame.numbers().into_iter().map(varint::size_bytes).sum();
        let Some(rest) = room_bytes.checked_sub(frame_bytes) else {
            break;
        };
        room_bytes = rest;
        frames_bytes += frame_bytes;
        count += 1;
    }
    if count == 0 {
        return 0;
    }
    let length = varint::size_bytes(id.0) + varint::size_bytes(count as u64) + frames_bytes;
    out.push(EventType::Stack as u8 | 3 << 6);
    varint::push(out, length as u64);
    varint::push(out, id.0);
    varint::push(out, count as u64);
    for number in frames[..count].iter().flat_map(Frame::numbers) {
        varint::push(out, number);
    }
    count
}

/// How many numbers a frame has in the stack records of `version`.
pub(crate) fn frame_numbers(version: Version) -> usize {
    if version == Version::Go1_5 { 1 } else { 4 }
}

/// Appends the message that follows a user log and returns how many bytes of `text` it holds.
///
/// The text may be any bytes, none too. Longer ones than readers take are cut.
pub fn write_message(out: &mut Vec<u8>, text: &[u8]) -> usize {
    let text = &text[..text.len().min(V1_STRING_BYTES_MAX)];
    varint::push(out, text.len() as u64);
    out.extend_from_slice(text);
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Frame = Frame {
        pc: u64::MAX,
        function: StringId(1 << 30),
        file: StringId(1 << 30),
        line: 1 << 20,
    };

    #[test]
    fn what_readers_refuse_or_ignore_is_not_written() {
        let mut out = Vec::new();
        assert_eq!(write_string(&mut out, StringId(0), b"x"), 0);
        assert_eq!(write_string(&mut out, StringId(1), b""), 0);
        assert_eq!(write_stack(&mut out, StackId(0), &[LARGE]), 0);
        assert_eq!(write_stack(&mut out, StackId(1), &[]), 0);
        assert_eq!(out, []);
    }

    #[test]
    fn a_stack_record_stays_within_what_go_1_27_takes() {
        let mut out = Vec::new();
        let count = write_stack(&mut out, StackId(u64::MAX), &[LARGE; 500]);
        let (length, start) = varint::read(&out, 1).unwrap();
        assert_eq!(out.len() - start, length as usize);
        assert!(length as usize <= V1_LENGTH_FORM_BYTES_MAX, "{length}");
        assert!(
            length as usize + 23 > V1_LENGTH_FORM_BYTES_MAX,
            "one more frame fits: {length}"
        );
        assert_eq!(count, (V1_LENGTH_FORM_BYTES_MAX - 12) / 23);
    }

    #[test]
    fn a_usual_stack_of_128_frames_fits() {
        let frame = Frame {
            pc: 0x5555_5555_5555,
            function: StringId(9000),
            file: StringId(900),
            line: 1200,
        };
        assert_eq!(
            write_stack(&mut Vec::new(), StackId(70_000), &[frame; 128]),
            128
        );
    }

    #[test]
    fn long_strings_are_cut() {
        let text = vec![b'x'; V1_STRING_BYTES_MAX + 5];
        let mut out = Vec::new();
        assert_eq!(
            write_string(&mut out, StringId(1), &text),
            V1_STRING_BYTES_MAX
        );
        assert_eq!(out.len(), 2 + 3 + V1_STRING_BYTES_MAX);
        out.clear();
        assert_eq!(write_message(&mut out, b""), 0);
        assert_eq!(out, [0]);
    }
}
