//! Why a buffer cannot be made.

use std::fmt;

/// Why [`buffer`](crate::buffer()) refused the sizes it was given.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The data ring could not hold even the shortest record that says what was lost.
    DataTooSmall {
        /// The words asked for.
        words: usize,
        /// The least number of words for a header of this length.
        least: usize,
    },
    /// The data ring has [`Sizes::LIMIT`](crate::Sizes::LIMIT) words or more.
    DataTooLarge {
        /// The words asked for.
        words: usize,
    },
    /// The tag ring has [`Sizes::LIMIT`](crate::Sizes::LIMIT) slots or more.
    TooManyTags {
        /// The slots asked for.
        tags: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DataTooSmall { words, least } => {
                write!(
                    f,
                    "a data ring of {words} words is too small: {least} are needed"
                )
            }
            Self::DataTooLarge { words } => write!(f, "a data ring of {words} words is too large"),
            Self::TooManyTags { tags } => write!(f, "a tag ring of {tags} slots is too large"),
        }
    }
}

impl std::error::Error for Error {}
