//! Many values in a few numbers.

/// How values are spread: the least, the mean, some percentiles and the most.
///
/// A percentile is a value that was there: the least one that so many per cent of the values do not exceed.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::Distribution;
///
/// let spread = Distribution::of(vec![30, 10, 20]).unwrap();
/// assert_eq!((spread.min, spread.p50, spread.max, spread.mean), (10, 20, 30, 20.0));
/// assert!(Distribution::of(vec![]).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// How many values there are.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
    /// The least.
    pub min: i64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: i64,
    /// What nine of ten values do not exceed.
    pub p90: i64,
    /// What 99 of 100 values do not exceed.
    pub p99: i64,
    /// The most.
    pub max: i64,
}

impl Distribution {
    /// That of some values; `None` if there are none. A sum that is too large is the largest that there is.
    #[must_use]
    pub fn of(values: Vec<i64>) -> Option<Self> {
        let mut values = values;
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let sum = values
            .iter()
            .fold(0_i64, |sum, &value| sum.saturating_add(value));
        Some(Self {
            count: values.len() as u64,
            sum,
            min,
            mean: sum as f64 / values.len() as f64,
            p50: percentile(&values, 50),
            p90: percentile(&values, 90),
            p99: percentile(&values, 99),
            max,
        })
    }
}

/// The percentile of values in order, by nearest rank.
pub(crate) fn percentile(values: &[i64], percent: usize) -> i64 {
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: impl Iterator<Item = i64>, p50: i64, p90: i64, p99: i64) {
        let spread = Distribution::of(values.collect()).expect("has values");
        assert_eq!((spread.p50, spread.p90, spread.p99), (p50, p90, p99));
    }

    #[test]
    fn percentiles_are_values_that_were_there() {
        check(std::iter::once(7), 7, 7, 7);
        check([1, 2].into_iter(), 1, 2, 2);
        check((1..=10).rev(), 5, 9, 10);
        check(1..=100, 50, 90, 99);
        check(1..=1000, 500, 900, 990);
    }

    #[test]
    fn a_sum_does_not_overflow() {
        let spread = Distribution::of(vec![i64::MAX, i64::MAX]).expect("has values");
        assert_eq!(spread.sum, i64::MAX);
    }
}
