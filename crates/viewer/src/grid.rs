//! What a screen can show: a stretch of time in buckets, each at least as narrow as a pixel.

/// The widest bucket: a trace of three hundred years is one.
const SHIFT_MAX: u32 = 62;

/// The most pixels: twice the widest screen that is sold, so that a request of nonsense costs little.
const WIDTH_MAX: u32 = 16_384;

/// Buckets of equal width, side by side. Their bounds are multiples of their width, which is a power of two: so the buckets of a
/// window are those of any other window of that width, and may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The width is two to the power of this, in nanoseconds.
    pub(crate) shift: u32,
    /// The number of the first bucket, counted from the begin of the trace.
    pub(crate) first: u64,
    /// How many there are.
    pub(crate) count: u64,
}

impl Grid {
    /// The widest buckets that are no wider than a pixel, where a window is `width` pixels wide. Times count from the begin of the
    /// trace, in nanoseconds. `None` if the window is empty, or there are too many pixels.
    pub(crate) fn new(from_ns: u64, to_ns: u64, width: u32) -> Option<Self> {
        if width == 0 || width > WIDTH_MAX || to_ns <= from_ns || to_ns > 1 << SHIFT_MAX {
            return None;
        }
        let pixel_ns = ((to_ns - from_ns) / u64::from(width)).max(1);
        let shift = pixel_ns.ilog2().min(SHIFT_MAX);
        let first = from_ns >> shift;
        Some(Self {
            shift,
            first,
            count: ((to_ns - 1) >> shift) - first + 1,
        })
    }

    /// How wide a bucket is.
    pub(crate) fn bucket_ns(self) -> u64 {
        1 << self.shift
    }

    /// Where the first bucket begins.
    pub(crate) fn begin_ns(self) -> u64 {
        self.first << self.shift
    }

    /// Where the last one ends.
    pub(crate) fn end_ns(self) -> u64 {
        (self.first + self.count) << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_no_wider_than_pixels_and_half_as_wide_at_least() {
        for (from_ns, to_ns, width) in [(0, 1000, 10), (77, 5_000_001, 1600), (9, 10, 1600)] {
            let grid = Grid::new(from_ns, to_ns, width).unwrap();
            let pixel_ns = ((to_ns - from_ns) / u64::from(width)).max(1);
            assert!(grid.bucket_ns() <= pixel_ns && pixel_ns < 2 * grid.bucket_ns());
            assert!(grid.begin_ns() <= from_ns && to_ns <= grid.end_ns());
            assert!(from_ns - grid.begin_ns() < grid.bucket_ns());
            assert!(grid.end_ns() - to_ns < grid.bucket_ns());
        }
    }

    #[test]
    fn windows_of_nonsense_have_none() {
        for (from_ns, to_ns, width) in [
            (5, 5, 100),
            (6, 5, 100),
            (0, 100, 0),
            (0, 100, u32::MAX),
            (0, u64::MAX, 1),
        ] {
            assert_eq!(Grid::new(from_ns, to_ns, width), None);
        }
    }
}
