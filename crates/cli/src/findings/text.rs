//! Findings for people.

use std::io::{self, Write};

use exectrace_analysis::{Evidence, Finding, FindingsReport, Place, Severity};
use exectrace_json::since_first;
use exectrace_reader::Timestamp;

use super::{Arguments, Found};
use crate::shown::{duration, name, told};
use crate::tone::Tone;
use crate::words::Words;
use crate::{table, units};

/// Frames that are shown of a stack.
const FRAMES: usize = 6;

/// Prints the findings.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let report = &found.reading.report;
    writeln!(output, "{}: {}", found.file, duration(report.span_ns))?;
    let most = arguments.most;
    let reading = &found.reading;
    let words = Words::of(reading.is_of_go);
    print_list(output, report, most, reading.first, words)
}

/// Prints how many findings there are, and the first of them; times since `first`, the first event.
pub(crate) fn print_list(
    output: &mut impl Write,
    report: &FindingsReport,
    most: usize,
    first: Timestamp,
    words: Words,
) -> io::Result<()> {
    let total = report.findings.len();
    match total {
        0 => writeln!(output, "nothing found that cost {} time", words.tasks)?,
        total => writeln!(output, "{}", units::count(total as u64, "finding"))?,
    }
    for (index, finding) in report.findings.iter().take(most).enumerate() {
        print_finding(output, index + 1, finding, first, words)?;
    }
    table::rest(output, total.saturating_sub(most))
}

/// What kind of finding it is, and what it cost.
fn headline(finding: &Finding, severity: &str, words: Words) -> String {
    let title = words.of_class(finding.class).title;
    let task = words.task;
    let (lost, times) = (
        duration(finding.lost_ns),
        units::count(finding.count, "time"),
    );
    let share = finding.share * 100.0;
    format!("{severity}: {title}, {lost} lost ({share:.1} % of one {task}'s time), {times}")
}

/// A finding on one line.
pub(crate) fn line(finding: &Finding, words: Words) -> String {
    let headline = headline(finding, finding.severity.name(), words);
    match &finding.place {
        Some(place) => format!("{headline}: {}", self::place(place)),
        None => headline,
    }
}

fn print_finding(
    output: &mut impl Write,
    number: usize,
    finding: &Finding,
    first: Timestamp,
    words: Words,
) -> io::Result<()> {
    let tone = match finding.severity {
        Severity::High => Tone::Bad,
        Severity::Medium | Severity::Low => Tone::Doubtful,
    };
    let severity = tone.of(finding.severity.name());
    writeln!(
        output,
        "{number:>2} {}",
        headline(finding, &severity, words)
    )?;
    let words = words.of_class(finding.class);
    match &finding.place {
        Some(place) => writeln!(output, "   {} {}", self::place(place), words.meaning)?,
        None => writeln!(output, "   code that is not told {}", words.meaning)?,
    }
    if let Some(cause) = &finding.cause {
        writeln!(output, "   {} {}", words.cause, self::place(cause))?;
    }
    if let Some(worst) = finding.evidence.first() {
        print_evidence(output, worst, first)?;
    }
    writeln!(output, "   {}", words.advice)
}

fn print_evidence(output: &mut impl Write, worst: &Evidence, first: Timestamp) -> io::Result<()> {
    writeln!(
        output,
        "   worst: task:{} from {} to {}, {}",
        worst.task.0,
        since_first(worst.from, first),
        since_first(worst.to, first),
        duration(worst.to.since_ns(worst.from))
    )?;
    let own = worst.stack.iter().any(Place::is_own);
    let called = worst.stack.iter().take(1);
    let callers = worst.stack.iter().skip(1);
    let callers = callers.filter(|place| !own || place.is_own());
    for frame in called.chain(callers).take(FRAMES) {
        writeln!(output, "     {}", self::place(frame))?;
    }
    Ok(())
}

fn place(place: &Place) -> String {
    let function = told(&place.function);
    match (place.file.as_str(), place.line) {
        ("", _) => function,
        (file, 0) => format!("{function} ({})", name(file)),
        (file, line) => format!("{function} ({}:{line})", name(file)),
    }
}
