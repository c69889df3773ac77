//! Many values by size.

/// How many values there are of each size: bins whose bounds are round numbers, each a bit larger than the one before.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::Histogram;
///
/// let bins = Histogram::of(&[120, 130, 900, 40_000]).bins;
/// let counts: Vec<_> = bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
/// assert_eq!(counts[0], (100, 200, 2));
/// assert_eq!(counts.last(), Some(&(20_000, 50_000, 1)));
/// assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 4);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// The bins from the least value's to the largest one's, empty ones among them; none without values.
    pub bins: Vec<HistogramBin>,
}

/// Values of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistogramBin {
    /// The least value that is in it.
    pub from: i64,
    /// The least value that is too large for it.
    pub to: i64,
    /// How many there are.
    pub count: u64,
}

/// Bounds in a decade, where values differ much, and where they do not.
const COARSE: &[i64] = &[10, 20, 50];
const FINE: &[i64] = &[10, 15, 20, 30, 50, 70];
/// Values that differ by no more than this factor are counted finely.
const FINE_RATIO: i64 = 100;
/// Nothing is larger: 31 years of nanoseconds.
const VALUE_MAX: i64 = 999_999_999_999_999_999;

impl Histogram {
    /// That of some values; those below 0 count as 0, those above 10^18 as that.
    #[must_use]
    pub fn of(values: &[i64]) -> Self {
        let (Some(&min), Some(&max)) = (values.iter().min(), values.iter().max()) else {
            return Self::default();
        };
        let clamp = |value: i64| value.clamp(0, VALUE_MAX);
        let (min, max) = (clamp(min), clamp(max));
        let is_fine = max / min.max(1) < FINE_RATIO;
        let bounds = bounds(if is_fine { FINE } else { COARSE }, max);
        let bin_of = |value: i64| bounds.partition_point(|&bound| bound <= value) - 1;
        let first = bin_of(min);
        let mut bins: Vec<_> = bounds[first..=bin_of(max) + 1]
            .windows(2)
            .map(|bounds| HistogramBin {
                from: bounds[0],
                to: bounds[1],
                count: 0,
            })
            .collect();
        for &value in values {
            bins[bin_of(clamp(value)) - first].count += 1;
        }
        Self { bins }
    }
}

/// Bounds of bins from 0 on, up to one that is larger than `max`.
fn bounds(in_decade: &[i64], max: i64) -> Vec<i64> {
    let mut bounds = vec![0, 1, 2, 5];
    let mut decade = 1_i64;
    while bounds.last().is_some_and(|&last| last <= max) {
        bounds.extend(in_decade.iter().map(|bound| bound * decade));
        bounds.dedup();
        decade *= 10;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[i64], expect: &[(i64, i64, u64)]) {
        let bins = Histogram::of(values).bins;
        let found: Vec<_> = bins
            .iter()
            .map(|bin| (bin.from, bin.to, bin.count))
            .collect();
        assert_eq!(found, expect, "{values:?}");
    }

    #[test]
    fn bounds_are_round_and_empty_bins_stand_between() {
        check(&[], &[]);
        check(&[0], &[(0, 1, 1)]);
        check(&[7], &[(5, 10, 1)]);
        check(&[100, 199], &[(100, 150, 1), (150, 200, 1)]);
        check(
            &[1_000, 5_000],
            &[
                (1_000, 1_500, 1),
                (1_500, 2_000, 0),
                (2_000, 3_000, 0),
                (3_000, 5_000, 0),
                (5_000, 7_000, 1),
            ],
        );
        check(
            &[-5, 3, 300],
            &[
                (0, 1, 1),
                (1, 2, 0),
                (2, 5, 1),
                (5, 10, 0),
                (10, 20, 0),
                (20, 50, 0),
                (50, 100, 0),
                (100, 200, 0),
                (200, 500, 1),
            ],
        );
    }

    #[test]
    fn the_largest_values_have_a_bin() {
        for max in [i64::MAX, i64::MAX - 1, 9_000_000_000_000_000_000] {
            let bins = Histogram::of(&[1, max]).bins;
            assert_eq!(bins.last().map(|bin| bin.count), Some(1), "{max}");
        }
    }
}
