//! What is called a change.

use super::quantity::Unit;

/// From when on a difference is a change: it must be one that chance rarely makes, and be worth a word, which is when it exceeds the
/// least relative change and the least absolute one together. So the smaller something is, the more of it must change: short times
/// differ from run to run by more than long ones.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Threshold {
    /// How probable it may be that chance alone makes even one change of a family.
    pub significance: f64,
    /// The least change, as a share of what there was in the older trace.
    pub relative: f64,
    /// And of times, in nanoseconds.
    pub ns: f64,
    /// And of shares: of the time of one task, or of one processor.
    pub share: f64,
    /// And of what is counted by the second.
    pub per_second: f64,
}

impl Default for Threshold {
    fn default() -> Self {
        Self {
            significance: 0.01,
            relative: 0.1,
            ns: 20_000.0,
            share: 0.01,
            per_second: 1.0,
        }
    }
}

impl Threshold {
    /// The least change of what is counted in a unit, whatever there was.
    pub(super) fn absolute(&self, unit: Unit) -> f64 {
        match unit {
            Unit::Ns => self.ns,
            Unit::Share => self.share,
            Unit::PerSecond => self.per_second,
        }
    }

    /// Whether two values are far enough from each other.
    pub(super) fn is_far(&self, old: f64, new: f64, unit: Unit) -> bool {
        (new - old).abs() >= self.relative * old.abs() + self.absolute(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_something_is_the_more_must_change() {
        let threshold = Threshold::default();
        for (old, new, is_far) in [
            (1e6, 1.13e6, true),
            (1e6, 1.11e6, false),
            (1e6, 0.87e6, true),
            (1e5, 1.2e5, false),
            (1e5, 1.31e5, true),
            (0.0, 2e4, true),
            (0.0, 1e4, false),
        ] {
            assert_eq!(threshold.is_far(old, new, Unit::Ns), is_far, "{old} {new}");
        }
        assert!(threshold.is_far(0.5, 0.57, Unit::Share));
        assert!(!threshold.is_far(0.5, 0.55, Unit::Share));
    }
}
