//! A quick hash for keys made of ids.
//!
//! Those of strings, stacks and lives are given by the reader and the pass, one after another, so that no file can make them
//! collide; those of tasks come from the file, and a file that is made for it makes a table slow, not wrong.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds the hashers of tables by ids.
pub(crate) type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

/// Multiplies, and adds both halves of the product.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // A prime near 2^64 divided by the golden ratio. A table looks at low bits and at high ones: both halves have to be in both.
        let product = u128::from(number ^ self.0.rotate_left(29)) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u8(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use super::*;

    #[test]
    fn small_ids_rarely_share_low_or_high_bits() {
        let build = BuildKeyHasher::default();
        let hashes = (0..1_u64 << 14).map(|number| build.hash_one((number >> 7, number & 127)));
        let hashes: Vec<u64> = hashes.collect();
        // As many values as there are keys: of random ones 63 per cent are hit.
        let different = |bits: fn(u64) -> u64| {
            let values: HashSet<u64> = hashes.iter().map(|&hash| bits(hash)).collect();
            values.len()
        };
        assert!(different(|hash| hash & ((1 << 14) - 1)) > 9_000);
        assert!(different(|hash| hash >> 50) > 9_000);
        assert_eq!(different(|hash| hash), 1 << 14);
    }
}
