//! The interrupted thread's stack, word by word, wherever it lies.
#![expect(unsafe_code, reason = "loads of the thread's own stack")]

use super::safe_read;
use crate::stack_walk::StackBounds;

/// Words of a read: 4 KiB, which hold the inner frames of most stacks and are two pages at most for the kernel to look up.
pub(super) const WINDOW_WORDS: usize = 512;

/// Reads for one sample, at 1.6 µs each where the kernel's part is warm: a stack of unknown bounds is followed for so many.
const READS_MAX: u32 = 16;

/// A stack from its pointer upwards. What lies in the thread's known bounds is loaded; elsewhere words come by system call, a
/// window at a time.
pub(super) struct StackMemory<'window> {
    known: StackBounds,
    window: &'window mut [u64; WINDOW_WORDS],
    window_start: usize,
    window_words: usize,
    reads_left: u32,
}

impl<'window> StackMemory<'window> {
    /// The stack above `sp`. Where `sp` is outside of `bounds`, the thread runs on another stack, and nothing is known of it.
    ///
    /// # Safety
    /// `bounds` are those of a stack of the calling thread's that is mapped until the value is dropped, from its pointer up.
    pub(super) unsafe fn new(
        sp: usize,
        bounds: StackBounds,
        window: &'window mut [u64; WINDOW_WORDS],
    ) -> Self {
        let known = if bounds.contains(sp) {
            StackBounds { low: sp, ..bounds }
        } else {
            StackBounds::default()
        };
        Self {
            known,
            window,
            window_start: 0,
            window_words: 0,
            reads_left: READS_MAX,
        }
    }

    /// A stack of words, used from word `used_from` on.
    #[cfg(test)]
    pub(super) fn of_words(
        words: &'window [u64],
        used_from: usize,
        window: &'window mut [u64; WINDOW_WORDS],
    ) -> Self {
        let low = words.as_ptr().expose_provenance();
        let bounds = StackBounds {
            low,
            high: low + 8 * words.len(),
        };
        // SAFETY: the bounds are those of the words, which are borrowed for as long.
        unsafe { Self::new(low + 8 * used_from, bounds, window) }
    }

    /// The word at `address`. `None` where there is none, or none that is aligned.
    ///
    /// # Signal safety
    /// A load, or a system call.
    pub(super) fn word(&mut self, address: usize) -> Option<u64> {
        let after = address.checked_add(8)?;
        if !address.is_multiple_of(8) {
            return None;
        }
        if self.known.low <= address && after <= self.known.high {
            let word = std::ptr::with_exposed_provenance::<u64>(address);
            // SAFETY: aligned, and inside the used part of the thread's own stack, which `new` was vouched for. Volatile,
            // since the interrupted code may share it with other threads.
            return Some(unsafe { word.read_volatile() });
        }
        if self.known.high != 0 {
            return None;
        }
        self.word_in_window(address)
    }

    fn word_in_window(&mut self, address: usize) -> Option<u64> {
        let mut index = self.index_in_window(address);
        if index.is_none() && self.reads_left > 0 {
            self.reads_left -= 1;
            self.window_start = address;
            self.window_words = read_words(address, self.window);
            index = self.index_in_window(address);
        }
        Some(self.window[index?])
    }

    fn index_in_window(&self, address: usize) -> Option<usize> {
        let index = address.checked_sub(self.window_start)? / 8;
        (index < self.window_words).then_some(index)
    }
}

/// # Signal safety
/// A system call.
fn read_words(address: usize, words: &mut [u64; WINDOW_WORDS]) -> usize {
    let bytes = words.as_mut_ptr().cast::<u8>();
    // SAFETY: the words' own bytes, of which any are a value, borrowed for as long.
    let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, WINDOW_WORDS * 8) };
    safe_read::read(address, bytes) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(bounds: StackBounds, words: &[u64]) -> (u64, usize) {
        safe_read::prepare();
        let mut window = [0; WINDOW_WORDS];
        let sp = words.as_ptr().addr();
        // SAFETY: the bounds are either those of the words, which outlive it, or empty.
        let mut memory = unsafe { StackMemory::new(sp, bounds, &mut window) };
        let found = (0..words.len()).map_while(|index| memory.word(sp + index * 8));
        found.fold((0, 0), |(sum, count), word| (sum + word, count + 1))
    }

    #[test]
    fn words_are_the_same_by_load_and_by_system_call() {
        let words: Vec<u64> = (0..3 * WINDOW_WORDS as u64).collect();
        let expect = (words.iter().sum(), words.len());
        let low = words.as_ptr().expose_provenance();
        let high = low + words.len() * 8;
        assert_eq!(sum(StackBounds { low, high }, &words), expect);
        assert_eq!(sum(StackBounds::default(), &words), expect);
        assert_eq!(sum(StackBounds { low: 8, high: 16 }, &words), expect);
    }

    #[test]
    fn outside_there_is_nothing() {
        safe_read::prepare();
        let words = [1_u64, 2, 3, 4];
        let low = words.as_ptr().addr();
        let mut window = [0; WINDOW_WORDS];
        let mut memory = StackMemory::of_words(&words[..3], 1, &mut window);
        assert_eq!(memory.word(low + 16), Some(3));
        for outside in [low, low + 12, low + 24, 0, usize::MAX - 7, usize::MAX] {
            assert_eq!(memory.word(outside), None, "{outside:#x}");
        }
        // SAFETY: no bounds at all.
        let mut memory = unsafe { StackMemory::new(8, StackBounds::default(), &mut window) };
        assert_eq!(memory.word(8), None);
    }
}
