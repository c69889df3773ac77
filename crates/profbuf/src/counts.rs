//! How far a side has come, as one atomic word can hold it.

/// Words and tags counted since the buffer was made, each modulo 2³².
///
/// A position in a ring is a count modulo the ring's length, which is a power of two, so that
/// the wrap of the count and the wrap of the ring agree. Two counts of one buffer are never
/// further apart than a ring is long (below 2²⁸), so that a wrapping difference is the true one.
///
/// Both lie in one word, tags high and words low, as the atomics hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(u64);

impl Counts {
    /// Counts that stand at these numbers.
    #[inline]
    pub(crate) fn new(words: u32, tags: u32) -> Self {
        Self(u64::from(tags) << 32 | u64::from(words))
    }

    /// The counts in an atomic word.
    #[inline]
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The form for an atomic word.
    #[inline]
    pub(crate) fn to_word(self) -> u64 {
        self.0
    }

    /// The number of words.
    #[inline]
    pub(crate) fn words(self) -> u32 {
        self.0 as u32
    }

    /// The number of tags.
    #[inline]
    pub(crate) fn tags(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The counts after `words` more words and `tags` more tags.
    #[inline]
    pub(crate) fn plus(self, words: u32, tags: u32) -> Self {
        Self::new(
            self.words().wrapping_add(words),
            self.tags().wrapping_add(tags),
        )
    }

    /// Words from `earlier` to here.
    #[inline]
    pub(crate) fn words_since(self, earlier: Self) -> u32 {
        self.words().wrapping_sub(earlier.words())
    }

    /// Tags from `earlier` to here.
    #[inline]
    pub(crate) fn tags_since(self, earlier: Self) -> u32 {
        self.tags().wrapping_sub(earlier.tags())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn words_that_wrap_leave_the_tags_alone() {
        let before = Counts::new(u32::MAX, u32::MAX - 1);
        let after = before.plus(3, 1);
        assert_eq!((after.words(), after.tags()), (2, u32::MAX));
        assert_eq!(
            (after.words_since(before), after.tags_since(before)),
            (3, 1)
        );
    }

    #[test]
    fn tags_that_wrap_leave_the_words_alone() {
        let before = Counts::new(5, u32::MAX);
        let after = before.plus(4, 2);
        assert_eq!((after.words(), after.tags()), (9, 1));
        assert_eq!(Counts::from_word(after.to_word()), after);
    }
}
