//! How traces did, as XML in the form of `JUnit`, which tools for builds read.

use std::io::{self, Write as _};

use quick_xml::events::BytesText;
use quick_xml::writer::Writer;

use super::{Checked, text};
use crate::findings;

/// A trace: a suite of tests, one a budget.
pub(super) struct Suite {
    file: String,
    cases: Vec<Case>,
}

/// A budget: a test.
struct Case {
    name: String,
    /// What broke it, in a line, and in full.
    failure: Option<(String, String)>,
}

impl Suite {
    pub(super) fn of(checked: &Checked<'_>) -> Self {
        let budgets = checked.verdicts.iter().map(|verdict| Case {
            name: verdict.budget.text.clone(),
            failure: (!verdict.is_met).then(|| (text::failure(verdict), String::new())),
        });
        let mut cases: Vec<Case> = budgets.collect();
        if let Some(breaking) = &checked.findings {
            let lines = breaking.iter();
            let lines: Vec<String> = lines.map(|it| findings::line(it, checked.words)).collect();
            cases.push(Case {
                name: String::from("findings"),
                failure: (!lines.is_empty())
                    .then(|| (text::findings_count(lines.len()), lines.join("\n"))),
            });
        }
        if let Some(against) = checked.against {
            let full = || against.lines().collect::<Vec<String>>().join("\n");
            cases.push(Case {
                name: format!("baseline {}", against.file),
                failure: (!against.is_met()).then(|| (against.line(), full())),
            });
        }
        Self {
            file: checked.file.to_owned(),
            cases,
        }
    }

    fn failures(&self) -> usize {
        let cases = self.cases.iter();
        cases.filter(|case| case.failure.is_some()).count()
    }
}

/// Prints the suites of all traces.
pub(super) fn print(suites: &[Suite]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let mut writer = Writer::new_with_indent(&mut output, b' ', 2);
    let root = writer.create_element("testsuites");
    root.write_inner_content(|writer| suites.iter().try_for_each(|suite| write(writer, suite)))?;
    writeln!(output)
}

fn write<W: io::Write>(writer: &mut Writer<W>, suite: &Suite) -> io::Result<()> {
    let (tests, failures) = (suite.cases.len().to_string(), suite.failures().to_string());
    let file = printable(&suite.file);
    let element = writer
        .create_element("testsuite")
        .with_attribute(("name", file.as_str()))
        .with_attribute(("tests", tests.as_str()))
        .with_attribute(("failures", failures.as_str()))
        // The schemas want it told. What cannot be read is no suite at all.
        .with_attribute(("errors", "0"));
    element.write_inner_content(|writer| {
        for case in &suite.cases {
            let name = printable(&case.name);
            let element = writer
                .create_element("testcase")
                .with_attribute(("name", name.as_str()))
                .with_attribute(("classname", file.as_str()));
            let Some((line, full)) = &case.failure else {
                element.write_empty()?;
                continue;
            };
            element.write_inner_content(|writer| {
                let (line, full) = (printable(line), printable(full));
                let failure = writer
                    .create_element("failure")
                    .with_attribute(("message", line.as_str()));
                failure.write_text_content(BytesText::new(&full))?;
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

/// A text without what XML cannot hold at all.
fn printable(text: &str) -> String {
    let is_allowed = |char: char| !char.is_control() || char == '\n';
    let chars = text
        .chars()
        .map(|char| if is_allowed(char) { char } else { '\u{fffd}' });
    chars.collect()
}
