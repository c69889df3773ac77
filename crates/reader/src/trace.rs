//! Files that are given together: which of them are parts of one trace.

use std::borrow::Cow;
use std::collections::BTreeSet;

use exectrace_format::go_v1::Records;
use exectrace_format::go_v2::{Item, Items};
use exectrace_format::limits::HEADER_BYTES;
use exectrace_format::{Format, ThreadId, Version};

/// What the headers of all versions begin with.
const HEADER_BEGIN: &[u8] = b"go ";
/// So many records or batches of a part must make sense.
const RECORDS_TRIED: usize = 64;
/// So many of its bytes are looked at: more than a batch has.
const BYTES_TRIED: usize = 1 << 20;

/// A trace: a file, or several that are parts of it.
///
/// # Examples
///
/// ```
/// use exectrace_reader::Trace;
///
/// let whole = exectrace_format::text::parse("go 1.19 trace\nBatch worker=0 ticks=1\nGoCreate dt=1 task=1").unwrap();
/// // As `split` makes them: the second has no header.
/// let (begin, end) = whole.split_at(20);
/// let traces = Trace::of_files(&[begin, end]);
/// assert_eq!((traces.len(), traces[0].files()), (1, [0, 1].as_slice()));
/// assert_eq!(traces[0].bytes(), whole);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    files: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Trace<'a> {
    /// The traces that files make together, in the order of their first ones.
    ///
    /// A file is a part of a trace before it in two cases. It has no header, and its bytes make sense where the last file ends:
    /// somebody has split a file. Or both are of the same version of format v2, the numbers of its generations follow on those
    /// before, and both have a thread in common: somebody has kept generations of one process file by file. Parts are copied; a
    /// trace of one file is not.
    #[must_use]
    pub fn of_files(files: &[&'a [u8]]) -> Vec<Self> {
        let mut traces: Vec<Self> = Vec::new();
        let mut ends: Vec<End> = Vec::new();
        for (index, &file) in files.iter().enumerate() {
            let end = if files.len() > 1 {
                End::of(file)
            } else {
                End::NONE
            };
            let is_split = !file.is_empty() && !file.starts_with(HEADER_BEGIN);
            let last = traces.len().checked_sub(1);
            let part = if is_split {
                let is_next =
                    |&trace: &usize| ends[trace].is_gone_on_with(&traces[trace].bytes, file);
                last.filter(is_next).map(|trace| (trace, 0))
            } else {
                let trace = ends.iter().position(|before| end.follows(before));
                trace.map(|trace| (trace, HEADER_BYTES))
            };
            if let Some((trace, skipped)) = part {
                traces[trace].files.push(index);
                traces[trace].bytes.to_mut().extend(&file[skipped..]);
                ends[trace].extend(end, &traces[trace].bytes);
            } else {
                traces.push(Self {
                    files: vec![index],
                    bytes: Cow::Borrowed(file),
                });
                ends.push(end);
            }
        }
        traces
    }

    /// Which of the files are its parts.
    #[must_use]
    pub fn files(&self) -> &[usize] {
        &self.files
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// What of a trace tells whether a file goes on with it.
struct End {
    version: Option<Version>,
    /// Where the last record or batch begins, if it is cut; else the end.
    seam: usize,
    /// The first generation and the last.
    generations: Option<(u64, u64)>,
    threads: BTreeSet<u64>,
}

impl End {
    const NONE: Self = Self {
        version: None,
        seam: 0,
        generations: None,
        threads: BTreeSet::new(),
    };

    /// That of a file of a version that is known.
    fn of(file: &[u8]) -> Self {
        let mut end = Self {
            version: Version::of(file).ok(),
            seam: HEADER_BYTES,
            ..Self::NONE
        };
        end.walk(file);
        end
    }

    /// Reads on to where the bytes end, or make no sense.
    fn walk(&mut self, bytes: &[u8]) {
        let Some(version) = self.version else {
            return;
        };
        let (rest, offset) = (&bytes[self.seam..], self.seam as u64);
        if version.format() == Format::V1 {
            let mut records = Records::resume(version, rest, offset);
            loop {
                self.seam = records.offset() as usize;
                if !matches!(records.next(), Some(Ok(_))) {
                    return;
                }
            }
        }
        let mut items = Items::resume(version, rest, offset);
        loop {
            self.seam = items.offset() as usize;
            match items.next() {
                Some(Ok(Item::Batch(batch))) => {
                    let number = batch.generation.0;
                    let (first, _) = self.generations.unwrap_or((number, number));
                    self.generations = Some((first, number));
                    if batch.thread != ThreadId::NONE {
                        self.threads.insert(batch.thread.0);
                    }
                }
                Some(Ok(Item::EndOfGeneration { .. })) => {}
                _ => return,
            }
        }
    }

    /// Whether a file that has no header makes sense where the trace ends.
    fn is_gone_on_with(&self, before: &[u8], file: &[u8]) -> bool {
        let Some(version) = self.version else {
            return false;
        };
        let joined = [&before[self.seam..], &file[..file.len().min(BYTES_TRIED)]].concat();
        let error = if version.format() == Format::V1 {
            let records = Records::resume(version, &joined, self.seam as u64);
            records.take(RECORDS_TRIED).find_map(Result::err)
        } else {
            let items = Items::resume(version, &joined, self.seam as u64);
            items.take(RECORDS_TRIED).find_map(Result::err)
        };
        // It may be cut itself.
        !joined.is_empty()
            && error.is_none_or(|error| {
                use exectrace_format::Error as E;
                matches!(error, E::Cut { .. } | E::MessageCut { .. })
            })
    }

    /// Whether the file goes on with the generations of another one.
    fn follows(&self, before: &Self) -> bool {
        let (Some((first, _)), Some((_, last))) = (self.generations, before.generations) else {
            return false;
        };
        self.version == before.version
            && last.checked_add(1) == Some(first)
            && !self.threads.is_disjoint(&before.threads)
    }

    /// A part has come.
    fn extend(&mut self, part: Self, joined: &[u8]) {
        self.walk(joined);
        self.threads.extend(part.threads);
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::text;

    use super::*;
    use crate::Reader;

    /// A file with a generation.
    fn file(header: &str, generation: u64, thread: u64) -> Vec<u8> {
        let lines = format!(
            "go {header} trace
            EventBatch generation={generation} thread=-1 time={generation}
            Sync
            ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500
            Frequency units_per_second=1000000000
            EventBatch generation={generation} thread={thread} time={generation}
            ProcStatus dt=1 worker=0 status=1
            EndOfGeneration"
        );
        text::parse(&lines).expect("is a trace")
    }

    #[track_caller]
    fn check(files: &[&[u8]], expect: &[&[usize]]) {
        let traces = Trace::of_files(files);
        let found: Vec<&[usize]> = traces.iter().map(Trace::files).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn files_are_parts_if_they_follow_on_each_other() {
        let [one, two, three] = [1, 2, 3].map(|number| file("1.26", number, 7));
        check(&[&one], &[&[0]]);
        check(&[&one, &two, &three], &[&[0, 1, 2]]);
        check(&[&two, &one], &[&[0], &[1]]);
        check(&[&one, &three], &[&[0], &[1]]);
        check(&[&one, &file("1.26", 2, 8)], &[&[0], &[1]]);
        check(&[&one, &file("1.25", 2, 7)], &[&[0], &[1]]);
        // Two processes by turns.
        let others = [1, 2].map(|number| file("1.26", number, 8));
        check(&[&one, &others[0], &two, &others[1]], &[&[0, 2], &[1, 3]]);
        let traces = Trace::of_files(&[&one, &two]);
        let reader = Reader::new(traces[0].bytes()).expect("has a header");
        let events: Result<Vec<_>, _> = reader.collect();
        assert_eq!(events.expect("is whole").len(), 5);
    }

    #[test]
    fn a_file_that_was_split_is_put_together() {
        let whole = file("1.26", 1, 7);
        for at in [16, 17, 40, whole.len() - 1] {
            let (begin, end) = whole.split_at(at);
            check(&[begin, end], &[&[0, 1]]);
            assert_eq!(Trace::of_files(&[begin, end])[0].bytes(), whole);
        }
        let third = whole.len() / 3;
        let parts: Vec<&[u8]> = whole.chunks(third).collect();
        check(&parts, &[&[0, 1, 2, 3][..parts.len()]]);
        check(&[b"no trace", &whole], &[&[0], &[1]]);
        check(&[&whole, b"no trace"], &[&[0], &[1]]);
        check(&[&whole, b"", b"go 1."], &[&[0], &[1], &[2]]);
    }
}
