//! Events as the lines in which the oracle writes them.

use std::collections::HashMap;
use std::io::Write as _;

use exectrace_format::{StackId, StringId};
use exectrace_reader::{Event, Tables};

/// The line of an event.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) line: Vec<u8>,
    /// What the hashes in lines stand for.
    pub(crate) stacks: HashMap<Vec<u8>, Vec<u8>>,
    hashes: Vec<Option<u64>>,
}

impl Listing {
    pub(crate) fn begin(&mut self, event: &Event, kind: &str) {
        self.line.clear();
        self.line
            .extend_from_slice(event.time.0.to_string().as_bytes());
        self.line.push(b' ');
        self.line.extend_from_slice(kind.as_bytes());
    }

    pub(crate) fn word(&mut self, key: &str, value: &str) {
        self.line.push(b' ');
        self.line.extend_from_slice(key.as_bytes());
        self.line.push(b'=');
        self.line.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn number(&mut self, key: &str, value: impl ToString) {
        self.word(key, &value.to_string());
    }

    pub(crate) fn text(&mut self, key: &str, value: StringId, tables: &Tables<'_>) {
        self.bytes(key, tables.string(value));
    }

    pub(crate) fn bytes(&mut self, key: &str, value: &[u8]) {
        self.word(key, "");
        quote(&mut self.line, value);
    }

    pub(crate) fn stack(&mut self, key: &str, id: StackId, tables: &Tables<'_>) {
        if let Some(hash) = self.hash(id, tables) {
            self.word(key, &format!("{hash:x}"));
        }
    }

    /// The hash of a stack's frames; `None` if it has none.
    fn hash(&mut self, id: StackId, tables: &Tables<'_>) -> Option<u64> {
        if id.0 == 0 {
            return None;
        }
        let index = id.0 as usize;
        if self.hashes.len() <= index {
            self.hashes.resize(index + 1, None);
        }
        if self.hashes[index].is_none() {
            let text = frames(id, tables);
            if text.is_empty() {
                return None;
            }
            let hash = fnv(&text);
            self.hashes[index] = Some(hash);
            let name = format!("{hash:x}").into_bytes();
            self.stacks.insert(name.clone(), [name, text].concat());
        }
        self.hashes[index]
    }
}

fn frames(id: StackId, tables: &Tables<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    for frame in tables.frames(id) {
        // Writing to memory cannot fail.
        let _ = write!(text, " {:x} ", frame.pc);
        quote(&mut text, tables.string(frame.function));
        text.push(b' ');
        quote(&mut text, tables.string(frame.file));
        let _ = write!(text, " {}", frame.line);
    }
    text
}

/// The hash that the oracle takes, FNV-1a.
fn fnv(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn quote(line: &mut Vec<u8>, text: &[u8]) {
    line.push(b'"');
    for &byte in text {
        if (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\' {
            line.push(byte);
        } else {
            let _ = write!(line, "\\x{byte:02x}");
        }
    }
    line.push(b'"');
}
