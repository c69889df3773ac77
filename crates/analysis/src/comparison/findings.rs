//! Findings that one of two traces has alone.

use std::collections::BTreeSet;

use crate::{Class, Finding, FindingsReport, Severity};

/// The findings of a trace that another one has not, if they are of medium severity or worse: those that cost most first.
///
/// What is about a place in the program is another finding at each place; what a runtime does to all tasks is one, wherever it is seen
/// most. No test tells whether chance did it: a finding may come and go where it costs little.
#[must_use]
pub fn findings_beyond<'a>(found: &'a FindingsReport, other: &FindingsReport) -> Vec<&'a Finding> {
    let others: BTreeSet<_> = other.findings.iter().map(key).collect();
    let beyond = found.findings.iter();
    beyond
        .filter(|finding| finding.severity >= Severity::Medium && !others.contains(&key(finding)))
        .collect()
}

fn key(finding: &Finding) -> (Class, Option<&str>) {
    let is_everywhere = matches!(
        finding.class,
        Class::IdleWorker | Class::QueueWait | Class::GcAssist | Class::StopTheWorld
    );
    let place = finding.place.as_ref().filter(|_| !is_everywhere);
    (finding.class, place.map(|place| place.function.as_str()))
}
