//! A file mapped into memory: the one place of this crate with `unsafe`.
#![expect(
    unsafe_code,
    reason = "a mapped file is a slice that others can write to: no library can make that safe"
)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The contents of a regular file, mapped read-only until drop.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole of `file`, which is open for reading.
    ///
    /// The length is that of now: what is appended later is not seen. A file that is cut meanwhile has no pages behind its
    /// new end, and the kernel kills with `SIGBUS` who looks there.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: that nobody writes to the file is asked of the callers of `Source::open`. Nothing is read that way but plain
        // bytes, each checked where it is used; nobody relies on their being the same when they are read again for bounds.
        unsafe { Mmap::map(file) }.map(Self)
    }

    /// The contents.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
