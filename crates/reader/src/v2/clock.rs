//! How a generation's units of time become nanoseconds.

/// The first number that is too large.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Nanoseconds in a unit of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    ns_per_unit: f64,
    /// The same where it is a small whole number, as on Linux; else 0.
    whole: u64,
}

/// A unit of time that is a small whole number of nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeUnit(u32);

impl WholeUnit {
    /// Nanoseconds in so many units.
    #[inline(always)]
    pub(super) fn ns(self, units: u32) -> i64 {
        // The product of two numbers of 32 and 10 bits.
        (u64::from(units) * u64::from(self.0)) as i64
    }
}

impl Clock {
    pub(super) fn new(units_per_second: u64) -> Self {
        // In the steps in which Go's reader goes, for the same rounding.
        let ns_per_unit = 1.0 / (units_per_second as f64 / 1e9);
        let is_whole = ns_per_unit.fract() == 0.0 && (1.0..1024.0).contains(&ns_per_unit);
        Self {
            ns_per_unit,
            whole: if is_whole { ns_per_unit as u64 } else { 0 },
        }
    }

    /// The unit of time, if it is such a one, as on Linux.
    #[inline]
    pub(super) fn whole_unit(self) -> Option<WholeUnit> {
        (self.whole != 0).then_some(WholeUnit(self.whole as u32))
    }

    /// The clock of Go's runtime on most systems: 64 ns a unit. For generations that do not say it.
    pub(super) fn usual() -> Self {
        Self::new(15_625_000)
    }

    /// Nanoseconds in so many units, rounded towards zero.
    #[inline]
    pub(super) fn ns(self, units: u64) -> i64 {
        // The product fits into the 53 bits in which the fraction is exact.
        if self.whole != 0 && units < 1 << 43 {
            return (units * self.whole) as i64;
        }
        let ns = units as f64 * self.ns_per_unit;
        // Out of range it is the least number, as x86 converts and so Go does there.
        if (-TWO_TO_63..TWO_TO_63).contains(&ns) {
            ns as i64
        } else {
            i64::MIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_broken_units() {
        assert_eq!(Clock::new(15_625_000).ns(3), 192);
        let whole = |units_per_second, units| {
            let unit = Clock::new(units_per_second).whole_unit()?;
            Some(unit.ns(units))
        };
        assert_eq!(whole(15_625_000, 3), Some(192));
        assert_eq!(whole(15_625_000, u32::MAX), Some(64 * 0xffff_ffff));
        assert_eq!(whole(3_000_000_000, 10), None);
        assert_eq!(Clock::new(1_000_000_000).ns(7), 7);
        assert_eq!(Clock::new(3_000_000_000).ns(10), 3);
        assert_eq!(Clock::new(300).ns(1), 3_333_333);
    }

    #[test]
    fn what_does_not_fit_is_the_least_number() {
        assert_eq!(Clock::new(0).ns(1), i64::MIN);
        assert_eq!(Clock::new(1).ns(u64::MAX), i64::MIN);
    }
}
