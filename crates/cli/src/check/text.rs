//! How a trace did, for people.

use std::io::{self, Write};

use super::{Checked, Verdict};
use crate::tone::Tone;
use crate::{filtered, findings, shown, units};

/// Prints a line a budget, and the findings that break it.
pub(super) fn print(output: &mut impl Write, checked: &Checked<'_>) -> io::Result<()> {
    let verdict = word(checked.is_met());
    writeln!(output, "{}: {verdict}", checked.file)?;
    if let Some(distrust) = &checked.distrust {
        writeln!(output, "  {distrust}")?;
    }
    filtered::print(output, checked.filtered)?;
    for verdict in &checked.verdicts {
        let word = aligned(verdict.is_met);
        writeln!(
            output,
            "  {word} {}: {}",
            verdict.budget.text,
            measured(verdict)
        )?;
    }
    for finding in checked.findings.iter().flatten() {
        let broken = word(false);
        writeln!(
            output,
            "  {broken} by a finding: {}",
            findings::line(finding, checked.words)
        )?;
    }
    if let Some(against) = checked.against {
        let word = aligned(against.is_met());
        let file = shown::name(against.file);
        writeln!(output, "  {word} baseline {file}: {}", against.line())?;
        for line in against.lines() {
            writeln!(output, "    worse: {line}")?;
        }
    }
    Ok(())
}

/// Whether something is met, in its colour.
fn word(is_met: bool) -> String {
    if is_met {
        Tone::Good.of("met")
    } else {
        Tone::Bad.of("broken")
    }
}

/// The same, always as long.
fn aligned(is_met: bool) -> String {
    let blanks = if is_met { "   " } else { "" };
    word(is_met) + blanks
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
