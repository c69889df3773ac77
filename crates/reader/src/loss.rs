//! What of a file is not among the events that were read from it.

use std::fmt;

use crate::{Dropped, Error, Timestamp};

/// So many gaps are kept one by one; all are counted.
pub(crate) const GAPS_MAX: usize = 1000;

/// What of a trace is gone: bytes of the file that mean nothing, events that make no sense where they stand, and what the
/// recorder itself could not write.
///
/// # Examples
///
/// ```
/// use exectrace_reader::Reader;
///
/// // The last two bytes of the last event are gone, and all that came after it.
/// let mut file = exectrace_format::text::parse("\
///     go 1.26 trace
///     EventBatch generation=1 thread=50 time=1000
///     ProcStatus dt=1 worker=0 status=1
///     GoCreate dt=5 task=1 start_stack=0 stack=0
///     GoCreate dt=5 task=2 start_stack=0 stack=0").unwrap();
/// file.truncate(file.len() - 2);
///
/// let mut reader = Reader::tolerant(&file)?;
/// while reader.next_block()?.is_some() {}
/// assert!(reader.loss().events >= 1 && !reader.loss().is_exact);
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// Bytes of the file from which nothing was read, and those that a batch lacks in which a file of format v2 is cut.
    pub bytes: u64,
    /// Events that stood in them.
    pub events: u64,
    /// Whether `events` is the number; else it is the least that it can be, since bytes that mean nothing do not say how many
    /// events they were.
    pub is_exact: bool,
    /// How many gaps there are.
    pub gap_count: u64,
    /// The first gaps, in the order in which they were found; no more than 1,000.
    pub gaps: Vec<Gap>,
    /// The times between which events are gone, as far as they are known: the earliest and the latest of all gaps.
    pub time: Option<(Timestamp, Timestamp)>,
    /// What the recorder could not write, as the recording says.
    pub dropped: Option<Dropped>,
    /// A recording of exectrace that was not stopped: what its threads had not handed over is not in the file.
    pub lacks_end: bool,
}

/// A stretch of the file that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What is wrong, and where.
    pub error: Error,
    /// Bytes from which nothing was read, or that a batch lacks.
    pub bytes: u64,
    /// Events that stood in them.
    pub events: u64,
    /// Whether `events` is the number, or the least that it can be.
    pub is_exact: bool,
    /// The times between which they were, as far as they are known.
    pub time: Option<(Timestamp, Timestamp)>,
}

impl Default for Loss {
    fn default() -> Self {
        Self {
            bytes: 0,
            events: 0,
            is_exact: true,
            gap_count: 0,
            gaps: Vec::new(),
            time: None,
            dropped: None,
            lacks_end: false,
        }
    }
}

impl Loss {
    /// Whether nothing is lost.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.gap_count == 0 && self.dropped.is_none() && !self.lacks_end
    }

    /// Returns the gap's place among those that are kept.
    pub(crate) fn add(&mut self, gap: Gap) -> Option<usize> {
        self.bytes += gap.bytes;
        self.events += gap.events;
        self.is_exact &= gap.is_exact;
        self.gap_count += 1;
        if let Some((from, to)) = gap.time {
            let (first, last) = self.time.unwrap_or((from, to));
            self.time = Some((first.min(from), last.max(to)));
        }
        let place = self.gaps.len();
        if place == GAPS_MAX {
            return None;
        }
        self.gaps.push(gap);
        Some(place)
    }

    /// Gaps lasted until then; `kept` are the places of those that are kept.
    pub(crate) fn last_until(&mut self, kept: &[usize], to: Timestamp) {
        for &place in kept {
            if let Some((_, last)) = &mut self.gaps[place].time {
                *last = to.max(*last);
            }
        }
        if let Some((_, last)) = &mut self.time {
            *last = to.max(*last);
        }
    }

    /// Changes when all gaps were.
    pub(crate) fn change_times(
        &mut self,
        change: impl Fn(Option<(Timestamp, Timestamp)>) -> Option<(Timestamp, Timestamp)>,
    ) {
        for gap in &mut self.gaps {
            gap.time = change(gap.time);
        }
        self.time = change(self.time);
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("nothing");
        }
        let at_least = if self.is_exact { "" } else { "at least " };
        let places = if self.gap_count == 1 {
            "place"
        } else {
            "places"
        };
        write!(
            f,
            "{} bytes, {at_least}{} events, in {} {places}",
            self.bytes, self.events, self.gap_count
        )?;
        if self.lacks_end {
            f.write_str(", and the end of the recording")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;

    #[test]
    fn gaps_add_up_and_the_first_are_kept() {
        let gap = |from: i64, is_exact| Gap {
            error: Error::at(Cause::NoOrder, 7),
            bytes: 10,
            events: 1,
            is_exact,
            time: Some((Timestamp(from), Timestamp(from + 5))),
        };
        let mut loss = Loss::default();
        assert_eq!(loss.to_string(), "nothing");
        loss.add(gap(50, true));
        assert_eq!(loss.to_string(), "10 bytes, 1 events, in 1 place");
        for _ in 0..1500 {
            loss.add(gap(20, false));
        }
        assert_eq!(
            (loss.bytes, loss.events, loss.gap_count),
            (15_010, 1501, 1501)
        );
        assert_eq!(loss.time, Some((Timestamp(20), Timestamp(55))));
        assert_eq!((loss.gaps.len(), loss.is_exact), (GAPS_MAX, false));
        assert_eq!(
            loss.to_string(),
            "15010 bytes, at least 1501 events, in 1501 places"
        );
    }
}
