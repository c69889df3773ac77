//! A quantity of a trace, as a whole and in blocks.
//!
//! What a program does now has much to do with what it did just before and does beside, so values that follow on each other are no
//! independent ones, and a test that takes them for such finds changes where there are none. So blocks are compared, one value each:
//!
//! - A block of instances, such as requests, holds several that began one after another, and begins so long after the one before that
//!   an instance is over meanwhile: a thousand tasks that wait for the same moment are one observation, and no block.
//! - A block of time has what ended in it, with its whole length: a wait that fills the trace is one observation, too.
//! - No block is shorter than ten milliseconds, some turns of a kernel's scheduler.

use exectrace_reader::Timestamp;

use super::quantity::Measure;
use crate::distribution::percentile;

/// How many blocks there are: few enough that each is long, and enough that a test can tell even one change among hundreds of
/// quantities. Two samples of the least can lie apart by chance in 2 of 12,870 cases.
const BLOCKS_MAX: usize = 16;
const BLOCKS_MIN: usize = 8;

/// How long a block is at least: shorter ones would be the same moment for a kernel.
const BLOCK_NS_MIN: i64 = 10_000_000;

/// A quantity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// Of the whole trace.
    pub(super) value: f64,
    /// Of each block; none where there is too little for blocks.
    pub(super) blocks: Vec<f64>,
    /// How many instances there are; 0 where it is about time.
    pub(super) count: u64,
}

/// Something that happened several times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub(super) begin: Timestamp,
    /// How long it took.
    pub(super) ns: i64,
    /// What of it is compared.
    pub(super) value: i64,
}

impl Series {
    /// A percentile of instances, in the order in which they began. A block has so many that it takes more than one of them beyond the
    /// percentile to move it, for the median 5.
    pub(super) fn percentile(instances: &[Instance], percent: usize) -> Option<Self> {
        let least = if percent == 50 {
            5
        } else {
            100 / (100 - percent)
        };
        let count = instances.len();
        let (first, last) = (instances.first()?, instances.last()?);
        let of = |instances: &[Instance], of: fn(&Instance) -> i64| {
            let mut values: Vec<i64> = instances.iter().map(of).collect();
            values.sort_unstable();
            percentile(&values, percent)
        };
        // How often one can follow on another.
        let turn_ns = of(instances, |it| it.ns).max(BLOCK_NS_MIN);
        let turns = (last.begin.since_ns(first.begin) / turn_ns).max(0) as usize;
        let blocks = (count / least).min(turns).min(BLOCKS_MAX);
        let values = (0..blocks).map(|block| {
            let bound = |block| block * count / blocks;
            of(&instances[bound(block)..bound(block + 1)], |it| it.value) as f64
        });
        Some(Self {
            value: of(instances, |it| it.value) as f64,
            blocks: if_enough(values.collect()),
            count: count as u64,
        })
    }

    /// How long instances took, by percentile.
    pub(super) fn took(instances: &[Instance]) -> impl Iterator<Item = (Measure, Self)> {
        [50, 90, 99].into_iter().filter_map(|percent| {
            let series = Self::percentile(instances, usize::from(percent))?;
            Some((Measure::Took(percent), series))
        })
    }

    /// Nothing, in so many blocks.
    pub(super) fn zero(blocks: usize) -> Self {
        Self {
            value: 0.0,
            blocks: vec![0.0; blocks],
            count: 0,
        }
    }

    /// The median block.
    pub(super) fn median_block(&self) -> f64 {
        let mut blocks = self.blocks.clone();
        blocks.sort_by(f64::total_cmp);
        let (low, high) = (blocks.len().saturating_sub(1) / 2, blocks.len() / 2);
        let at = |place: usize| blocks.get(place).copied().unwrap_or_default();
        (at(low) + at(high)) / 2.0
    }
}

/// Fewer blocks than the least are none.
fn if_enough(blocks: Vec<f64>) -> Vec<f64> {
    if blocks.len() < BLOCKS_MIN {
        Vec::new()
    } else {
        blocks
    }
}

/// Blocks of equal length that a stretch of time is made of, and the buckets in them.
#[derive(Clone, Debug)]
pub(super) struct TimeBlocks {
    begin: Timestamp,
    span_ns: i64,
    width_ns: i64,
    buckets: usize,
    /// How long each is, in nanoseconds.
    lengths: Vec<f64>,
}

