//! When a garbage collector marked the heap beside the tasks.

use exectrace_reader::{Event, Kind, Range, Timestamp};

/// The stretches of time in which a collector marked, and how much of them there was until any time.
#[derive(Clone, Debug, Default)]
pub struct MarkingTimes {
    /// In order; none reaches into another.
    stretches: Vec<Stretch>,
    /// When the one began that has not ended.
    open: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    begin: Timestamp,
    end: Timestamp,
    /// How long all before it took, in nanoseconds.
    before_ns: i64,
}

/// So many are looked at one by one before one is searched for.
const STRETCHES_NEAR: usize = 4;

impl MarkingTimes {
    /// Takes note of an event of a trace that begins at a time: what is told to go on there has begun before.
    pub fn event(&mut self, event: &Event, trace_begin: Timestamp) {
        match event.kind {
            Kind::RangeBegin {
                range: Range::Gc, ..
            } => {
                self.open.get_or_insert(event.time);
            }
            Kind::RangeActive {
                range: Range::Gc, ..
            } => {
                let begin = self.earliest(event.time, trace_begin);
                self.open.get_or_insert(begin);
            }
            Kind::RangeEnd {
                range: Range::Gc, ..
            } => {
                let begin = self.earliest(event.time, trace_begin);
                let begin = self.open.take().unwrap_or(begin);
                self.add(begin, event.time);
            }
            _ => {}
        }
    }

    /// The trace ends.
    pub fn end(&mut self, time: Timestamp) {
        if let Some(begin) = self.open.take() {
            self.add(begin, time);
        }
    }

    /// How long there was marking from one time to another, in nanoseconds.
    #[must_use]
    pub fn between(&self, begin: Timestamp, end: Timestamp) -> i64 {
        let begun = self.begun(begin);
        // Most of what is asked for is short.
        let more = self.stretches[begun..].iter().take(STRETCHES_NEAR);
        let more = more.take_while(|it| it.begin < end).count();
        let begun_at_end = match more {
            STRETCHES_NEAR => self.begun(end),
            more => begun + more,
        };
        let until_end = self.until(begun_at_end, end);
        until_end.saturating_sub(self.until(begun, begin)).max(0)
    }

    /// When marking began whose begin is not told: with the trace, if it is the first.
    fn earliest(&self, time: Timestamp, trace_begin: Timestamp) -> Timestamp {
        if self.stretches.is_empty() {
            trace_begin
        } else {
            time
        }
    }

    fn add(&mut self, begin: Timestamp, end: Timestamp) {
        let last = self.stretches.last();
        let before_ns = last.map_or(0, |last| last.before_ns.saturating_add(last.ns()));
        self.stretches.push(Stretch {
            begin,
            end,
            before_ns,
        });
    }

    /// How many begin before a time.
    fn begun(&self, time: Timestamp) -> usize {
        self.stretches.partition_point(|it| it.begin < time)
    }

    /// How long there was marking until a time before which so many have begun.
    fn until(&self, begun: usize, time: Timestamp) -> i64 {
        let Some(last) = begun.checked_sub(1).map(|place| self.stretches[place]) else {
            return 0;
        };
        let of_last = last.end.min(time).since_ns(last.begin);
        last.before_ns.saturating_add(of_last)
    }
}

impl Stretch {
    fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stretch_of_time_has_its_share() {
        let mut times = MarkingTimes::default();
        for (begin, end) in [(10, 20), (30, 30), (40, 70)] {
            times.add(Timestamp(begin), Timestamp(end));
        }
        let between = |begin, end| times.between(Timestamp(begin), Timestamp(end));
        assert_eq!((between(0, 100), between(10, 70)), (40, 40));
        assert_eq!(
            (between(0, 10), between(20, 40), between(70, 90)),
            (0, 0, 0)
        );
        assert_eq!(
            (between(15, 50), between(12, 17), between(45, 45)),
            (15, 5, 0)
        );
    }
    #[test]
    fn many_stretches_are_as_few() {
        let mut times = MarkingTimes::default();
        (0..10).for_each(|it| times.add(Timestamp(it * 10), Timestamp(it * 10 + 5)));
        for begin in 0..100 {
            for end in 0..100 {
                let marked = (begin..end).filter(|it| it % 10 < 5).count();
                let between = times.between(Timestamp(begin), Timestamp(end));
                assert_eq!(between, marked as i64, "{begin} {end}");
            }
        }
    }
}
