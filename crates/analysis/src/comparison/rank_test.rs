//! Whether two samples come from one distribution: the rank sum test.
//!
//! The test of Wilcoxon (Individual comparisons by ranking methods, 1945) and of Mann and Whitney (On a test of whether one of two
//! random variables is stochastically larger than the other, 1947): values of both samples are ranked together, and if they come from
//! one distribution any share of the ranks is as likely to be the first sample's as any other. So nothing has to be normal. Equal
//! values share their mean rank, and the distribution of the sum is counted out with these very ranks (as Lehmann tells in
//! Nonparametrics, 1975, chapter 1): exact with ties, and for small samples, where the usual approximation by a normal one is not.
//!
//! Of many tests some find something by chance. The p-values of a family are therefore adjusted by Holm's method (A simple sequentially
//! rejective multiple test procedure, 1979), which bounds the probability that even one of the family is wrong, whatever the tests
//! have to do with each other.

use std::collections::HashMap;

/// Tests samples, and keeps the distributions that it has counted out.
#[derive(Default)]
pub(super) struct RankTest {
    /// How many ways lead to each sum, by the size of the first sample and the ranks of all.
    ways: HashMap<(usize, Vec<usize>), Vec<f64>>,
}

/// What came of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tested {
    /// How probable a sum of ranks is that is as far from the expected one as this or farther, if nothing differs.
    pub(super) p: f64,
    /// The ranks of the second sample are the higher ones.
    pub(super) is_higher: bool,
}

impl RankTest {
    /// Tests two samples.
    pub(super) fn test(&mut self, old: &[f64], new: &[f64]) -> Tested {
        let (ranks, sum) = doubled_ranks(old, new);
        let expected = old.len() * (ranks.len() + 1);
        let count = old.len();
        let distance = sum.abs_diff(expected);
        let ways = self
            .ways
            .entry((count, ranks))
            .or_insert_with_key(|(count, ranks)| ways(*count, ranks));
        let all: f64 = ways.iter().sum();
        let far = ways.iter().enumerate();
        let far = far.filter(|&(sum, _)| sum.abs_diff(expected) >= distance);
        Tested {
            p: far.map(|(_, ways)| ways).sum::<f64>() / all,
            is_higher: sum < expected,
        }
    }
}

/// The ranks of all values in order, doubled, since equal values share the mean of theirs; and the sum of the first sample's.
fn doubled_ranks(old: &[f64], new: &[f64]) -> (Vec<usize>, usize) {
    let of_old = old.iter().map(|&value| (value, true));
    let mut values: Vec<(f64, bool)> = of_old.chain(new.iter().map(|&it| (it, false))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks, mut sum) = (Vec::new(), 0);
    for equal in values.chunk_by(|a, b| a.0 == b.0) {
        // Ranks count from 1: those of these values are the next ones.
        let rank = 2 * ranks.len() + equal.len() + 1;
        sum += rank * equal.iter().filter(|(_, is_old)| *is_old).count();
        ranks.resize(ranks.len() + equal.len(), rank);
    }
    (ranks, sum)
}

/// In how many ways so many of the ranks add up to each sum.
fn ways(count: usize, ranks: &[usize]) -> Vec<f64> {
    let sums = ranks.iter().sum::<usize>() + 1;
    let mut ways = vec![vec![0.0; sums]; count + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        for chosen in (1..=count).rev() {
            let (less, more) = ways.split_at_mut(chosen);
            let without = &less[chosen - 1][..sums - rank];
            for (with, without) in more[0][rank..].iter_mut().zip(without) {
                *with += without;
            }
        }
    }
    ways.pop().unwrap_or_default()
}

/// Adjusts the p-values of a family: what is still below a bound is so with all of the family together.
pub(super) fn adjust(p_values: &mut [&mut f64]) {
    p_values.sort_by(|a, b| a.total_cmp(b));
    let mut least = 0.0_f64;
    let count = p_values.len();
    for (place, p) in p_values.iter_mut().enumerate() {
        least = least.max(**p * (count - place) as f64).min(1.0);
        **p = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(old: &[f64], new: &[f64]) -> f64 {
        RankTest::default().test(old, new).p
    }

    #[test]
    fn what_lies_apart_has_one_way_of_all_on_each_side() {
        let low: Vec<f64> = (0..8).map(f64::from).collect();
        let high: Vec<f64> = (8..16).map(f64::from).collect();
        let tested = RankTest::default().test(&low, &high);
        assert!((tested.p - 2.0 / 12_870.0).abs() < 1e-12 && tested.is_higher);
        assert!(!RankTest::default().test(&high, &low).is_higher);
        assert_eq!(p(&low, &low), 1.0);
        assert_eq!(p(&[5.0; 9], &[5.0; 7]), 1.0);
    }

    #[test]
    fn probabilities_are_those_of_all_shares_of_the_ranks() {
        for (old, new) in [
            (&[1.0, 2.0, 2.0, 7.0][..], &[2.0, 3.0, 8.0, 8.0, 9.0][..]),
            (&[1.0, 1.0, 1.0], &[1.0, 1.0, 2.0]),
            (&[3.0], &[1.0, 2.0, 2.0, 4.0]),
        ] {
            let (ranks, sum) = doubled_ranks(old, new);
            let expected = old.len() * (ranks.len() + 1);
            let (mut all, mut far) = (0, 0);
            for chosen in 0..1_usize << ranks.len() {
                if chosen.count_ones() as usize == old.len() {
                    let of_old = (0..ranks.len()).filter(|place| chosen >> place & 1 == 1);
                    let other: usize = of_old.map(|place| ranks[place]).sum();
                    all += 1;
                    far += usize::from(other.abs_diff(expected) >= sum.abs_diff(expected));
                }
            }
            let expect = f64::from(far as u32) / f64::from(all as u32);
            assert!((p(old, new) - expect).abs() < 1e-12, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_family_is_adjusted_as_holm_says() {
        let mut values = [0.04, 0.01, 0.03, 0.5];
        let mut family: Vec<&mut f64> = values.iter_mut().collect();
        adjust(&mut family);
        for (value, expect) in values.iter().zip([0.09, 0.04, 0.09, 0.5]) {
            assert!((value - expect).abs() < 1e-12, "{values:?}");
        }
    }
}
