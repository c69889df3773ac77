//! Traces of several processes on one axis of time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;

use crate::wall_clock::WallClock;
use crate::{Error, Event, Mode, Reader, Timestamp};

/// The events of several traces, by what the wall clock showed.
///
/// Ids are those of each trace: two tasks of the same id in two traces have nothing to do with each other. So each event comes
/// with the place of its trace. A trace alone keeps its own times, and need not know of a wall clock.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Merged, Mode};
///
/// let recording = |wall_ns: u64| exectrace_format::text::parse(&format!("\
///     go 1.19 trace
///     Batch worker=900001 ticks=0
///     Frequency ticks_per_second=1000000000
///     String string=1 text=\"exectrace.clock\"
///     UserLog dt=0 key=1 message=\"ticks=0 wall_ns={wall_ns} frequency=1000000000 start_ticks=0\"
///     Batch worker=0 ticks=5
///     GoCreate dt=0 task=1")).unwrap();
/// let (late, early) = (recording(1_003), recording(1_000));
/// let merged = Merged::open(&[&late, &early], Mode::Strict).unwrap();
/// let order: Vec<_> = merged.map(|event| event.unwrap()).map(|(trace, event)| (trace, event.time.0)).collect();
/// assert_eq!(order, [(1, 1_000), (0, 1_003), (1, 1_005), (0, 1_008)]);
/// ```
#[derive(Debug)]
pub struct Merged<'a> {
    traces: Vec<One<'a>>,
    /// The next event of each trace that has one, by its time.
    heads: BinaryHeap<Reverse<(i64, usize)>>,
    /// Faults of traces that were met, to be told next.
    faults: VecDeque<(usize, Error)>,
    /// Each trace has been looked at.
    has_begun: bool,
}

/// One trace.
#[derive(Debug)]
struct One<'a> {
    reader: Reader<'a>,
    next: Option<Event>,
    /// What is added to its times.
    shift_ns: i64,
}

/// Why traces cannot be read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeError {
    /// Which of the traces.
    pub trace: usize,
    /// Why it cannot; `None` if it is a trace, but does not say what the wall clock showed.
    pub error: Option<Error>,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            Some(error) => error.fmt(f),
            None => f.write_str(
                "the trace does not say what the wall clock showed: only traces of Go from 1.25 on and of exectrace do",
            ),
        }
    }
}

impl std::error::Error for MergeError {}

impl<'a> Merged<'a> {
    /// Opens traces, each a whole file.
    ///
    /// # Errors
    ///
    /// When one has no header that is known, or is one of several and does not say what the wall clock showed.
    pub fn open(files: &[&'a [u8]], mode: Mode) -> Result<Self, MergeError> {
        let mut merged = Self {
            traces: Vec::new(),
            heads: BinaryHeap::new(),
            faults: VecDeque::new(),
            has_begun: false,
        };
        for (trace, file) in files.iter().enumerate() {
            let fail = |error| MergeError { trace, error };
            let reader = Reader::open(file, mode).map_err(|error| fail(Some(error)))?;
            let shift_ns = if files.len() > 1 {
                WallClock::of(file)
                    .and_then(WallClock::shift_ns)
                    .ok_or_else(|| fail(None))?
            } else {
                0
            };
            merged.traces.push(One {
                reader,
                next: None,
                shift_ns,
            });
        }
        Ok(merged)
    }

    /// How many traces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.traces.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// The reader of a trace: its tables, version, loss and repairs.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    #[must_use]
    pub fn reader(&self, trace: usize) -> &Reader<'a> {
        &self.traces[trace].reader
    }

