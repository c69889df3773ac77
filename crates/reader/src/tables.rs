//! Strings and stacks by ids that hold for the whole trace.
//!
//! A file of format v2 begins its tables anew in each generation; here equal strings and equal stacks have equal ids, so that
//! whoever counts or groups by them need not look inside. Only what events refer to gets in.

use std::borrow::Cow;
use std::collections::HashMap;

use exectrace_format::{Frame, StackId, StringId};

use crate::id_map::BuildIdHasher;
pub(crate) use crate::stack_list::FETCHED;
use crate::stack_list::{StackHash, StackList};

/// The strings and stacks that the events so far refer to.
#[derive(Clone, Debug)]
pub struct Tables<'a> {
    file: &'a [u8],
    strings: Vec<Cow<'a, [u8]>>,
    string_ids: HashMap<&'a [u8], StringId, BuildIdHasher>,
    frames: Vec<Frame>,
    frame_ids: HashMap<Frame, u32, BuildIdHasher>,
    stacks: StackList,
}

/// Marks the id of a string that stands in the file and in no table: the rest is where, and how long.
///
/// Log messages are seldom equal; a table of them would grow with the file.
const IN_FILE: u64 = 1 << 63;
/// Bits of the length: more than [`V1_STRING_BYTES_MAX`](exectrace_format::limits::V1_STRING_BYTES_MAX) needs.
const LENGTH_BITS: u32 = 20;

impl<'a> Tables<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Self {
        Self {
            file,
            strings: Vec::new(),
            string_ids: HashMap::default(),
            frames: Vec::new(),
            frame_ids: HashMap::default(),
            stacks: StackList::default(),
        }
    }

    /// The bytes of a string; empty for an id that is not of this trace.
    #[must_use]
    pub fn string(&self, id: StringId) -> &[u8] {
        if id.0 & IN_FILE != 0 {
            let length = (id.0 & ((1 << LENGTH_BITS) - 1)) as usize;
            let start = ((id.0 & !IN_FILE) >> LENGTH_BITS) as usize;
            return self.file.get(start..start + length).unwrap_or_default();
        }
        let index = (id.0 as usize).wrapping_sub(1);
        self.strings.get(index).map_or(&[], |string| string)
    }

    /// The same as text: what is not UTF-8 becomes U+FFFD.
    #[must_use]
    pub fn text(&self, id: StringId) -> Cow<'_, str> {
        String::from_utf8_lossy(self.string(id))
    }

    /// The frames of a stack, innermost first; none for an id that is not of this trace.
    pub fn frames(&self, id: StackId) -> impl ExactSizeIterator<Item = &Frame> + Clone {
        let stack = self.stacks.frames(id);
        stack.iter().map(|&frame| &self.frames[frame as usize])
    }

    /// The id of a string.
    pub(crate) fn intern(&mut self, string: &'a [u8]) -> StringId {
        if string.is_empty() {
            return StringId(0);
        }
        *self.string_ids.entry(string).or_insert_with(|| {
            self.strings.push(Cow::Borrowed(string));
            StringId(self.strings.len() as u64)
        })
    }

    /// The id of a string that is there already.
    pub(crate) fn find(&self, string: &[u8]) -> Option<StringId> {
        match string {
            [] => Some(StringId(0)),
            _ => self.string_ids.get(string).copied(),
        }
    }

    /// The id of a frame that is there already.
    pub(crate) fn find_frame(&self, frame: Frame) -> Option<u32> {
        self.frame_ids.get(&frame).copied()
    }

    /// The id of a string in the file that is not worth a place in the table.
    pub(crate) fn in_file(&self, string: &'a [u8]) -> StringId {
        let start = string
            .as_ptr()
            .addr()
            .wrapping_sub(self.file.as_ptr().addr()) as u64;
        if string.is_empty() {
            return StringId(0);
        }
        StringId(IN_FILE | start << LENGTH_BITS | string.len() as u64)
    }

    /// The id of a text for what the file names by an id that no table of it explains. Each call makes a new one.
    pub(crate) fn raw_string(&mut self, id: u64) -> StringId {
        self.strings.push(Cow::Owned(format!("#{id}").into_bytes()));
        StringId(self.strings.len() as u64)
    }

    /// The id of a stack with one frame, whose function tells the id that no table explains. Each call makes a new one.
    pub(crate) fn raw_stack(&mut self, id: u64) -> StackId {
        let function = format!("stack #{id}").into_bytes();
        self.strings.push(Cow::Owned(function));
        let function = StringId(self.strings.len() as u64);
        let frame = self.frame(Frame {
            function,
            ..Frame::default()
        });
        self.stack(&[frame])
    }

    /// The id of a frame, by which stacks are made.
    pub(crate) fn frame(&mut self, frame: Frame) -> u32 {
        *self.frame_ids.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            (self.frames.len() - 1) as u32
        })
    }

    /// The id of a stack.
    pub(crate) fn stack(&mut self, frames: &[u32]) -> StackId {
        let pcs = frames.iter().map(|&frame| self.frames[frame as usize].pc);
        let hash = pcs.fold(StackHash::default(), StackHash::with);
        self.hashed_stack(hash.finish(), frames)
    }

    /// The id of a stack of this hash, if there is one.
    #[inline]
    pub(crate) fn known_stack(
        &self,
        hash: u32,
        frames: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Option<StackId> {
        self.stacks.find(hash, frames)
    }

    /// Fetches what [`Self::known_stack`] looks at for so many hashes at most as [`FETCHED`] says.
    pub(crate) fn fetch_stacks(&self, hashes: &[u32]) {
        self.stacks.fetch(hashes);
    }

    /// The same where the hash is known.
    pub(crate) fn hashed_stack(&mut self, hash: u32, frames: &[u32]) -> StackId {
        self.stacks.intern(hash, frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_equal_ids() {
        let file = b"..main..main..message".as_slice();
        let mut tables = Tables::new(file);
        let main = tables.intern(&file[2..6]);
        assert_eq!(tables.intern(&file[8..12]), main);
        assert_eq!(tables.intern(b""), StringId(0));
        assert_eq!(tables.string(main), b"main");
        let frame = |pc| Frame {
            pc,
            function: main,
            ..Frame::default()
        };
        let frames = [tables.frame(frame(1)), tables.frame(frame(2))];
        let stack = tables.stack(&frames);
        assert_eq!(tables.stack(&frames), stack);
        assert_ne!(tables.stack(&frames[..1]), stack);
        assert!(tables.frames(stack).eq([&frame(1), &frame(2)]));
    }

    #[test]
    fn a_message_is_found_in_the_file() {
        let file = b"..main..main..message".as_slice();
        let tables = Tables::new(file);
        assert_eq!(tables.string(tables.in_file(&file[14..])), b"message");
        assert_eq!(tables.string(tables.in_file(&file[..0])), b"");
    }

    #[test]
    fn an_id_of_nobody_is_empty() {
        let tables = Tables::new(b"");
        assert_eq!(tables.string(StringId(7)), b"");
        assert_eq!(tables.string(StringId(u64::MAX)), b"");
        assert_eq!(tables.frames(StackId(7)).len(), 0);
        assert_eq!(tables.frames(StackId(0)).len(), 0);
    }
}
