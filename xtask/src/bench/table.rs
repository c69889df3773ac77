//! The budgets of one topic, and how ours compare.

use std::collections::BTreeMap;

use super::measurement::Measurement;
use super::row::Row;

/// The budgets of a topic.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) heading: &'static str,
    pub(super) rows: &'static [Row],
}

impl Table {
    /// Whether a row of it was measured.
    pub(super) fn has_any(&self, measured: &BTreeMap<String, Measurement>) -> bool {
        self.rows.iter().any(|row| measured.contains_key(row.key))
    }

    /// The rows with what was measured.
    pub(super) fn text(&self, measured: &BTreeMap<String, Measurement>) -> String {
        let mut text = line(
            self.heading,
            ["ours", "quickest", "target", "stretch"],
            "",
            "in the same run",
        );
        for row in self.rows {
            let (ours, quickest, verdict, reference) = match measured.get(row.key) {
                Some(it) => (
                    it.to_string(),
                    it.quickest(),
                    row.verdict(it),
                    it.reference.as_str(),
                ),
                None => (String::new(), String::new(), "not measured", ""),
            };
            let (target, stretch) = (row.target.to_string(), row.stretch.to_string());
            text.push_str(&line(
                row.what,
                [&ours, &quickest, &target, &stretch],
                verdict,
                reference,
            ));
        }
        text
    }
}

/// A line of a table.
pub(super) fn line(what: &str, numbers: [&str; 4], verdict: &str, reference: &str) -> String {
    let [ours, quickest, target, stretch] = numbers;
    let line = format!(
        "{what:<54} {ours:>10} {quickest:>8} {target:>8} {stretch:>8}  {verdict:<12} {reference}"
    );
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_measurement_says_so() {
        const TABLE: Table = Table {
            heading: "Topic",
            rows: &[
                Row::at_most("a", "first thing", "ns", 2.0, 1.0),
                Row::at_most("b", "second thing", "ns", 2.0, 1.0),
            ],
        };
        let measurement = Measurement {
            value: 1.5,
            unit: "ns".to_owned(),
            reference: "clock 9 ns".to_owned(),
            quickest: Some(1.25),
        };
        let measured = BTreeMap::from([("b".to_owned(), measurement)]);
        assert!(TABLE.has_any(&measured));
        let text = TABLE.text(&measured);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Topic "));
        assert!(lines[1].starts_with("first thing ") && lines[1].ends_with("not measured"));
        assert!(
            lines[2].contains("1.50 ns     1.25        2")
                && lines[2].ends_with("met          clock 9 ns")
        );
        assert_eq!(lines.len(), 3);
        assert!(!TABLE.has_any(&BTreeMap::new()));
    }
}
