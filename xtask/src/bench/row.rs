//! A budget: what is to be reached.

use super::measurement::Measurement;

/// A budget.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: &'static str,
    pub(super) what: &'static str,
    pub(super) unit: &'static str,
    /// To be reached, …
    pub(super) target: f64,
    /// … and what we are after.
    pub(super) stretch: f64,
    /// Which side of the two is good.
    pub(super) better: Better,
}

/// Which side of a budget is good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Better {
    Lower,
    Higher,
}

impl Row {
    /// A row whose value must not be above the target.
    pub(super) const fn at_most(
        key: &'static str,
        what: &'static str,
        unit: &'static str,
        target: f64,
        stretch: f64,
    ) -> Self {
        Self {
            key,
            what,
            unit,
            target,
            stretch,
            better: Better::Lower,
        }
    }

    /// A row whose value must not be below the target.
    pub(super) const fn at_least(
        key: &'static str,
        what: &'static str,
        unit: &'static str,
        target: f64,
        stretch: f64,
    ) -> Self {
        Self {
            better: Better::Higher,
            ..Self::at_most(key, what, unit, target, stretch)
        }
    }

    /// How a measurement compares.
    pub(super) fn verdict(&self, measurement: &Measurement) -> &'static str {
        if measurement.unit != self.unit {
            return "other unit";
        }
        let reaches = |value: f64, bar: f64| match self.better {
            Better::Lower => value <= bar,
            Better::Higher => value >= bar,
        };
        let value = measurement.value;
        let at_best = measurement.quickest.unwrap_or(value);
        if reaches(value, self.stretch) {
            "stretch met"
        } else if reaches(value, self.target) {
            "met"
        } else if reaches(at_best, self.target) {
            // The machine was busy with something else for most of the time.
            "quickest met"
        } else {
            "MISSED"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(row: &Row, value: f64, unit: &str, verdict: &str) {
        check_with_quickest(row, value, None, unit, verdict);
    }

    fn check_with_quickest(
        row: &Row,
        value: f64,
        quickest: Option<f64>,
        unit: &str,
        verdict: &str,
    ) {
        let measurement = Measurement {
            value,
            unit: unit.to_owned(),
            reference: String::new(),
            quickest,
        };
        assert_eq!(row.verdict(&measurement), verdict, "{value} {unit}");
    }

    #[test]
    fn a_verdict_compares_with_both_bars() {
        let cost = Row::at_most("event", "an event", "ns", 14.0, 11.0);
        check(&cost, 11.0, "ns", "stretch met");
        check(&cost, 14.0, "ns", "met");
        check(&cost, 14.1, "ns", "MISSED");
        check(&cost, 0.1, "µs", "other unit");
    }

    #[test]
    fn a_value_that_is_good_at_its_best_alone_says_so() {
        let cost = Row::at_most("event", "an event", "ns", 14.0, 11.0);
        let check = |value, quickest, verdict| {
            check_with_quickest(&cost, value, Some(quickest), "ns", verdict);
        };
        check(13.0, 10.0, "met");
        check(15.0, 14.0, "quickest met");
        check(15.0, 14.1, "MISSED");
    }

    #[test]
    fn more_can_be_better() {
        let found = Row::at_least("samples_found", "samples", "%", 90.0, 97.0);
        check(&found, 98.0, "%", "stretch met");
        check(&found, 90.0, "%", "met");
        check(&found, 80.0, "%", "MISSED");
    }
}
