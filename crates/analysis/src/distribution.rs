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
        let count = values.len();
        let (&min, &max) = (values.iter().min()?, values.iter().max()?);
        let sum = values.iter().map(|&value| i128::from(value)).sum::<i128>();
        let sum = sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let mut ranked = Ranked::of(values);
        // The highest first. Those of a state that no task was in are all the same.
        let [p99, p90, p50] = match min == max {
            true => [min; 3],
            false => [99, 90, 50].map(|percent| ranked.value(rank(count, percent))),
        };
        Some(Self {
            count: count as u64,
            sum,
            min,
            mean: sum as f64 / count as f64,
            p50,
            p90,
            p99,
            max,
        })
    }
}

/// Values of which a few are found by their ranks, the highest first: which takes a fraction of what putting all in order does.
struct Ranked {
    values: Vec<i64>,
    /// So many are below the one that was found last.
    below: usize,
}

impl Ranked {
    fn of(values: Vec<i64>) -> Self {
        Self {
            below: values.len(),
            values,
        }
    }

    /// The value of a rank, counted from 0, that is no higher than the last one.
    fn value(&mut self, rank: usize) -> i64 {
        if rank < self.below {
            self.values[..self.below].select_nth_unstable(rank);
            self.below = rank;
        }
        self.values[rank]
    }
}

/// The rank of a percentile of so many values, counted from 0.
fn rank(count: usize, percent: usize) -> usize {
    (count * percent).div_ceil(100).max(1) - 1
}

/// The percentile of values in order, by nearest rank.
pub(crate) fn percentile(values: &[i64], percent: usize) -> i64 {
    let rank = rank(values.len(), percent);
    values.get(rank).copied().unwrap_or_default()
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
