//! How large a buffer is to be.

use crate::{Error, record};

/// How large a buffer is to be, as wished; [`buffer`](crate::buffer()) makes it.
///
/// A record takes 2 words, those of its header and those of its stack, and one tag. It lies in
/// one piece, so that up to a record's length of words at the ring's end may be skipped: a
/// record of at most half the data ring always fits an empty buffer, a longer one may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Words of every record's header.
    pub header_words: usize,
    /// Words of the data ring; rounded up to a power of two.
    pub data_words: usize,
    /// Slots of the tag ring, which is the greatest number of records in the buffer; rounded up
    /// to a power of two.
    pub tags: usize,
}

/// Sizes within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckedSizes {
    pub(crate) header_words: usize,
    pub(crate) data_words: u32,
    pub(crate) tags: u32,
}

impl Sizes {
    /// Both rings stay below this length, as wished.
    ///
    /// Positions are counts modulo 2³². Rings of at most 2²⁸ keep any two positions close enough
    /// for their difference to be unmistakable.
    pub const LIMIT: usize = 1 << 28;

    /// The sizes of the rings themselves.
    pub(crate) fn check(self) -> Result<CheckedSizes, Error> {
        let Self {
            header_words,
            data_words,
            tags,
        } = self;
        let least = record::loss_words(header_words);
        if data_words < least {
            return Err(Error::DataTooSmall {
                words: data_words,
                least,
            });
        }
        if data_words >= Self::LIMIT {
            return Err(Error::DataTooLarge { words: data_words });
        }
        if tags >= Self::LIMIT {
            return Err(Error::TooManyTags { tags });
        }
        Ok(CheckedSizes {
            header_words,
            data_words: data_words.next_power_of_two() as u32,
            tags: tags.next_power_of_two() as u32,
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        header_words: usize,
        data_words: usize,
        tags: usize,
        expect: Result<(u32, u32), Error>,
    ) {
        let sizes = Sizes {
            header_words,
            data_words,
            tags,
        };
        let rings = sizes.check().map(|it| (it.data_words, it.tags));
        assert_eq!(rings, expect, "{sizes:?}");
    }

    #[test]
    fn wished_sizes_are_rounded_up() {
        check(0, 3, 0, Ok((4, 1)));
        check(1, 4, 1, Ok((4, 1)));
        check(2, 5, 3, Ok((8, 4)));
        check(2, 1 << 14, 1 << 10, Ok((1 << 14, 1 << 10)));
        let most = Sizes::LIMIT - 1;
        check(2, most, most, Ok((1 << 28, 1 << 28)));
    }

    #[test]
    fn sizes_outside_the_limits_are_refused() {
        check(0, 2, 1, Err(Error::DataTooSmall { words: 2, least: 3 }));
        check(5, 7, 1, Err(Error::DataTooSmall { words: 7, least: 8 }));
        let least = usize::MAX;
        check(least, 64, 1, Err(Error::DataTooSmall { words: 64, least }));
        check(2, 1 << 28, 1, Err(Error::DataTooLarge { words: 1 << 28 }));
        check(2, 64, 1 << 28, Err(Error::TooManyTags { tags: 1 << 28 }));
    }
}
