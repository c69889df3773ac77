//! A budget, as it is written: `p99(request) < 50ms`.

use std::str::FromStr;

use exectrace_analysis::{
    AnnotationKind, Distribution, GcReport, LatencyGroup, LatencyReport, RecordKind,
};
use jiff::SignedDuration;

use crate::shown;

/// What must not be too much.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Budget {
    /// As it was written.
    pub(super) text: String,
    metric: Metric,
    /// Nanoseconds, or a number.
    limit: f64,
    /// The limit itself is too much.
    is_below: bool,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Metric {
    /// Of user tasks of a name, or of regions if there are no such user tasks.
    Of(Spread, String),
    /// How many of them there are, whole ones and others.
    Count(String),
    /// The longest stop of the world.
    StopTheWorld,
}

/// Of how long several took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    P50,
    P90,
    P99,
    Max,
    Mean,
}

/// What can be measured, for errors.
const METRICS: &str = "p50(NAME), p90(NAME), p99(NAME), max(NAME), mean(NAME), count(NAME) or stw";

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Names may have the sign, too: the last one counts.
        let place = text.rfind('<').ok_or_else(|| {
            format!("has no '<': a budget is {METRICS}, then < or <= and a limit such as 50ms")
        })?;
        let (left, right) = (&text[..place], &text[place + 1..]);
        let (is_below, limit) = match right.strip_prefix('=') {
            Some(limit) => (false, limit.trim()),
            None => (true, right.trim()),
        };
        let metric = Metric::parse(left.trim())?;
        let limit = match metric {
            Metric::Count(_) => limit
                .parse::<u64>()
                .map(|count| count as f64)
                .map_err(|error| format!("'{limit}' is no count: {error}"))?,
            _ => {
                let duration: SignedDuration = limit
                    .parse()
                    .map_err(|error: jiff::Error| format!("'{limit}' is no time: {error}"))?;
                duration.as_nanos() as f64
            }
        };
        Ok(Self {
            text: text.trim().to_owned(),
            metric,
            limit,
            is_below,
        })
    }
}

impl Metric {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "stw" {
            return Ok(Self::StopTheWorld);
        }
        let unknown = || format!("'{text}' is none of {METRICS}");
        let (function, name) = text.split_once('(').ok_or_else(unknown)?;
        let name = name.strip_suffix(')').ok_or_else(unknown)?;
        if function == "count" {
            return Ok(Self::Count(name.to_owned()));
        }
        let spread = match function {
            "p50" => Spread::P50,
            "p90" => Spread::P90,
            "p99" => Spread::P99,
            "max" => Spread::Max,
            "mean" => Spread::Mean,
            _ => return Err(unknown()),
        };
        Ok(Self::Of(spread, name.to_owned()))
    }
}

impl Budget {
    /// What a trace has; `None` if it has nothing of that name.
    pub(super) fn measure(&self, latency: &LatencyReport, gc: &GcReport) -> Option<f64> {
        match &self.metric {
            Metric::Of(spread, name) => group(latency, name)?.closed.map(|it| spread.of(&it)),
            Metric::Count(name) => {
                Some(group(latency, name).map_or(0.0, |group| group.count() as f64))
            }
            // A trace that tells of none has stopped for no time.
            Metric::StopTheWorld => {
                let longest = gc.stop_reasons.iter().map(|reason| reason.stops.max).max();
                Some(longest.unwrap_or_default() as f64)
            }
        }
    }

    /// What it is about, as filters ask it.
    pub(super) fn kind(&self) -> RecordKind {
        match self.metric {
            Metric::Of(..) | Metric::Count(_) => RecordKind::Annotation,
            Metric::StopTheWorld => RecordKind::Collection,
        }
    }

    pub(super) fn is_met_by(&self, value: f64) -> bool {
        value < self.limit || !self.is_below && value <= self.limit
    }

    /// A value of what is measured, with its unit.
    pub(super) fn shown(&self, value: f64) -> String {
        match self.metric {
            Metric::Count(_) => format!("{value}"),
            _ => shown::duration(value as i64),
        }
    }

    /// Whether what is measured are nanoseconds.
    pub(super) fn is_of_time(&self) -> bool {
        !matches!(self.metric, Metric::Count(_))
    }

    /// The limit: nanoseconds, or a number.
    pub(super) fn limit(&self) -> f64 {
        self.limit
    }
}

/// User tasks come before regions.
fn group<'a>(latency: &'a LatencyReport, name: &str) -> Option<&'a LatencyGroup> {
    let of_kind = |kind| {
        let mut groups = latency.groups.iter();
        groups.find(|group| group.kind == kind && group.name.as_deref() == Some(name))
    };
    of_kind(AnnotationKind::UserTask).or_else(|| of_kind(AnnotationKind::Region))
}

impl Spread {
    fn of(self, times: &Distribution) -> f64 {
        match self {
            Self::P50 => times.p50 as f64,
            Self::P90 => times.p90 as f64,
            Self::P99 => times.p99 as f64,
            Self::Max => times.max as f64,
            Self::Mean => times.mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_people_write_them() {
        let budget: Budget = "p99(request) < 50ms".parse().expect("is one");
        assert_eq!(
            budget.metric,
            Metric::Of(Spread::P99, String::from("request"))
        );
        assert_eq!((budget.limit, budget.is_below), (50e6, true));
        assert!(budget.is_met_by(49.9e6) && !budget.is_met_by(50e6));
        let budget: Budget = "max(a (b) < c)<=1.5s".parse().expect("is one");
        assert_eq!(
            budget.metric,
            Metric::Of(Spread::Max, String::from("a (b) < c"))
        );
        assert!(budget.is_met_by(1.5e9) && !budget.is_met_by(1.6e9));
        let budget: Budget = "count(GET /) < 7".parse().expect("is one");
        assert_eq!((budget.shown(3.0).as_str(), budget.limit), ("3", 7.0));
        let budget: Budget = "stw <= 1ms".parse().expect("is one");
        assert_eq!(budget.shown(1_500.0), "1.5µs");
    }

    #[test]
    fn what_is_no_budget_is_told() {
        for (text, told) in [
            ("", "has no '<'"),
            ("p99(request) = 5ms", "has no '<'"),
            ("p95(request) < 5ms", "is none of"),
            ("p99 < 5ms", "is none of"),
            ("p99(request < 5ms", "is none of"),
            ("stw < 5", "is no time"),
            ("stw < ms", "is no time"),
            ("count(a) < 5ms", "is no count"),
        ] {
            let error = text.parse::<Budget>().expect_err("is none");
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
