//! Sums, as a whole and by block of time.

use super::series::TimeBlocks;

/// A sum, and that of each block.
#[derive(Clone, Default)]
pub(super) struct BlockSums {
    pub(super) sum: f64,
    pub(super) blocks: Vec<f64>,
}

impl BlockSums {
    /// Adds to the block of a bucket.
    pub(super) fn add(&mut self, blocks: &TimeBlocks, bucket: u8, amount: f64) {
        self.sum += amount;
        self.blocks.resize(blocks.count(), 0.0);
        if let Some(block) = blocks.of_bucket(usize::from(bucket)) {
            self.blocks[block] += amount;
        }
    }

    /// Adds others.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.sum += other.sum;
        self.blocks.resize(other.blocks.len(), 0.0);
        for (sum, other) in self.blocks.iter_mut().zip(&other.blocks) {
            *sum += other;
        }
    }
}
