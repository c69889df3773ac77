//! Events that have happened, with their times in the trace.

use crate::Timestamp;
use crate::block::Block;
use crate::event::Event;

/// The events of a block so far: each is later than all before it.
#[derive(Debug)]
pub(super) struct Told<'b> {
    block: Block<'b>,
    /// The time of the last event, …
    last: Timestamp,
    /// … and of the last one before the block.
    before: Timestamp,
}

impl<'b> Told<'b> {
    /// None yet; the last event of the trace so far was at `last`.
    pub(super) fn new(places: &'b mut Vec<Event>, last: Timestamp) -> Self {
        Self {
            block: Block::new(places),
            last,
            before: last,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether the block is to end here.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.block.is_full()
    }

    /// The time of the last event.
    pub(super) fn last(&self) -> Timestamp {
        self.last
    }

    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        self.last = after(self.last, event.time);
        self.block.push(Event {
            time: self.last,
            ..event
        });
    }

    /// Places for further events, and the time of the last one: whoever fills them says so by [`Self::add`].
    #[inline]
    pub(super) fn places(&mut self) -> (&mut [Event], Timestamp) {
        (self.block.room(), self.last)
    }

    /// So many places were filled, the last at this time.
    #[inline]
    pub(super) fn add(&mut self, count: usize, last: Timestamp) {
        self.block.add(count);
        self.last = last;
    }

    /// Takes back all but the first events.
    #[cold]
    pub(super) fn truncate(&mut self, len: usize) {
        self.block.truncate(len);
        let last = self.block.events().last().map(|event| event.time);
        self.last = last.unwrap_or(self.before);
    }

    /// Takes back what was told of the last record.
    #[cold]
    pub(super) fn take_back(&mut self) {
        let told = self.block.events();
        if let Some(last) = told.last() {
            let before = told.iter().rposition(|event| event.offset != last.offset);
            self.truncate(before.map_or(0, |before| before + 1));
        }
    }
}

/// The time of an event in the trace, the last one before it being at `last`.
#[inline(always)]
pub(super) fn after(last: Timestamp, time: Timestamp) -> Timestamp {
    if time > last {
        time
    } else {
        Timestamp(last.0.wrapping_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventType;

    fn event(time: i64, offset: u64) -> Event {
        Event {
            time: Timestamp(time),
            offset,
            ..Event::blank(EventType::Inferred)
        }
    }

    #[track_caller]
    fn check(told: &Told<'_>, expect: &[i64]) {
        let times = told.block.events().iter().map(|event| event.time.0);
        assert!(times.eq(expect.iter().copied()), "{told:?}");
        let last = expect.last().copied().unwrap_or(7);
        assert_eq!(told.last(), Timestamp(last));
    }

    #[test]
    fn times_rise_also_after_events_were_taken_back() {
        let mut places = Vec::new();
        let mut told = Told::new(&mut places, Timestamp(7));
        for (time, offset) in [(5, 1), (20, 2), (20, 3), (3, 3)] {
            told.push(event(time, offset));
        }
        check(&told, &[8, 20, 21, 22]);
        told.take_back();
        check(&told, &[8, 20]);
        told.push(event(20, 4));
        check(&told, &[8, 20, 21]);
        told.truncate(0);
        check(&told, &[]);
    }
}
