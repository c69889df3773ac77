//! How a trace did, for people.

use std::io::{self, Write};

use super::{Checked, Verdict};
use crate::{filtered, findings, shown, units};

/// Prints a line a budget, and the findings that break it.
pub(super) fn print(output: &mut impl Write, checked: &Checked<'_>) -> io::Result<()> {
    let verdict = if checked.is_met() { "met" } else { "broken" };
    writeln!(output, "{}: {verdict}", checked.file)?;
    if let Some(distrust) = &checked.distrust {
        writeln!(output, "  {distrust}")?;
    }
    filtered::print(output, checked.filtered)?;
    for verdict in &checked.verdicts {
        let word = if verdict.is_met { "met   " } else { "broken" };
        writeln!(
            output,
            "  {word} {}: {}",
            verdict.budget.text,
            measured(verdict)
        )?;
    }
    for finding in checked.findings.iter().flatten() {
        writeln!(output, "  broken by a finding: {}", findings::line(finding))?;
    }
    if let Some(against) = checked.against {
        let word = if against.is_met() { "met   " } else { "broken" };
        let file = shown::name(against.file);
        writeln!(output, "  {word} baseline {file}: {}", against.line())?;
        for line in against.lines() {
            writeln!(output, "    worse: {line}")?;
        }
    }
    Ok(())
}

/// What was measured, in words.
pub(super) fn measured(verdict: &Verdict<'_>) -> String {
    verdict.value.map_or_else(
        || String::from("nothing of that name is whole in the trace"),
        |value| verdict.budget.shown(value),
    )
}

/// What broke a budget, in a line.
pub(super) fn failure(verdict: &Verdict<'_>) -> String {
    format!("{} is broken: {}", verdict.budget.text, measured(verdict))
}

/// How many findings break the budget.
pub(super) fn findings_count(count: usize) -> String {
    units::count(count as u64, "finding")
}
