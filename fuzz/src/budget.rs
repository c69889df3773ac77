//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What any file may take.
const BASE_BYTES: usize = 64 << 20;
/// What it may take for each of its bytes.
const BYTES_PER_BYTE: usize = 4;

/// Bytes that are allocated.
static USED: AtomicUsize = AtomicUsize::new(0);
/// The most that may be.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// More was asked for.
static IS_EXCEEDED: AtomicBool = AtomicBool::new(false);

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

/// Runs with as much memory as a reader may take for a file of this length.
///
/// # Panics
///
/// When it takes more.
pub(crate) fn within(file_bytes: usize, read: impl FnOnce()) {
    // Relaxed: only this thread reads files.
    let limit = USED.load(Ordering::Relaxed) + BASE_BYTES + BYTES_PER_BYTE * file_bytes;
    LIMIT.store(limit, Ordering::Relaxed);
    read();
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    assert!(
        !IS_EXCEEDED.load(Ordering::Relaxed),
        "more memory than 64 MB and {BYTES_PER_BYTE} times {file_bytes} bytes"
    );
}

fn count(bytes: usize) {
    // Relaxed: a sum that nothing else hangs on.
    let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if used > LIMIT.load(Ordering::Relaxed) {
        IS_EXCEEDED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: all is done by the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Relaxed: as in `count`.
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
