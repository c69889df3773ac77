//! How a trace did, as a table for a comment.

use std::io::{self, Write};

use super::{Checked, text};
use crate::findings;

/// Prints a table of budgets, and a list of the findings that break it.
pub(super) fn print(output: &mut impl Write, checked: &Checked<'_>) -> io::Result<()> {
    let verdict = if checked.is_met() {
        "met"
    } else {
        "**broken**"
    };
    writeln!(output, "### {}: {verdict}\n", escaped(checked.file))?;
    if let Some(distrust) = &checked.distrust {
        writeln!(output, "{}\n", escaped(distrust))?;
    }
    if !checked.verdicts.is_empty() {
        writeln!(output, "| budget | measured | |\n| --- | ---: | --- |")?;
    }
    for verdict in &checked.verdicts {
        let (budget, measured) = (escaped(&verdict.budget.text), text::measured(verdict));
        let word = if verdict.is_met { "met" } else { "**broken**" };
        writeln!(output, "| {budget} | {measured} | {word} |")?;
    }
    let findings = checked.findings.iter().flatten();
    for finding in findings {
        writeln!(
            output,
            "\n- {}",
            escaped(&findings::line(finding, checked.words))
        )?;
    }
    if let Some(against) = checked.against {
        let file = escaped(against.file);
        writeln!(output, "\nAgainst {file}: {}", against.line())?;
        for line in against.lines() {
            writeln!(output, "\n- worse: {}", escaped(&line))?;
        }
    }
    Ok(())
}

/// A text that says nothing to Markdown, and does not end a cell.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&'
        ) {
            escaped.push('\\');
        }
        escaped.push(if char.is_control() { ' ' } else { char });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_say_nothing_to_markdown() {
        assert_eq!(escaped("a|b\n<i>*c*"), "a\\|b \\<i\\>\\*c\\*");
    }
}
