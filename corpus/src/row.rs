//! What a reader of Go finds in a file.

use std::collections::BTreeMap;
use std::path::Path;

use exectrace_testkit::{LineStream, Oracle};

use crate::error::Error;
use crate::line::{Line, unquoted};
use crate::tally::{Tally, counts};

/// The columns of the table, in their order.
pub(crate) const COLUMNS: [&str; 27] = [
    "file",
    "format",
    "header",
    "verdict",
    "reason",
    "wire_records",
    "wire_counts",
    "strings",
    "events",
    "event_counts",
    "g_seen",
    "g_created",
    "procs",
    "gomaxprocs_max",
    "stacks",
    "start_ns",
    "end_ns",
    "tasks_begun",
    "tasks_ended",
    "regions_begun",
    "regions_ended",
    "logs",
    "cpu_samples",
    "threads",
    "generations",
    "syncs",
    "oracle",
];

/// How much of a reason is kept.
const REASON_CHARS_MAX: usize = 300;

/// A row of the table, by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row(BTreeMap<&'static str, String>);

impl Row {
    /// A row that stands in a table.
    pub(crate) fn of_columns<'a>(columns: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let known = |(name, value): (&str, &str)| {
            let column = COLUMNS.iter().find(|&&column| column == name)?;
            Some((*column, value.to_owned()))
        };
        Self(columns.filter_map(known).collect())
    }

    /// Asks the reader. `header` is what the file's names.
    pub(crate) fn ask(
        oracle: &Oracle,
        file: &str,
        header: &str,
        path: &Path,
    ) -> Result<Self, Error> {
        let is_v2 = minor(header) >= 22;
        let mut row = Self::default();
        row.set("file", file);
        row.set("format", if is_v2 { "v2" } else { "v1" });
        row.set("header", header);
        let fault = row.read_events(oracle.events(path)?, is_v2)?;
        row.read_contents(oracle.contents(path)?)?;
        row.set("verdict", row.verdict(fault.is_some(), is_v2));
        row.set(
            "reason",
            &fault.as_deref().map_or_else(|| "-".to_owned(), reason),
        );
        let release = oracle.go().release();
        let word = release.split(' ').find(|word| word.starts_with("go1."));
        row.set("oracle", word.unwrap_or_default());
        Ok(row)
    }

    /// The value of a column; `-` for none.
    pub(crate) fn column(&self, name: &str) -> &str {
        self.0.get(name).map_or("-", String::as_str)
    }

    /// The row as a line of the table.
    pub(crate) fn line(&self) -> String {
        COLUMNS.map(|column| self.column(column)).join("\t")
    }

    fn set(&mut self, column: &'static str, value: &str) {
        self.0.insert(column, value.to_owned());
    }

    /// Counts the events; returns the reader's error.
    fn read_events(&mut self, mut lines: LineStream, is_v2: bool) -> Result<Option<String>, Error> {
        let mut tally = Tally::default();
        let fault = loop {
            let line = lines.next_line()?.unwrap_or(b"error").to_vec();
            let line = String::from_utf8_lossy(&line);
            if line == "end" {
                break None;
            }
            if let Some(error) = line.strip_prefix("error ") {
                break Some(unquoted(error));
            }
            if line.starts_with("stack ") {
                continue;
            }
            match Line::parse(&line) {
                Some(event) => tally.add(&event),
                None => {
                    return Err(Error::Unreadable {
                        line: line.into_owned(),
                    });
                }
            }
        };
        // Go's reader of format v1 gives all events of a file or none.
        if fault.is_none() || is_v2 {
            self.0.extend(tally.columns(is_v2));
        }
        Ok(fault)
    }

    fn read_contents(&mut self, mut lines: LineStream) -> Result<(), Error> {
        let line = lines.next_line()?.unwrap_or_default().to_vec();
        let line = String::from_utf8_lossy(&line).into_owned();
        let mut records = BTreeMap::new();
        self.set("strings", "0");
        for word in line
            .strip_prefix("contents ")
            .unwrap_or_default()
            .split(' ')
        {
            match word.split_once('=') {
                Some(("strings", count)) => self.set("strings", count),
                Some(("stacks", count)) => self.set("stacks", count),
                Some(("generations", count)) => self.set("generations", count),
                Some((name, count)) => {
                    let count = count.parse::<u64>();
                    let count = count.map_err(|_| Error::Unreadable { line: line.clone() })?;
                    records.insert(name.to_owned(), count);
                }
                None => {}
            }
        }
        self.set("wire_records", &records.values().sum::<u64>().to_string());
        self.set("wire_counts", &counts(&records));
        Ok(())
    }

    fn verdict(&self, has_fault: bool, is_v2: bool) -> &'static str {
        // Another sync follows a generation, and there is more than syncs.
        let (syncs, events) = (self.column("syncs"), self.column("events"));
        let number = |text: &str| text.parse::<u64>().unwrap_or(0);
        match has_fault {
            false => "accepted",
            true if is_v2 && number(syncs) >= 2 && number(events) > number(syncs) => "partial",
            true => "refused",
        }
    }
}

/// The reason on one line, and not longer than the table has it.
fn reason(fault: &str) -> String {
    let one_line = fault.trim_end().replace(['\n', '\t'], " ");
    one_line.chars().take(REASON_CHARS_MAX).collect()
}

/// The second number of a version.
fn minor(header: &str) -> u32 {
    let minor = header
        .strip_prefix("1.")
        .and_then(|minor| minor.parse().ok());
    minor.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use exectrace_testkit::{Corpus, CorpusTrace, Scratch};

    use super::*;

    /// What is not about events: a header that is none is told in words of its own, and any patch level will do.
    const NOT_COMPARED: [&str; 4] = ["file", "format", "header", "oracle"];

    fn differences(trace: &CorpusTrace, scratch: &Scratch) -> Vec<String> {
        let told_by = trace.column("oracle");
        let oracle = match told_by {
            _ if told_by.starts_with("go1.19.") => Oracle::v1_19(),
            _ if told_by.starts_with("go1.27.") => Oracle::v1_27(),
            _ => None,
        };
        let Some(oracle) = oracle else {
            return Vec::new();
        };
        let path = trace.unpacked(scratch);
        let row = Row::ask(oracle, trace.file(), trace.header(), &path).expect("the oracle runs");
        let compared = COLUMNS
            .iter()
            .filter(|column| !NOT_COMPARED.contains(column));
        compared
            .filter(|column| row.column(column) != trace.column(column))
            .map(|column| {
                let (now, then) = (row.column(column), trace.column(column));
                format!("{}: {column}: {now}, in the table {then}", trace.file())
            })
            .collect()
    }

    #[test]
    fn the_table_is_what_go_finds() {
        let scratch = Scratch::new("rows");
        let traces = Corpus::shipped().traces();
        let stale: Vec<String> = traces
            .iter()
            .flat_map(|trace| differences(trace, &scratch))
            .collect();
        assert!(stale.is_empty(), "{}", stale.join("\n"));
    }
}
