//! All that is known of single intervals, in an exported page: what the server says of each, in parts of one track each. A part has
//! the answers in columns, which pack several times as well as one object after another.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use super::archive::Archive;
use super::asking::Asking;
use super::question::Question;
use super::span::Span;
use super::stacks::Stacks;
use crate::timeline::{RowId, Timeline};

/// Intervals of a part.
const PART: usize = 4_096;

/// Intervals of all parts: each is asked for by itself, and a person looks at some dozens.
const INTERVALS_MAX: usize = 100_000;

/// Which intervals stand in the page.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) parts: Vec<PartLine>,
    intervals: usize,
}

/// Some intervals of a track, one after another.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct PartLine {
    track: String,
    /// The first, and the one after the last.
    first: u32,
    end: u32,
    from_ns: u64,
    to_ns: u64,
}

impl Details {
    /// Tells of all intervals of a row in a stretch, as far as there is room. Says whether there was.
    pub(super) fn add(
        &mut self,
        asking: &Asking,
        (archive, share): (&mut Archive, f64),
        stacks: &mut Stacks,
        (track, indexes): (&str, &[u32]),
    ) -> io::Result<bool> {
        for indexes in indexes.chunks(PART) {
            if self.intervals + indexes.len() > INTERVALS_MAX {
                return Ok(false);
            }
            let mut columns = Columns::default();
            for index in indexes {
                let question = Question::new("interval")
                    .with("track", track)
                    .with("index", index);
                let Some(answer) = asking.ask(&question)? else {
                    continue;
                };
                let mut answer: Value = serde_json::from_slice(&answer)?;
                stacks.take_from(&mut answer);
                columns.push(answer);
            }
            let Some(line) = columns.line(track) else {
                continue;
            };
            let name = Question::new("intervals").with("number", self.parts.len());
            if !archive.add(name, &serde_json::to_vec(&columns.columns)?, share)? {
                return Ok(false);
            }
            self.intervals += indexes.len();
            self.parts.push(line);
        }
        Ok(true)
    }
}

/// The numbers of the intervals that a row has in a stretch.
pub(super) fn indexes(timeline: &Timeline, track: &str, span: Span) -> Vec<u32> {
    let row = RowId::parse(track);
    let intervals = row.and_then(|row| timeline.intervals(row));
    let overlapping = intervals.map(|intervals| intervals.overlapping(span.from_ns, span.to_ns));
    overlapping
        .into_iter()
        .flatten()
        .map(|drawn| drawn.index)
        .collect()
}

/// Objects with the same keys, by key.
#[derive(Debug, Default)]
struct Columns {
    columns: Map<String, Value>,
}

impl Columns {
    fn push(&mut self, object: Value) {
        let Value::Object(fields) = object else {
            return;
        };
        for (name, value) in fields {
            let column = self
                .columns
                .entry(name)
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(values) = column {
                values.push(value);
            }
        }
    }

    /// What is in there; `None` if that is nothing.
    fn line(&self, track: &str) -> Option<PartLine> {
        let numbers = |name: &str| self.columns.get(name).and_then(Value::as_array);
        let first = |name: &str| numbers(name)?.first()?.as_u64();
        let last = |name: &str| numbers(name)?.last()?.as_u64();
        Some(PartLine {
            track: track.to_owned(),
            first: first("index")? as u32,
            end: last("index")? as u32 + 1,
            from_ns: first("from_ns")?,
            to_ns: last("to_ns")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_become_columns() {
        let mut columns = Columns::default();
        columns.push(json!({"index": 7, "from_ns": 10, "to_ns": 20}));
        columns.push(json!({"index": 8, "from_ns": 20, "to_ns": 35}));
        assert_eq!(
            Value::Object(columns.columns.clone()),
            json!({"index": [7, 8], "from_ns": [10, 20], "to_ns": [20, 35]})
        );
        let line = columns.line("worker:1").unwrap();
        assert_eq!(
            (line.first, line.end, line.from_ns, line.to_ns),
            (7, 9, 10, 35)
        );
        assert_eq!(Columns::default().line("worker:1"), None);
    }
}
