//! What a file is made of: its records as they stand there, before they are put in order.

use std::collections::BTreeMap;

use exectrace_format::limits::HEADER_BYTES;
use exectrace_format::{Error, Format, Version, go_v1, go_v2};

/// Records and bytes by type, as far as a file can be decoded.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{WireCount, WireCounts};
/// let file = exectrace_format::text::parse("go 1.19 trace\nGoEnd dt=1\nGoEnd dt=300").unwrap();
/// let counts = WireCounts::of(&file);
/// assert_eq!(counts.by_type["GoEnd"], WireCount { records: 2, bytes: 5 });
/// assert_eq!(counts.undecoded_bytes, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireCounts {
    /// By Go's name of the type.
    pub by_type: BTreeMap<&'static str, WireCount>,
    /// Bytes that are in no record.
    pub undecoded_bytes: u64,
}

/// Records of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireCount {
    /// How many there are.
    pub records: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

impl WireCounts {
    /// Counts the records of a file.
    #[must_use]
    pub fn of(file: &[u8]) -> Self {
        let mut counter = Counter::default();
        let end = file.len() as u64;
        let Ok(version) = Version::of(file) else {
            counter.counts.undecoded_bytes = end;
            return counter.counts;
        };
        match version.format() {
            Format::V1 => {
                for record in go_v1::Records::of_file(file).into_iter().flatten() {
                    counter.take(record.map(|record| {
                        let spec = record.event_type.spec();
                        (record.offset, spec.name_in(version))
                    }));
                }
            }
            Format::V2 => {
                for record in go_v2::Records::of_file(file).into_iter().flatten() {
                    counter.take(record.map(|record| {
                        let spec = record.event_type.spec();
                        (record.offset, spec.name)
                    }));
                }
            }
        }
        counter.close(end);
        let counted: u64 = counter
            .counts
            .by_type
            .values()
            .map(|count| count.bytes)
            .sum();
        counter.counts.undecoded_bytes = end - HEADER_BYTES as u64 - counted;
        counter.counts
    }
}

/// Counts a record when the next one shows where it ends.
#[derive(Default)]
struct Counter {
    counts: WireCounts,
    /// Where the last one begins, and its type.
    open: Option<(u64, &'static str)>,
}

impl Counter {
    fn take(&mut self, record: Result<(u64, &'static str), Error>) {
        match record {
            Ok((offset, name)) => {
                self.close(offset);
                self.open = Some((offset, name));
            }
            // Nobody knows whether the last record ends where the fault begins: it is counted without its bytes.
            Err(_) => self.close_at_begin(),
        }
    }

    fn close(&mut self, end: u64) {
        if let Some((begin, name)) = self.open.take() {
            let count = self.counts.by_type.entry(name).or_default();
            count.records += 1;
            count.bytes += end.saturating_sub(begin);
        }
    }

    fn close_at_begin(&mut self) {
        if let Some((begin, _)) = self.open {
            self.close(begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::text;

    use super::*;

    #[track_caller]
    fn check(file: &[u8], expect: &[(&str, u64, u64)], undecoded_bytes: u64) {
        let counts = WireCounts::of(file);
        let found: Vec<_> = counts
            .by_type
            .iter()
            .map(|(name, count)| (*name, count.records, count.bytes))
            .collect();
        assert_eq!(found, expect);
        assert_eq!(counts.undecoded_bytes, undecoded_bytes);
    }

    #[test]
    fn every_byte_is_somewhere() {
        let v1 = "go 1.19 trace\nBatch worker=0 ticks=1\nGoEnd dt=1\nGoEnd dt=200\nString string=1 text=\"four\"";
        let v1 = text::parse(v1).expect("is a trace");
        check(
            &v1,
            &[("Batch", 1, 3), ("GoEnd", 2, 5), ("String", 1, 7)],
            0,
        );
        check(&v1[..v1.len() - 1], &[("Batch", 1, 3), ("GoEnd", 2, 2)], 9);
        let v2 = "go 1.26 trace\n\
            EventBatch generation=1 thread=1 time=60\n\
            GoDestroy dt=1\n\
            EventBatch generation=1 thread=1 time=60\n\
            Strings\n\
            String string=1 text=\"four\"\n\
            EndOfGeneration";
        let v2 = text::parse(v2).expect("is a trace");
        let expect = [
            ("EndOfGeneration", 1, 1),
            ("EventBatch", 2, 10),
            ("GoDestroy", 1, 2),
            ("String", 1, 7),
            ("Strings", 1, 1),
        ];
        check(&v2, &expect, 0);
        check(b"nothing", &[], 7);
        check(&v1[..16], &[], 0);
    }
}
