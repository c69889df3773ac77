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

/// Looks up how long a collector marked in stretches of time.
#[derive(Clone, Debug)]
pub struct MarkingLookup<'a> {
    stretches: &'a [Stretch],
    /// So many begin before the last time at which one began that was looked up.
    near: usize,
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

    /// Looks up one stretch of time after the other, soonest where each begins near the one before.
    #[must_use]
    pub fn lookup(&self) -> MarkingLookup<'_> {
        MarkingLookup {
            stretches: &self.stretches,
            near: 0,
        }
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
}

impl MarkingLookup<'_> {
    /// How long there was marking from one time to another, in nanoseconds.
    pub fn between(&mut self, begin: Timestamp, end: Timestamp) -> i64 {
        self.near = self.begun(self.near, begin);
        let until_begin = self.until(self.near, begin);
        // Most of what is asked for is short.
        let until_end = self.until(self.begun(self.near, end), end);
        until_end.saturating_sub(until_begin).max(0)
    }

    /// How many begin before a time: looked for from so many on, if it is not far.
    fn begun(&self, near: usize, time: Timestamp) -> usize {
        let (before, behind) = self.stretches.split_at(near);
        let is_behind = before.last().is_none_or(|last| last.begin < time);
        let more = behind.iter().take(STRETCHES_NEAR);
        let more = more.take_while(|it| it.begin < time).count();
        if is_behind && more < STRETCHES_NEAR {
            near + more
        } else {
            self.stretches.partition_point(|it| it.begin < time)
        }
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
        let between = |begin, end| times.lookup().between(Timestamp(begin), Timestamp(end));
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
        let mut lookup = times.lookup();
        for begin in (0..100).chain((0..100).rev()).chain([70, 3, 99]) {
            for end in 0..100 {
                let marked = (begin..end).filter(|it| it % 10 < 5).count();
                let between = lookup.between(Timestamp(begin), Timestamp(end));
                assert_eq!(between, marked as i64, "{begin} {end}");
            }
        }
    }
}
