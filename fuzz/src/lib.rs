//! What the fuzz targets share: reading bytes to their end within a budget of memory, and what must be true of what is read.
//!
//! | module | holds |
//! | --- | --- |
//! | `budget` | an allocator that counts, and panics beyond 64 MB + 4 bytes for each byte of input |
//! | `judge` | what must be true of any file that a tolerant reader opens; the reader's own tests have it too |

mod budget;
#[path = "../../crates/reader/tests/tolerant/judge.rs"]
mod judge;

use exectrace_format::{Format, Version};
use exectrace_reader::Reader;

/// Reads a file as a strict reader does, to its end or its first fault. False if it is none of this format.
pub fn strict(file: &[u8], format: Format) -> bool {
    if !is_of(file, format) {
        return false;
    }
    budget::within(file.len(), || {
        if let Ok(mut reader) = Reader::new(file) {
            while let Ok(Some(_)) = reader.next_block() {}
        }
    });
    true
}

/// Reads a file as a tolerant reader does, and compares that with a strict one. False if it is none of this format.
///
/// # Panics
///
/// When something is not as it must be.
pub fn tolerant(file: &[u8], format: Format) -> bool {
    if !is_of(file, format) {
        return false;
    }
    budget::within(file.len(), || {
        let mut reader = Reader::tolerant(file).expect("has a header");
        while reader.next_block().expect("no event is an error").is_some() {}
    });
    if let Err(fault) = judge::judge(file) {
        panic!("{fault}");
    }
    true
}

fn is_of(file: &[u8], format: Format) -> bool {
    Version::of(file).is_ok_and(|version| version.format() == format)
}
