//! Maps from ids, which are small numbers in most traces and anything in a damaged one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose key is a number.
pub(crate) type IdMap<T> = HashMap<u64, T, BuildHasherDefault<IdHasher>>;

/// Multiplies: ids come from a counter, and a trace that is made to collide gets slow but not wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // The table takes its place from the low bits and its tag from the high ones: both must depend on all of the number.
        let product = u128::from(number ^ self.0) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
}
