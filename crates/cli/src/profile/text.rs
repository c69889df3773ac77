//! A profile for people: a table of functions, those with most time of their own first.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use exectrace_analysis::{ProfileFunction, ProfileReport, ProfileSums, ProfileType};

use super::{Arguments, Found, NO_STACK};
use crate::shown;

/// Characters of the longest bar.
const BAR: usize = 10;

/// Prints a head and a table.
pub(super) fn print(
    output: &mut impl Write,
    found: &Found<'_>,
    arguments: &Arguments,
) -> io::Result<()> {
    let report = &found.reading.report;
    writeln!(output, "{}: {}", found.file, head(report))?;
    let most = match arguments.most {
        0 => usize::MAX,
        most => most,
    };
    if report.functions.is_empty() {
        return Ok(());
    }
    let table = table(report, most);
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    let rest = report.functions.len().saturating_sub(most);
    if rest > 0 {
        writeln!(output, " and {rest} more: --most 0 prints all")?;
    }
    Ok(())
}

fn head(report: &ProfileReport) -> String {
    let title = match report.profile_type {
        ProfileType::Cpu => "CPU",
        ProfileType::OffCpu => "off-CPU",
        ProfileType::Sched => "scheduler",
        ProfileType::Net => "network",
        ProfileType::Sync => "synchronization",
        _ => "system call",
    };
    let sums = report.sums;
    let counted = counted(report.profile_type);
    let mut head = format!(
        "{title} profile, {} in {} {counted}",
        shown::duration(sums.ns),
        sums.count
    );
    if sums.open_count > 0 {
        head += &format!(
            "; {} of it in {} that began before or went on after",
            shown::duration(sums.open_ns),
            sums.open_count
        );
    }
    head
}

fn counted(profile_type: ProfileType) -> &'static str {
    match profile_type {
        ProfileType::Cpu => "samples",
        ProfileType::Syscall => "calls",
        _ => "waits",
    }
}

fn table(report: &ProfileReport, most: usize) -> Table {
    let mut table = Table::new();
    let counted = counted(report.profile_type);
    let header = ["flat", "flat%", "", "cum", "cum%", counted, "function"];
    table.load_preset(presets::NOTHING).set_header(header);
    for (place, column) in table.column_iter_mut().enumerate() {
        if place != 2 && place != 6 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for function in report.functions.iter().take(most) {
        table.add_row(row(function, &report.sums));
    }
    table
}

fn row(function: &ProfileFunction, all: &ProfileSums) -> [String; 7] {
    let share = |sums: &ProfileSums| match all.ns {
        0 => 0.0,
        all_ns => sums.ns as f64 / all_ns as f64,
    };
    let percent = |sums| format!("{:.1}%", 100.0 * share(sums));
    let (flat, cumulative) = (&function.flat, &function.cumulative);
    let length = (share(flat) * BAR as f64).round() as usize;
    let name = match function.function.as_str() {
        "" => String::from(NO_STACK),
        name => shown::name(name),
    };
    [
        shown::duration(flat.ns),
        percent(flat),
        "#".repeat(length.min(BAR)),
        shown::duration(cumulative.ns),
        percent(cumulative),
        cumulative.count.to_string(),
        name,
    ]
}
