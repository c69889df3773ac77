//! A profile by function, as `go tool pprof -top` tells it.

use crate::Error;

/// A profile's functions, the one with most of its own first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Top {
    /// What was measured: `cpu`, `delay`, `samples`.
    pub sample_type: String,
    /// All of it, in nanoseconds for a time, else a number.
    pub total: u64,
    /// The functions.
    pub rows: Vec<TopRow>,
}

/// One function of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopRow {
    /// In the function itself.
    pub flat: u64,
    /// In the function and what it called.
    pub cumulative: u64,
    /// The function's name.
    pub function: String,
}

impl Top {
    /// The row of the function whose name is or ends with `name`.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&TopRow> {
        self.rows.iter().find(|row| row.function.ends_with(name))
    }

    /// Reads the tool's text.
    ///
    /// # Errors
    ///
    /// `Unreadable` when a line of the table is not in its form, or head or table are missing.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut sample_type = None;
        let mut total = None;
        let mut lines = text.lines();
        for line in lines.by_ref() {
            if let Some(kind) = line.strip_prefix("Type: ") {
                sample_type = Some(kind.to_owned());
            } else if let Some((_, of)) = line.split_once("% of ") {
                total = of.strip_suffix(" total").and_then(leading_number);
            } else if line.trim_start().starts_with("flat ") {
                break;
            }
        }
        let rows = lines
            .map(|line| {
                row(line).ok_or_else(|| Error::Unreadable {
                    line: line.to_owned(),
                })
            })
            .collect::<Result<_, _>>()?;
        match (sample_type, total) {
            (Some(sample_type), Some(total)) => Ok(Self {
                sample_type,
                total,
                rows,
            }),
            _ => Err(Error::Unreadable {
                line: text.lines().next().unwrap_or_default().to_owned(),
            }),
        }
    }
}

/// Reads `flat flat% sum% cum cum%  name`.
fn row(line: &str) -> Option<TopRow> {
    let mut rest = line;
    let mut column = || {
        rest = rest.trim_start();
        let (value, after) = rest.split_once(' ')?;
        rest = after;
        Some(value)
    };
    let flat = leading_number(column()?)?;
    let (_, _) = (column()?, column()?);
    let cumulative = leading_number(column()?)?;
    column()?;
    let function = rest.trim();
    let function = function
        .strip_suffix(" (inline)")
        .or_else(|| function.strip_suffix(" (partial-inline)"))
        .unwrap_or(function);
    Some(TopRow {
        flat,
        cumulative,
        function: function.to_owned(),
    })
}

/// The number before the unit: `1249582ns` and `86` alike.
fn leading_number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_by_column() {
        let top = Top::parse(
            "Type: cpu\nDuration: 1s, Total samples = 30ns\n\
             Showing nodes accounting for 30ns, 100% of 30ns total\n\
             \x20     flat  flat%   sum%        cum   cum%\n\
             \x20     20ns 66.67% 66.67%       20ns 66.67%  <T as core::iter::Iterator>::next (inline)\n\
             \x20     10ns 33.33%   100%       30ns   100%  server::main\n",
        )
        .expect("the text is a table");
        assert_eq!((top.sample_type.as_str(), top.total), ("cpu", 30));
        assert_eq!(top.rows[0].function, "<T as core::iter::Iterator>::next");
        let main = top.row("main").expect("main has a row");
        assert_eq!((main.flat, main.cumulative), (10, 30));
    }

    #[test]
    fn an_empty_profile_has_no_rows() {
        let top = Top::parse(
            "Type: delay\nShowing nodes accounting for 0, 0% of 0 total\n      flat  flat%   sum%        cum   cum%\n",
        )
        .expect("the text is a table");
        assert_eq!((top.total, top.rows.len()), (0, 0));
    }

    #[test]
    fn other_text_is_no_table() {
        for text in ["", "parsing profile: unrecognized\n", "Type: cpu\n"] {
            assert!(Top::parse(text).is_err(), "{text:?}");
        }
        let broken =
            "Type: cpu\nShowing nodes accounting for 1ns, 100% of 1ns total\n flat  flat%\nmore\n";
        assert!(Top::parse(broken).is_err());
    }
}
