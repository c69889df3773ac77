//! How much of a trace may be held in memory.

use std::fmt;

/// The most bytes that unpacking may yield, or that are read from where nothing can be mapped.
///
/// A packed file of a few kilobytes can hold as many gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnpackLimit(
    /// The bytes.
    pub u64,
);

impl Default for UnpackLimit {
    /// 4 GiB: larger traces are read by what maps them, unpacked.
    fn default() -> Self {
        Self(4 << 30)
    }
}

impl fmt::Display for UnpackLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}
