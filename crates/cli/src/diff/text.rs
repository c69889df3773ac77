//! What changed, for people.

use std::io::{self, Write};

use comfy_table::Table;
use exectrace_analysis::{Difference, Family, ProfileType, Threshold, findings_beyond};

use super::{Found, words};
use crate::shown::{self, duration};
use crate::words::Words;
use crate::{filtered, findings, table, units};

/// Prints a table for each kind of difference, findings, and what is called a change.
pub(super) fn print(output: &mut impl Write, found: &Found<'_>) -> io::Result<()> {
    let comparison = found.comparison;
    writeln!(
        output,
        "{} -> {}: {} -> {}",
        shown::name(found.old_file),
        shown::name(found.new_file),
        duration(comparison.old_span_ns),
        duration(comparison.new_span_ns)
    )?;
    filtered::print(output, found.filtered)?;
    for family in Family::ALL {
        print_family(output, found, family)?;
    }
    let words = Words::of(found.is_of_go);
    let (old, new) = (found.old_findings, found.new_findings);
    for (word, beyond) in [
        ("new", findings_beyond(new, old)),
        ("gone", findings_beyond(old, new)),
    ] {
        for finding in beyond.iter().take(found.most) {
            writeln!(output, "{word} finding: {}", findings::line(finding, words))?;
        }
        table::rest(output, beyond.len().saturating_sub(found.most))?;
    }
    let Threshold {
        significance,
        relative,
        ns,
        share,
        ..
    } = comparison.threshold;
    writeln!(
        output,
        "changed: by a rank sum test of blocks of time with p <= {significance} for all of a table together, and by {} plus {}, or plus {} of a \
         {}'s time",
        units::percent(relative),
        duration(ns as i64),
        units::percent(share),
        words.task
    )
}

fn print_family(output: &mut impl Write, found: &Found<'_>, family: Family) -> io::Result<()> {
    let title = match family {
        Family::Latencies => "latency",
        Family::Tasks => Words::of(found.is_of_go).tasks,
        Family::Profile(ProfileType::Cpu) => "CPU profile",
        _ => "off-CPU profile",
    };
    let comparison = found.comparison;
    let (compared, changed) = (comparison.compared(family), comparison.changed(family));
    writeln!(output, "{title}: {compared} compared, {changed} changed")?;
    let told: Vec<&Difference> = comparison.told(family).collect();
    if told.is_empty() {
        return Ok(());
    }
    let name = match family {
        Family::Latencies => "name",
        _ => "function",
    };
    let shown = told.iter().take(found.most).copied();
    table::print(output, &table_of(name, shown))?;
    table::rest(output, told.len().saturating_sub(found.most))
}

fn table_of<'d>(name: &str, differences: impl Iterator<Item = &'d Difference>) -> Table {
    let header = [name, "of", "old", "new", "change", "p", ""];
    let mut table = table::empty(&header, &[name, "of", ""]);
    for difference in differences {
        table.add_row([
            words::topic(&difference.topic),
            words::measure(&difference.measure),
            words::value(difference, difference.old),
            words::value(difference, difference.new),
            words::change(difference),
            words::probability(difference),
            words::verdict(difference).to_owned(),
        ]);
    }
    table
}
