//! A profile for people: a table of functions, those with most time of their own first.

use std::io::{self, Write};

use comfy_table::Table;
use exectrace_analysis::{ProfileFunction, ProfileReport, ProfileSums, ProfileType};

use super::{Arguments, Found, NO_STACK};
use crate::{shown, table, units};

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
    let most = arguments.most;
    if report.functions.is_empty() {
        return Ok(());
    }
    table::print(output, &table_of(report, most))?;
    table::rest(output, report.functions.len().saturating_sub(most))
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
    let mut head = format!(
        "{title} profile, {} in {}",
        shown::duration(sums.ns),
        units::count(sums.count, counted(report.profile_type))
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
        ProfileType::Cpu => "sample",
        ProfileType::Syscall => "call",
        _ => "wait",
    }
}

fn table_of(report: &ProfileReport, most: usize) -> Table {
    let counted = format!("{}s", counted(report.profile_type));
    let header = ["flat", "flat%", "", "cum", "cum%", &counted, "function"];
    let mut table = table::empty(&header, &["", "function"]);
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
    let name = match function.function.as_str() {
        "" => String::from(NO_STACK),
        name => shown::name(name),
    };
    [
        shown::duration(flat.ns),
        percent(flat),
        units::bar(share(flat), BAR),
        shown::duration(cumulative.ns),
        percent(cumulative),
        cumulative.count.to_string(),
        name,
    ]
}