    /// Takes a look at the next event of a trace.
    fn look(&mut self, trace: usize) {
        let one = &mut self.traces[trace];
        one.next = None;
        match one.reader.next() {
            Some(Ok(mut event)) => {
                event.time = Timestamp(event.time.0.saturating_add(one.shift_ns));
                one.next = Some(event);
                self.heads.push(Reverse((event.time.0, trace)));
            }
            Some(Err(error)) => self.faults.push_back((trace, error)),
            None => {}
        }
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<(usize, Event), (usize, Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        if !std::mem::replace(&mut self.has_begun, true) {
            for trace in 0..self.traces.len() {
                self.look(trace);
            }
        }
        if let Some(fault) = self.faults.pop_front() {
            return Some(Err(fault));
        }
        let Reverse((_, trace)) = self.heads.pop()?;
        let event = self.traces[trace].next.take()?;
        self.look(trace);
        Some(Ok((trace, event)))
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::{Version, text};

    use super::*;

    /// A generation of format v2 that begins at 100 ns, when the wall clock showed 1 s and so many nanoseconds.
    fn of_go(wall_ns: u64, events: &str) -> Vec<u8> {
        let lines = format!(
            "go 1.26 trace
            EventBatch generation=1 thread=-1 time=100
            Sync
            ClockSnapshot dt=0 monotonic_ns=100 wall_s=1 wall_ns={wall_ns}
            Frequency units_per_second=1000000000
            EventBatch generation=1 thread=7 time=100
            ProcStatus dt=10 worker=0 status=1
            {events}
            EndOfGeneration"
        );
        text::parse(&lines).expect("is a trace")
    }

    #[test]
    fn traces_of_different_clocks_come_in_order_of_the_wall_clock() {
        let (late, early) = (of_go(1000, ""), of_go(995, ""));
        let merged = Merged::open(&[&late, &early], Mode::Strict).expect("can be read");
        assert_eq!((merged.len(), merged.is_empty()), (2, false));
        let told: Vec<_> = merged
            .map(|event| event.expect("is whole"))
            .map(|(trace, event)| (trace, event.time.0 - 1_000_000_000, event.kind.name()))
            .collect();
        assert_eq!(
            told,
            [
                (1, 995, "Sync"),
                (0, 1000, "Sync"),
                (1, 1005, "WorkerTransition"),
                (1, 1006, "Sync"),
                (0, 1010, "WorkerTransition"),
                (0, 1011, "Sync"),
            ]
        );
    }

    #[test]
    fn a_trace_alone_keeps_its_times() {
        let file = Version::Go1_19.header();
        let merged = Merged::open(&[&file], Mode::Tolerant).expect("can be read");
        assert_eq!(merged.count(), 0);
        let file = of_go(1000, "");
        let mut merged = Merged::open(&[&file], Mode::Strict).expect("can be read");
        let (_, first) = merged.next().expect("is there").expect("is whole");
        assert_eq!(first.time, Timestamp(100));
    }

    #[test]
    fn without_a_wall_clock_nothing_is_put_together() {
        let file = text::parse(
            "go 1.19 trace\nBatch worker=0 ticks=1\nFrequency ticks_per_second=1\nGoCreate dt=1 task=1",
        );
        let (ours, other) = (of_go(1, ""), file.expect("is a trace"));
        let error = Merged::open(&[&ours, &other], Mode::Tolerant).expect_err("has no clock");
        assert_eq!((error.trace, error.error), (1, None));
        let error = Merged::open(&[&ours, b"nothing"], Mode::Tolerant).expect_err("is none");
        assert_eq!(error.trace, 1);
        assert!(error.error.is_some());
    }

    #[test]
    fn the_fault_of_one_trace_leaves_the_others_alone() {
        let faulty = of_go(1000, "ProcStatus dt=1 worker=1 status=9");
        let whole = of_go(2000, "");
        let merged = Merged::open(&[&faulty, &whole, &faulty], Mode::Strict);
        let (told, faults): (Vec<_>, Vec<_>) =
            merged.expect("can be read").partition(Result::is_ok);
        assert_eq!(told.len(), 2 * 2 + 3);
        let traces: Vec<_> = faults.into_iter().filter_map(Result::err).collect();
        assert_eq!((traces[0].0, traces[1].0, traces.len()), (0, 2, 2));
    }
}
