//! What a bench reported of a row.

use std::fmt;

use super::row::Row;

/// What a bench reported.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measurement {
    pub(super) value: f64,
    pub(super) unit: String,
    /// What was measured beside it.
    pub(super) reference: String,
    /// The value at its best, where the bench looks for that.
    pub(super) quickest: Option<f64>,
}

impl Measurement {
    /// The key and the measurement of a line, if it is one: of its fields, or in the words of one of `rows`.
    pub(super) fn parse<'r>(
        line: &str,
        mut rows: impl Iterator<Item = &'r Row>,
    ) -> Option<(String, Self)> {
        let (key, value, unit, reference, quickest) = match line.split('\t').collect::<Vec<_>>()[..]
        {
            ["bench", key, value, unit, reference] => (key, value, unit, reference, None),
            ["bench", key, value, unit, reference, quickest] => {
                (key, value, unit, reference, Some(quickest))
            }
            [line] => {
                let row = rows.find(|row| {
                    let rest = line.strip_prefix(row.what);
                    rest.is_some_and(|rest| rest.starts_with(": "))
                })?;
                let (value, rest) = line[row.what.len() + 2..].split_once(' ')?;
                let (unit, reference) = rest.split_once(" (").unwrap_or((rest, ""));
                (row.key, value, unit, reference.trim_end_matches(')'), None)
            }
            _ => return None,
        };
        let quickest = match quickest {
            Some(quickest) => Some(number(quickest)?),
            None => None,
        };
        let measurement = Self {
            value: number(value)?,
            unit: unit.to_owned(),
            reference: reference.to_owned(),
            quickest,
        };
        Some((key.to_owned(), measurement))
    }

    /// The value at its best, as text; empty where the bench did not look for that.
    pub(super) fn quickest(&self) -> String {
        self.quickest.map(digits).unwrap_or_default()
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", digits(self.value), self.unit)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn digits(value: f64) -> String {
    // Ratios about one say nothing with one digit.
    let digits = if value < 10.0 { 2 } else { 1 };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [Row; 2] = [
        Row::at_most(
            "profbuf_write_1",
            "profbuf write, depth 1",
            "ns",
            15.0,
            10.0,
        ),
        Row::at_most(
            "profbuf_write_32",
            "profbuf write, depth 32",
            "ns",
            25.0,
            18.0,
        ),
    ];

    fn parse(line: &str) -> Option<(String, Measurement)> {
        Measurement::parse(line, ROWS.iter())
    }

    #[test]
    fn a_line_is_five_fields_or_six() {
        let (key, it) = parse("bench\tevent\t12.5\tns\tclock 9.6 ns").expect("five fields");
        assert_eq!(
            (key.as_str(), it.value, it.unit.as_str()),
            ("event", 12.5, "ns")
        );
        assert_eq!(it.reference, "clock 9.6 ns");
        assert_eq!((it.quickest, it.quickest().as_str()), (None, ""));
        let (_, it) = parse("bench\tevent\t12.5\tns\tclock\t11.25").expect("six fields");
        assert_eq!(
            (it.reference.as_str(), it.quickest().as_str()),
            ("clock", "11.2")
        );
        for line in [
            "",
            "bench\tevent\t12.5\tns\tclock\tfast",
            "bench\tevent\t12.5\tns\tclock\t11\t10",
            "bench\tevent\t12.5\tns",
            "bench\tevent\tfast\tns\t",
            "bench\tevent\tNaN\tns\t",
            "bench event 1 ns x",
        ] {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn small_numbers_have_a_digit_more() {
        let text =
            |value: &str| parse(&format!("bench\tx\t{value}\t×\t")).map(|(_, it)| it.to_string());
        assert_eq!(text("0.034"), Some("0.03 ×".to_owned()));
        assert_eq!(text("23.313"), Some("23.3 ×".to_owned()));
    }

    #[test]
    fn a_line_for_people_names_the_row() {
        let (key, it) = parse("profbuf write, depth 32: 18.5 ns (memory copy 14.3 ns)")
            .expect("the text is a row's");
        assert_eq!(
            (key.as_str(), it.value, it.unit.as_str()),
            ("profbuf_write_32", 18.5, "ns")
        );
        assert_eq!(it.reference, "memory copy 14.3 ns");
        let bare = parse("profbuf write, depth 1: 9 ns");
        assert!(bare.is_some_and(|(key, it)| key == "profbuf_write_1" && it.unit == "ns"));
        assert_eq!(
            parse("profbuf write, depth 64: 18.5 ns (memory copy 14.3 ns)"),
            None
        );
        assert_eq!(parse("test result: ok. 0 passed"), None);
    }
}
