//! Maps from ids, which are small numbers in most traces and anything in a damaged one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose key is a number.
pub(crate) type IdMap<T> = HashMap<u64, T, BuildIdHasher>;

/// Builds the hashers of tables whose keys come from a trace.
pub(crate) type BuildIdHasher = BuildHasherDefault<IdHasher>;

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
        let product = u128::from(number ^ self.0.rotate_left(23)) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.write_u64(chunk.try_into().map_or(0, u64::from_le_bytes));
        }
        let mut last = [0; 8];
        last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        self.write_u64(u64::from_le_bytes(last));
    }
}
