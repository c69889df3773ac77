//! The data ring's memory.
#![expect(
    unsafe_code,
    reason = "words are shared between a writer and a reader without a lock"
)]

use std::cell::UnsafeCell;

use crate::sync::Shadow;

/// A ring of 64-bit words, each of which belongs to the writer or to the reader at any time.
///
/// Whose a word is follows from the two counts in [`Ring`](crate::ring::Ring): between what has
/// been given back and what has been written it is the reader's, elsewhere the writer's.
pub(crate) struct Words {
    words: Box<[UnsafeCell<u64>]>,
    shadow: Shadow,
}

// SAFETY: words are plain integers, and every access goes through a method whose contract is
// that no other thread uses the same words in a conflicting way.
unsafe impl Sync for Words {}

impl Words {
    /// A ring of `len` words, a power of two.
    ///
    /// Every word is stored to, so that the system has mapped the memory before a signal
    /// handler first writes there.
    pub(crate) fn new(len: u32) -> Self {
        assert!(len.is_power_of_two());
        Self {
            words: (0..len).map(|_| UnsafeCell::new(0)).collect(),
            shadow: Shadow::new(len as usize),
        }
    }

    /// The ring's length in words.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.words.len() as u32
    }

    /// Where the word of this count lies.
    #[inline]
    pub(crate) fn index(&self, count: u32) -> usize {
        count as usize & (self.words.len() - 1)
    }

    /// How many words there are from the word of this count to the ring's end.
    #[inline]
    pub(crate) fn left(&self, count: u32) -> u32 {
        self.len() - self.index(count) as u32
    }

    /// `len` words from index `at`, to be written.
    ///
    /// # Safety
    ///
    /// The words lie within the ring and belong to the writer, who has no other slice of them.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the caller vouches for being alone")]
    pub(crate) unsafe fn slice_mut(&self, at: usize, len: usize) -> &mut [u64] {
        debug_assert!(at + len <= self.words.len());
        self.shadow.write(at, len);
        // SAFETY: the caller says that the words, and so the first of them, lie within the ring.
        let first = unsafe { self.words.as_ptr().add(at) };
        // SAFETY: the pointer came from the whole ring, the words lie within it by the caller's
        // word, the cells allow writing, and nobody else uses these words meanwhile.
        unsafe { std::slice::from_raw_parts_mut(UnsafeCell::raw_get(first), len) }
    }

    /// `len` words from index `at`, to be read.
    ///
    /// # Safety
    ///
    /// The words lie within the ring, and nobody writes them while the slice lives.
    #[inline]
    pub(crate) unsafe fn slice(&self, at: usize, len: usize) -> &[u64] {
        debug_assert!(at + len <= self.words.len());
        self.shadow.read(at, len);
        // SAFETY: the caller says that the words, and so the first of them, lie within the ring.
        let first = unsafe { self.words.as_ptr().add(at) };
        // SAFETY: the pointer came from the whole ring, the words lie within it by the caller's
        // word, all words hold a value since `new`, and nobody writes these meanwhile.
        unsafe { std::slice::from_raw_parts(UnsafeCell::raw_get(first).cast_const(), len) }
    }

    /// Says that the reader's slices of `len` words counted from `first` end here, so that loom
    /// notices a writer that came too early.
    #[cfg(loom)]
    pub(crate) fn end_of_slices(&self, first: u32, len: u32) {
        for ahead in 0..len {
            self.shadow.read(self.index(first.wrapping_add(ahead)), 1);
        }
    }
}
