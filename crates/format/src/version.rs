//! The versions of the format and the header that each file begins with.

use std::fmt;

use crate::error::Error;
use crate::limits::HEADER_BYTES;

/// A version of the trace format, named after the Go release that brought it.
///
/// Only these have ever been written; the releases between write the header of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// v1; one global sequence number in each event, stacks of bare addresses.
    Go1_5,
    /// v1; sequence numbers per task, string table, symbolised frames.
    Go1_7,
    /// v1; labels, blocking on the collector's assist.
    Go1_8,
    /// v1; mark assists, sweep amounts.
    Go1_9,
    /// v1; reason of a stop-the-world.
    Go1_10,
    /// v1; user tasks, regions and logs.
    Go1_11,
    /// v1; CPU samples.
    Go1_19,
    /// v1; more reasons of a stop-the-world.
    Go1_21,
    /// v2; generations, batches per thread.
    Go1_22,
    /// v2; switches between coroutines, experimental batches.
    Go1_23,
    /// v2; clock snapshots.
    Go1_25,
    /// v2; a marker at the end of each generation.
    Go1_26,
}

/// How the bytes after the header are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A stream of records, batches per worker: see [`go_v1`](crate::go_v1).
    V1,
    /// Generations of batches per thread: see [`go_v2`](crate::go_v2).
    V2,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 12] = [
        Self::Go1_5,
        Self::Go1_7,
        Self::Go1_8,
        Self::Go1_9,
        Self::Go1_10,
        Self::Go1_11,
        Self::Go1_19,
        Self::Go1_21,
        Self::Go1_22,
        Self::Go1_23,
        Self::Go1_25,
        Self::Go1_26,
    ];

    /// The minor number of the Go release: 19 for 1.19.
    #[must_use]
    pub const fn minor(self) -> u32 {
        match self {
            Self::Go1_5 => 5,
            Self::Go1_7 => 7,
            Self::Go1_8 => 8,
            Self::Go1_9 => 9,
            Self::Go1_10 => 10,
            Self::Go1_11 => 11,
            Self::Go1_19 => 19,
            Self::Go1_21 => 21,
            Self::Go1_22 => 22,
            Self::Go1_23 => 23,
            Self::Go1_25 => 25,
            Self::Go1_26 => 26,
        }
    }

    /// The layout of a file of this version.
    #[must_use]
    pub const fn format(self) -> Format {
        if self.minor() < Self::Go1_22.minor() {
            Format::V1
        } else {
            Format::V2
        }
    }

    /// Whether this version is `other` or came after it; `>=` for constants.
    #[must_use]
    pub const fn at_least(self, other: Self) -> bool {
        self.minor() >= other.minor()
    }

    /// The bytes that a file of this version begins with.
    ///
    /// ```
    /// use exectrace_format::Version;
    /// assert_eq!(&Version::Go1_19.header(), b"go 1.19 trace\0\0\0");
    /// ```
    #[must_use]
    pub const fn header(self) -> [u8; HEADER_BYTES] {
        match self {
            Self::Go1_5 => *b"go 1.5 trace\0\0\0\0",
            Self::Go1_7 => *b"go 1.7 trace\0\0\0\0",
            Self::Go1_8 => *b"go 1.8 trace\0\0\0\0",
            Self::Go1_9 => *b"go 1.9 trace\0\0\0\0",
            Self::Go1_10 => *b"go 1.10 trace\0\0\0",
            Self::Go1_11 => *b"go 1.11 trace\0\0\0",
            Self::Go1_19 => *b"go 1.19 trace\0\0\0",
            Self::Go1_21 => *b"go 1.21 trace\0\0\0",
            Self::Go1_22 => *b"go 1.22 trace\0\0\0",
            Self::Go1_23 => *b"go 1.23 trace\0\0\0",
            Self::Go1_25 => *b"go 1.25 trace\0\0\0",
            Self::Go1_26 => *b"go 1.26 trace\0\0\0",
        }
    }

    /// Reads the header of a file, given the file or its first 16 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::HeaderCut`] when there are fewer than 16 bytes that may be one's begin, [`Error::NotATrace`]
    /// when they are no header at all, [`Error::UnsupportedVersion`] when they name a version that never was.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_format::{Error, Version};
    /// assert_eq!(Version::of(b"go 1.26 trace\0\0\0..."), Ok(Version::Go1_26));
    /// assert_eq!(
    ///     Version::of(b"go 1.27 trace\0\0\0"),
    ///     Err(Error::UnsupportedVersion { major: 1, minor: 27 }),
    /// );
    /// ```
    pub fn of(file: &[u8]) -> Result<Self, Error> {
        let Some(header) = file.first_chunk::<HEADER_BYTES>() else {
            let is_begin = file.iter().zip(b"go ").all(|(byte, other)| byte == other);
            return Err(if is_begin {
                Error::HeaderCut {
                    length_bytes: file.len(),
                }
            } else {
                Error::NotATrace
            });
        };
        if let Some(version) = Self::ALL
            .into_iter()
            .find(|version| version.header() == *header)
        {
            return Ok(version);
        }
        let (major, minor) = numbers(header).ok_or(Error::NotATrace)?;
        Err(Error::UnsupportedVersion { major, minor })
    }
}

impl fmt::Display for Version {
    /// As in the header: `1.19`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor())
    }
}

/// The two numbers of a header that is well formed: `go 1.23 trace` and zeros.
fn numbers(header: &[u8; HEADER_BYTES]) -> Option<(u32, u32)> {
    let [major @ b'1'..=b'9', b'.', rest @ ..] = header.strip_prefix(b"go ")? else {
        return None;
    };
    let digits = rest
        .iter()
        .take(3)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (minor, rest) = rest.split_at(digits);
    let padding = rest.strip_prefix(b" trace")?;
    if minor.first().is_none_or(|&first| first == b'0') || padding.iter().any(|&byte| byte != 0) {
        return None;
    }
    let minor = minor
        .iter()
        .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Some((u32::from(major - b'0'), minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &[u8], expect: Result<Version, Error>) {
        assert_eq!(Version::of(file), expect);
    }

    #[test]
    fn every_version_reads_its_own_header() {
        for version in Version::ALL {
            check(&version.header(), Ok(version));
            let text = format!("go 1.{} trace", version.minor());
            assert_eq!(
                version
                    .header()
                    .strip_prefix(text.as_bytes())
                    .map(<[u8]>::len),
                Some(16 - text.len())
            );
        }
        assert!(Version::ALL.is_sorted());
    }

    #[test]
    fn other_headers_are_refused_for_their_reason() {
        check(b"", Err(Error::HeaderCut { length_bytes: 0 }));
        check(
            b"go 1.19 trace\0\0",
            Err(Error::HeaderCut { length_bytes: 15 }),
        );
        check(b"gotrace\0\x020", Err(Error::NotATrace));
        check(b"Go 1.19 trace\0\0\0", Err(Error::NotATrace));
        check(b"go 1.19 trace\0\0\x01", Err(Error::NotATrace));
        check(b"go 1.05 trace\0\0\0", Err(Error::NotATrace));
        check(b"go 1. trace\0\0\0\0\0", Err(Error::NotATrace));
        check(b"gotrace\0\xc3\x0200\0\0\0\0\0", Err(Error::NotATrace));
        check(
            b"go 1.20 trace\0\0\0",
            Err(Error::UnsupportedVersion {
                major: 1,
                minor: 20,
            }),
        );
        check(
            b"go 2.7 trace\0\0\0\0",
            Err(Error::UnsupportedVersion { major: 2, minor: 7 }),
        );
    }
}
