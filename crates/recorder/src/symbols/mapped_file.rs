//! A file mapped read-only: the one place of the symboliser with `unsafe`.
//!
//! Debug information is many times larger than what a recording needs of it, so it is mapped, not read: only pages that are
//! looked at come into memory, they are shared with whoever else maps the file, and [`MappedFile::release_pages`] gives
//! them back.
#![expect(
    unsafe_code,
    reason = "std has no mapping of files; four calls of libc make one"
)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// The contents of a regular file, mapped read-only until drop.
#[derive(Debug)]
pub(super) struct MappedFile {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and nothing writes through `start`.
unsafe impl Send for MappedFile {}

impl MappedFile {
    /// Maps the whole of `file`, or `None` if it is empty, no regular file, or cannot be mapped.
    pub(super) fn map(file: &File) -> Option<Self> {
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        let len = usize::try_from(metadata.len())
            .ok()
            .filter(|len| *len > 0)?;
        // SAFETY: no address is asked for, so that no other mapping is touched; the descriptor is open for the call.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ,
                libc::MAP_PRIVATE,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self {
            start: NonNull::new(start.cast())?,
            len,
        })
    }

    /// The contents.
    ///
    /// The kernel keeps programs that run from being written to, and package managers replace libraries and debug files by
    /// renaming. Who overwrites a mapped library in place breaks the traced program before it breaks the symboliser.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: `start` is the start of a readable mapping of `len` bytes, which lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Gives the pages back to the kernel; the next look reads them again.
    pub(super) fn release_pages(&self) {
        // SAFETY: the range is exactly our mapping. It is private and never written, so its pages come back as they were.
        let _ = unsafe { libc::madvise(self.start.as_ptr().cast(), self.len, libc::MADV_DONTNEED) };
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // SAFETY: the range is exactly our mapping, and a borrow of its bytes ends before `self` does.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_file_also_after_its_pages_are_released() {
        let path = "/proc/self/exe";
        let mapped = MappedFile::map(&File::open(path).expect("opens")).expect("maps");
        let read = std::fs::read(path).expect("reads");
        assert!(mapped.bytes() == read);
        mapped.release_pages();
        assert!(mapped.bytes() == read);
    }

    #[test]
    fn refuses_what_is_no_file_of_bytes() {
        for path in ["/dev/null", "/proc/self/maps", "/"] {
            assert!(
                MappedFile::map(&File::open(path).expect("opens")).is_none(),
                "{path}"
            );
        }
    }
}
