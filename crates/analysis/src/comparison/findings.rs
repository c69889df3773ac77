//! Findings that one of two traces has alone.

use crate::{Class, Finding, FindingsReport, Severity};

/// By how many times as much must be lost: findings are not tested, and come and go.
const TIMES_MIN: f64 = 2.0;

/// The findings of a trace that another one has not, if they are of medium severity or worse: those that cost most first.
///
/// The other one has them if it lost at least half as much, for its length, to findings of that class, wherever: where in a program
/// something is seen most, such as long polls in a function or in what calls it, is a matter of chance.
#[must_use]
pub fn findings_beyond<'a>(found: &'a FindingsReport, other: &FindingsReport) -> Vec<&'a Finding> {
    let share = |report: &FindingsReport, class: Class| -> f64 {
        let of_class = report.findings.iter().filter(|it| it.class == class);
        of_class.map(|finding| finding.share).sum()
    };
    let beyond = found.findings.iter().filter(|finding| {
        let class = finding.class;
        finding.severity >= Severity::Medium
            && share(found, class) > TIMES_MIN * share(other, class)
    });
    beyond.collect()
}
