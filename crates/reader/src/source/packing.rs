//! How files are packed.

use std::fmt;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// By gzip, RFC 1952; members one after another are one file.
    Gzip,
    /// By Zstandard, RFC 8878; frames one after another are one file.
    Zstd,
}

/// Why not all of a packed file could be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackingFault {
    /// The file ends too early.
    Cut,
    /// What is there is not what was packed, or follows it.
    Damaged,
}

impl Packing {
    /// So many bytes tell how a file is packed.
    pub(super) const MAGIC_BYTES: usize = 4;

    /// How a file is packed that begins like this; `None` for one that is not.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            // A frame to be skipped, with which some begin.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

impl fmt::Display for PackingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut => "the packed file ends too early",
            Self::Damaged => "the packed file is damaged",
        })
    }
}
