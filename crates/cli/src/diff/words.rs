//! Differences in words.

use exectrace_analysis::{Difference, Measure, Topic, Unit, Verdict};

use crate::{shown, units};

/// Functions that are shown of a stack.
const FUNCTIONS: usize = 3;

/// A difference on one line.
pub(crate) fn line(difference: &Difference) -> String {
    format!(
        "{}, {}: {} before, {} now ({}, p {})",
        topic(&difference.topic),
        measure(&difference.measure),
        value(difference, difference.old),
        value(difference, difference.new),
        change(difference),
        probability(difference)
    )
}

/// What it is about.
pub(super) fn topic(topic: &Topic) -> String {
    match topic {
        Topic::UserTask(name) => format!("user task {}", units::name(name)),
        Topic::Region(name) => format!("region {}", units::name(name)),
        Topic::Group(function) | Topic::Function(_, function) => shown::told(function),
        Topic::Stack(_, functions) => {
            let names = functions.iter().take(FUNCTIONS);
            let names: Vec<String> = names.map(|name| shown::told(name)).collect();
            let more = if functions.len() > FUNCTIONS {
                " < …"
            } else {
                ""
            };
            format!("{}{more}", names.join(" < "))
        }
        _ => String::new(),
    }
}

/// What is measured.
pub(super) fn measure(measure: &Measure) -> String {
    match measure {
        Measure::Took(percent) => format!("p{percent}"),
        Measure::Created => String::from("created"),
        Measure::PerTask(state) => format!("{} each", state.name()),
        Measure::Share(state) => format!("{} in all", state.name()),
        Measure::Blocked(reason) => format!("blocked: {}", shown::told(reason)),
        Measure::Flat => String::from("flat"),
        Measure::Cumulative => String::from("cum"),
        _ => String::new(),
    }
}

/// A value with its unit.
pub(super) fn value(difference: &Difference, value: Option<f64>) -> String {
    let Some(value) = value else {
        return String::from("-");
    };
    match difference.measure.unit() {
        Unit::Ns => shown::duration(value as i64),
        Unit::Share => units::percent(value),
        Unit::PerSecond => format!("{value:.1}/s"),
    }
}

/// By how much it changed.
pub(super) fn change(difference: &Difference) -> String {
    match (difference.old, difference.new) {
        (Some(old), Some(new)) if old > 0.0 => format!("{:+.1}%", (new / old - 1.0) * 100.0),
        _ => String::from("-"),
    }
}

/// How probable it is that chance did it.
pub(super) fn probability(difference: &Difference) -> String {
    match difference.p {
        None => String::from("-"),
        Some(p) if p < 0.001 => String::from("< 0.001"),
        Some(p) => format!("{p:.3}"),
    }
}

/// What that means.
pub(super) fn verdict(difference: &Difference) -> &'static str {
    let is_time = difference.measure.unit() == Unit::Ns;
    match difference.verdict {
        Verdict::More if is_time => "longer",
        Verdict::Less if is_time => "shorter",
        Verdict::TooFew => "too few",
        other => other.name(),
    }
}
