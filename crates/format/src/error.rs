//! What can be wrong with the bytes of a trace.

use std::fmt;

use crate::limits::HEADER_BYTES;

/// What is wrong with the bytes, and where.
///
/// Offsets count from the first byte of what was given to the decoder, or from the offset that it
/// was told to begin with, so that they are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The file ends inside its header.
    HeaderCut {
        /// How many bytes there are.
        length_bytes: usize,
    },
    /// The first 16 bytes are not the header of an execution trace.
    NotATrace,
    /// The header is well formed, but names a version that this crate does not know.
    UnsupportedVersion {
        /// The number before the stop.
        major: u32,
        /// The number after the stop.
        minor: u32,
    },
    /// The bytes end inside the record or batch that begins at `offset`.
    Cut {
        /// Where the record or batch begins.
        offset: u64,
    },
    /// A number has no end, or more than 64 bits in format v2.
    BadNumber {
        /// Where the number begins.
        offset: u64,
    },
    /// No version, or not this one, has such a type.
    UnknownType {
        /// Where the record begins.
        offset: u64,
        /// The number of the type.
        number: u8,
    },
    /// The numbers of a record do not end where its length says.
    WrongLength {
        /// Where the record begins.
        offset: u64,
        /// What its length says.
        length_bytes: u64,
    },
    /// A record has more or fewer numbers than its type.
    WrongCount {
        /// Where the record begins.
        offset: u64,
        /// The number of the type.
        number: u8,
        /// How many it should have, its time included.
        want: u64,
        /// How many it has.
        got: u64,
    },
    /// A string record for id 0, which is the empty string.
    StringIdZero {
        /// Where the record begins.
        offset: u64,
    },
    /// A string record without text in format v1.
    StringEmpty {
        /// Where the record begins.
        offset: u64,
    },
    /// A string or message that is longer than the format's limit.
    StringTooLong {
        /// Where the record begins.
        offset: u64,
        /// The length that it claims.
        length_bytes: u64,
    },
    /// The message of a user log ends with the file. The log itself was delivered, without it.
    MessageCut {
        /// Where the message begins.
        offset: u64,
    },
    /// A stack that has more frames than the format's limit.
    StackTooDeep {
        /// Where the record begins.
        offset: u64,
        /// How many frames it claims.
        frames: u64,
    },
    /// Neither a batch nor an end of generation begins with this byte.
    NotABatch {
        /// Where the byte is.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// A batch of generation 0.
    GenerationZero {
        /// Where the batch begins.
        offset: u64,
    },
    /// A batch that is longer than the format's limit.
    BatchTooLong {
        /// Where the batch begins.
        offset: u64,
        /// The length that it claims.
        length_bytes: u64,
    },
    /// A type that is no event stands among events.
    NotAnEvent {
        /// Where it stands.
        offset: u64,
        /// The number of the type.
        number: u8,
    },
    /// A batch of one kind of entries has another type in it.
    WrongEntry {
        /// Where it stands.
        offset: u64,
        /// The number of the type.
        number: u8,
    },
    /// A sync batch has two frequencies or two clock snapshots.
    SyncRepeated {
        /// Where the second one stands.
        offset: u64,
    },
}

impl Error {
    /// Where in the file the fault is.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match *self {
            Self::HeaderCut { length_bytes } => length_bytes as u64,
            Self::NotATrace | Self::UnsupportedVersion { .. } => 0,
            Self::Cut { offset }
            | Self::BadNumber { offset }
            | Self::UnknownType { offset, .. }
            | Self::WrongLength { offset, .. }
            | Self::WrongCount { offset, .. }
            | Self::StringIdZero { offset }
            | Self::StringEmpty { offset }
            | Self::StringTooLong { offset, .. }
            | Self::MessageCut { offset }
            | Self::StackTooDeep { offset, .. }
            | Self::NotABatch { offset, .. }
            | Self::GenerationZero { offset }
            | Self::BatchTooLong { offset, .. }
            | Self::NotAnEvent { offset, .. }
            | Self::WrongEntry { offset, .. }
            | Self::SyncRepeated { offset } => offset,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::HeaderCut { length_bytes } => {
                return write!(
                    f,
                    "the header is cut: {length_bytes} of {HEADER_BYTES} bytes"
                );
            }
            Self::NotATrace => return f.write_str("not an execution trace: no header"),
            Self::UnsupportedVersion { major, minor } => {
                return write!(f, "unsupported trace version {major}.{minor}");
            }
            Self::Cut { .. } => f.write_str("the bytes end inside a record or batch")?,
            Self::BadNumber { .. } => f.write_str("malformed number")?,
            Self::UnknownType { number, .. } => write!(f, "unknown event type {number}")?,
            Self::WrongLength { length_bytes, .. } => {
                write!(
                    f,
                    "a record is not as long as it says: {length_bytes} bytes"
                )?;
            }
            Self::WrongCount {
                number, want, got, ..
            } => {
                write!(f, "event type {number} has {got} numbers, not {want}")?;
            }
            Self::StringIdZero { .. } => f.write_str("a string has id 0")?,
            Self::StringEmpty { .. } => f.write_str("a string is empty")?,
            Self::StringTooLong { length_bytes, .. } => {
                write!(f, "a string is too long: {length_bytes} bytes")?;
            }
            Self::MessageCut { .. } => f.write_str("the bytes end inside a log's message")?,
            Self::StackTooDeep { frames, .. } => write!(f, "a stack is too deep: {frames} frames")?,
            Self::NotABatch { byte, .. } => write!(f, "expected a batch, found byte {byte}")?,
            Self::GenerationZero { .. } => f.write_str("a batch has generation 0")?,
            Self::BatchTooLong { length_bytes, .. } => {
                write!(f, "a batch is too long: {length_bytes} bytes")?;
            }
            Self::NotAnEvent { number, .. } => write!(f, "type {number} stands among events")?,
            Self::WrongEntry { number, .. } => write!(f, "a batch has an entry of type {number}")?,
            Self::SyncRepeated { .. } => f.write_str("a sync batch says something twice")?,
        }
        write!(f, ", at byte {}", self.offset())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where() {
        let error = Error::UnknownType {
            offset: 36,
            number: 50,
        };
        assert_eq!(error.to_string(), "unknown event type 50, at byte 36");
        assert_eq!(error.offset(), 36);
    }
}
