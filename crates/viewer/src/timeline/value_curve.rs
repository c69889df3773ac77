//! A value that was told now and then, and holds until it is told anew.

use crate::grid::Grid;

/// So many points are kept; when there are more, of two that follow each other the greater.
const POINTS_MAX: usize = 1 << 16;

/// A value over time.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueCurve {
    /// When it was told, and what, in order of time.
    points: Vec<(u64, u64)>,
}

impl ValueCurve {
    pub(super) fn push(&mut self, at_ns: u64, value: u64) {
        if self.points.len() == POINTS_MAX {
            let pairs = self.points.chunks(2);
            // What is looked for are heights; each stands where the pair begins.
            let greater =
                |pair: &[(u64, u64)]| Some((pair.first()?.0, pair.iter().map(|it| it.1).max()?));
            self.points = pairs.filter_map(greater).collect();
        }
        self.points.push((at_ns, value));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The greatest value in each bucket; before it was told first that is 0.
    pub(crate) fn greatest(&self, grid: Grid) -> Vec<u64> {
        let mut told = self.points.iter().copied().peekable();
        let mut value = 0;
        while let Some((_, before)) = told.next_if(|(at_ns, _)| *at_ns < grid.begin_ns()) {
            value = before;
        }
        let buckets = 1..=grid.count;
        let bounds = buckets.map(|bucket| grid.begin_ns() + bucket * grid.bucket_ns());
        bounds
            .map(|end_ns| {
                let mut greatest = value;
                while let Some((_, next)) = told.next_if(|(at_ns, _)| *at_ns < end_ns) {
                    greatest = greatest.max(next);
                    value = next;
                }
                greatest
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_it_is_told_anew() {
        let mut curve = ValueCurve::default();
        for (at_ns, value) in [(3, 5), (17, 9), (18, 2), (40, 7)] {
            curve.push(at_ns, value);
        }
        let grid = |from_ns| Grid::new(from_ns, from_ns + 48, 6).unwrap();
        assert_eq!(curve.greatest(grid(0)), [5, 5, 9, 2, 2, 7]);
        assert_eq!(curve.greatest(grid(24)), [2, 2, 7, 7, 7, 7]);
    }

    #[test]
    fn the_greatest_of_many_is_kept() {
        let mut curve = ValueCurve::default();
        for at_ns in 0..POINTS_MAX as u64 * 3 {
            curve.push(at_ns, if at_ns == 70_001 { 99 } else { at_ns % 7 });
        }
        assert!(curve.points.len() <= POINTS_MAX);
        let grid = Grid::new(0, 1 << 18, 64).unwrap();
        let told = curve.greatest(grid);
        assert_eq!(
            told.iter().position(|value| *value == 99),
            Some(70_001 >> 12)
        );
    }
}
