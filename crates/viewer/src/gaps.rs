//! When events of a trace are gone.

use std::cmp::Reverse;

use exectrace_reader::{Loss, Timestamp};
use serde::Serialize;

/// So many are told; the reader keeps more.
const GAPS_MAX: usize = 200;

/// A time between whose ends events are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Gap {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    /// How many.
    pub(crate) events: u64,
    /// Whether they are so many, or at least so many.
    pub(crate) is_exact: bool,
}

/// The gaps whose times are known, in order of time and apart from one another: those that overlap are one. Times are those since
/// the trace's first event; of more than are told, the longest are.
pub(crate) fn of(loss: &Loss, first: Timestamp) -> Vec<Gap> {
    let since = |time: Timestamp| time.since_ns(first).max(0) as u64;
    let known = loss.gaps.iter().filter_map(|gap| {
        let (from, to) = gap.time?;
        Some(Gap {
            from_ns: since(from),
            to_ns: since(to.max(from)),
            events: gap.events,
            is_exact: gap.is_exact,
        })
    });
    let mut sorted: Vec<Gap> = known.collect();
    sorted.sort_by_key(|gap| gap.from_ns);
    let mut gaps: Vec<Gap> = Vec::new();
    for gap in sorted {
        match gaps.last_mut().filter(|last| gap.from_ns <= last.to_ns) {
            Some(last) => last.extend(gap),
            None => gaps.push(gap),
        }
    }
    if gaps.len() > GAPS_MAX {
        gaps.sort_by_key(|gap| Reverse(gap.to_ns - gap.from_ns));
        gaps.truncate(GAPS_MAX);
        gaps.sort_by_key(|gap| gap.from_ns);
    }
    gaps
}

impl Gap {
    /// Takes in one that begins before its end.
    fn extend(&mut self, other: Self) {
        self.to_ns = self.to_ns.max(other.to_ns);
        self.events += other.events;
        self.is_exact &= other.is_exact;
    }
}

#[cfg(test)]
mod tests {
    use exectrace_reader::Reader;

    use super::*;

    fn lost(gaps: &[(i64, i64, bool)]) -> Loss {
        // The reader alone makes gaps: one of a damaged file is the pattern.
        let text = "go 1.26 trace\nEventBatch generation=1 thread=50 time=1000\nProcStatus dt=1 worker=0 status=1";
        let mut file = exectrace_format::text::parse(text).expect("is a trace");
        file.truncate(file.len() - 1);
        let mut reader = Reader::tolerant(&file).expect("is a trace");
        while reader.next().is_some() {}
        let pattern = reader.loss().gaps[0];
        let mut loss = Loss::default();
        loss.gaps = gaps
            .iter()
            .map(|&(from, to, is_exact)| {
                let mut gap = pattern;
                gap.events = 3;
                gap.is_exact = is_exact;
                gap.time = Some((Timestamp(from), Timestamp(to)));
                gap
            })
            .collect();
        loss
    }

    fn gap(from_ns: u64, to_ns: u64, events: u64, is_exact: bool) -> Gap {
        Gap {
            from_ns,
            to_ns,
            events,
            is_exact,
        }
    }

    #[test]
    fn gaps_that_overlap_are_one() {
        let loss = lost(&[
            (140, 150, true),
            (110, 120, true),
            (115, 130, false),
            (90, 95, true),
        ]);
        let expected = [
            gap(0, 0, 3, true),
            gap(10, 30, 6, false),
            gap(40, 50, 3, true),
        ];
        assert_eq!(of(&loss, Timestamp(100)), expected);
    }

    #[test]
    fn the_longest_are_told() {
        let many: Vec<_> = (0..1000)
            .map(|place| (place * 2000, place * 2000 + place, true))
            .collect();
        let gaps = of(&lost(&many), Timestamp(0));
        assert_eq!(gaps.len(), GAPS_MAX);
        assert_eq!(
            (gaps[0].from_ns, gaps[199].from_ns),
            (800 * 2000, 999 * 2000)
        );
    }
}
