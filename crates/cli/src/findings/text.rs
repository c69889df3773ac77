//! Findings for people.

use std::io::{self, Write};
use std::time::Duration;

use exectrace_analysis::{Evidence, Finding, Place};

use super::class;
use super::{Arguments, Found};

/// Frames that are shown of a stack.
const FRAMES: usize = 6;

/// Prints the findings.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let report = &found.reading.report;
    let span = duration(report.span_ns);
    let total = report.findings.len();
    let count = match total {
        0 => String::from("nothing found"),
        1 => String::from("1 finding"),
        total => format!("{total} findings"),
    };
    writeln!(output, "{}: {count} in {span}", found.file)?;
    let most = match arguments.most {
        0 => usize::MAX,
        most => most,
    };
    for (index, finding) in report.findings.iter().take(most).enumerate() {
        print_finding(output, index + 1, finding, found)?;
    }
    if total > most {
        writeln!(output, " and {} more: --most 0 prints all", total - most)?;
    }
    Ok(())
}

fn print_finding(
    output: &mut impl Write,
    number: usize,
    finding: &Finding,
    found: &Found<'_>,
) -> io::Result<()> {
    let words = class::words(finding.class);
    let (severity, title) = (finding.severity.name(), words.title);
    let (lost, count) = (duration(finding.lost_ns), finding.count);
    let times = if count == 1 { "time" } else { "times" };
    writeln!(
        output,
        "{number:>2} {severity}: {title}, {lost} lost ({:.1} % of one task's time), {count} {times}",
        finding.share * 100.0
    )?;
    match &finding.place {
        Some(place) => writeln!(output, "   {} {}", self::place(place), words.meaning)?,
        None => writeln!(output, "   code that is not told {}", words.meaning)?,
    }
    if let Some(cause) = &finding.cause {
        writeln!(output, "   {} {}", words.cause, self::place(cause))?;
    }
    if let Some(worst) = finding.evidence.first() {
        print_evidence(output, worst, found)?;
    }
    writeln!(output, "   {}", words.advice)
}

fn print_evidence(output: &mut impl Write, worst: &Evidence, found: &Found<'_>) -> io::Result<()> {
    let first = found.reading.first;
    let (from_ns, to_ns) = (worst.from.since_ns(first), worst.to.since_ns(first));
    writeln!(
        output,
        "   worst: task:{} from {} to {}, {}",
        worst.task.0,
        seconds(from_ns),
        seconds(to_ns),
        duration(to_ns - from_ns)
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
    let function = match place.function.as_str() {
        "" => String::from("(not told)"),
        function => function.escape_debug().to_string(),
    };
    match (place.file.as_str(), place.line) {
        ("", _) => function,
        (file, 0) => format!("{function} ({})", file.escape_debug()),
        (file, line) => format!("{function} ({}:{line})", file.escape_debug()),
    }
}

/// A time since the first event, as `--from` takes it.
fn seconds(ns: i64) -> String {
    format!("{:.6}s", ns as f64 / 1e9)
}

fn duration(ns: i64) -> String {
    format!("{:.1?}", Duration::from_nanos(ns.unsigned_abs()))
}