impl TimeBlocks {
    /// Those of a stretch that is seen in buckets of a width.
    pub(super) fn new(begin: Timestamp, span_ns: i64, width_ns: i64) -> Self {
        let buckets = (span_ns / width_ns) as usize + 1;
        let count = (span_ns / BLOCK_NS_MIN).clamp(0, BLOCKS_MAX as i64) as usize;
        let mut blocks = Self {
            begin,
            span_ns,
            width_ns,
            buckets,
            lengths: if_enough(vec![0.0; count]),
        };
        for bucket in 0..buckets {
            let rest = span_ns.saturating_sub((bucket as i64).saturating_mul(width_ns));
            if let Some(block) = blocks.of_bucket(bucket) {
                blocks.lengths[block] += rest.min(width_ns) as f64;
            }
        }
        blocks
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.lengths.len()
    }

    /// The block of a bucket.
    pub(super) fn of_bucket(&self, bucket: usize) -> Option<usize> {
        let last = self.lengths.len().checked_sub(1)?;
        Some((bucket * self.lengths.len() / self.buckets).min(last))
    }

    /// The block of a time.
    pub(super) fn of_time(&self, time: Timestamp) -> Option<usize> {
        let since_ns = time.since_ns(self.begin).max(0);
        self.of_bucket((since_ns / self.width_ns) as usize)
    }

    /// What there is in each nanosecond of what adds up to a sum, and to these sums of blocks.
    pub(super) fn rate(&self, sum: f64, blocks: &[f64]) -> Series {
        let blocks = blocks.iter().zip(&self.lengths);
        Series {
            value: sum / self.span_ns.max(1) as f64,
            blocks: blocks.map(|(sum, length)| sum / length.max(1.0)).collect(),
            count: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instances that begin every so often, take so long, and have rising values.
    fn instances(count: i64, every_ns: i64, ns: i64) -> Vec<Instance> {
        let instance = |place| Instance {
            begin: Timestamp(place * every_ns),
            ns,
            value: place,
        };
        (0..count).map(instance).collect()
    }

    #[track_caller]
    fn blocks(instances: &[Instance], percent: usize) -> usize {
        let series = Series::percentile(instances, percent);
        series.expect("has values").blocks.len()
    }

    #[test]
    fn a_block_holds_instances_that_follow_on_each_other() {
        let instances = instances(80, 10_000_000, 1_000);
        let series = Series::percentile(&instances, 50).expect("has values");
        assert_eq!((series.value, series.count), (39.0, 80));
        assert_eq!(series.blocks.len(), 16);
        assert_eq!(series.blocks[..3], [2.0, 7.0, 12.0]);
        assert_eq!(series.median_block(), 39.5);
        // Eight blocks of ten; and too few for percentiles farther out, or at all.
        assert_eq!(
            (blocks(&instances, 90), blocks(&instances[1..], 90)),
            (8, 0)
        );
        assert_eq!(
            (blocks(&instances[..40], 50), blocks(&instances[..39], 50)),
            (8, 0)
        );
        assert_eq!(blocks(&instances, 99), 0);
        assert!(Series::percentile(&[], 50).is_none());
    }

    #[test]
    fn what_happens_at_once_is_one_observation() {
        // Ten seconds, in which one of a second can follow on another ten times.
        assert_eq!(blocks(&instances(1_001, 10_000_000, 1_000_000_000), 50), 10);
        assert_eq!(blocks(&instances(1_001, 1_000_000, 1_000_000_000), 50), 0);
        // 90 ms have nine turns of a kernel.
        assert_eq!(blocks(&instances(901, 100_000, 7), 50), 9);
        assert_eq!(blocks(&instances(901, 10_000, 7), 50), 0);
    }

    #[test]
    fn blocks_of_time_make_up_the_whole() {
        let blocks = TimeBlocks::new(Timestamp(7), 400_000_000, 1 << 22);
        assert_eq!(blocks.count(), 16);
        assert_eq!(blocks.lengths.iter().sum::<f64>(), 4e8);
        assert_eq!(
            (blocks.of_bucket(0), blocks.of_bucket(95)),
            (Some(0), Some(15))
        );
        let rate = blocks.rate(4e8, &blocks.lengths.clone());
        assert_eq!((rate.value, rate.blocks), (1.0, vec![1.0; 16]));
        let short = TimeBlocks::new(Timestamp(0), 79_999_999, 1 << 20);
        assert_eq!((short.count(), short.of_bucket(0)), (0, None));
    }
}
