//! Stacks a line each, as tools for flame graphs read them: frames with semicolons between them, a blank, and a number.

use std::io::{self, Write};

use exectrace_analysis::{ProfileReport, ProfileType};

use super::NO_STACK;
use crate::shown;

/// Prints all stacks, the longest first.
pub(super) fn print(output: &mut impl Write, report: &ProfileReport) -> io::Result<()> {
    for stack in &report.stacks {
        let mut frames: Vec<String> = report
            .frames_of(stack)
            .rev()
            .map(|frame| folded(&frame.name()))
            .collect();
        if frames.is_empty() {
            frames.push(String::from(NO_STACK));
        }
        if report.profile_type == ProfileType::OffCpu {
            frames.push(format!("[{}]", folded(stack.waits_for())));
        }
        let value = match report.profile_type {
            ProfileType::Cpu => i64::try_from(stack.sums.count).unwrap_or(i64::MAX),
            _ => stack.sums.ns,
        };
        writeln!(output, "{} {value}", frames.join(";"))?;
    }
    Ok(())
}

/// A name without what would end it.
fn folded(name: &str) -> String {
    shown::name(name).replace(';', ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_nothing_that_ends_it() {
        assert_eq!(folded("<[T; 4] as A>::f\n"), "<[T: 4] as A>::f\\n");
    }
}
