//! Events that have happened, with their times in the trace.

use crate::Timestamp;
use crate::event::{Event, EventType as AnyType};
use crate::reader::BLOCK_EVENTS;

/// The events of a block so far: each is later than all before it.
///
/// Their places are there before they are: so whoever tells many events need not ask for each whether there is room.
#[derive(Debug)]
pub(super) struct Told<'b> {
    places: &'b mut Vec<Event>,
    /// So many of them are told.
    len: usize,
    /// The time of the last event, …
    last: Timestamp,
    /// … and of the last one before the block.
    before: Timestamp,
}

impl<'b> Told<'b> {
    /// None yet; the last event of the trace so far was at `last`.
    pub(super) fn new(places: &'b mut Vec<Event>, last: Timestamp) -> Self {
        let blank = Event::blank(AnyType::Inferred);
        if places.len() < BLOCK_EVENTS {
            places.resize(BLOCK_EVENTS, blank);
        }
        Self {
            places,
            len: 0,
            last,
            before: last,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the block is to end here.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len >= BLOCK_EVENTS
    }

    /// The time of the last event.
    pub(super) fn last(&self) -> Timestamp {
        self.last
    }

    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        self.last = after(self.last, event.time);
        let event = Event {
            time: self.last,
            ..event
        };
        match self.places.get_mut(self.len) {
            Some(place) => *place = event,
            None => self.places.push(event),
        }
        self.len += 1;
    }

    /// Places for further events, and the time of the last one: whoever fills them says so by [`Self::add`].
    #[inline]
    pub(super) fn places(&mut self) -> (&mut [Event], Timestamp) {
        let room = self.places.get_mut(self.len..BLOCK_EVENTS);
        (room.unwrap_or_default(), self.last)
    }

    /// So many places were filled, the last at this time.
    #[inline]
    pub(super) fn add(&mut self, count: usize, last: Timestamp) {
        self.len += count;
        self.last = last;
    }

    /// Takes back all but the first events.
    #[cold]
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        let last = self.len.checked_sub(1).map(|last| self.places[last].time);
        self.last = last.unwrap_or(self.before);
    }

    /// Takes back what was told of the last record.
    #[cold]
    pub(super) fn take_back(&mut self) {
        let told = &self.places[..self.len];
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

    fn event(time: i64, offset: u64) -> Event {
        Event {
            time: Timestamp(time),
            offset,
            ..Event::blank(AnyType::Inferred)
        }
    }

    #[track_caller]
    fn check(told: &Told<'_>, expect: &[i64]) {
        let times = told.places[..told.len].iter().map(|event| event.time.0);
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

    #[test]
    fn a_block_has_room_for_more_than_it_promises() {
        let mut places = Vec::new();
        let mut told = Told::new(&mut places, Timestamp(7));
        assert_eq!(told.places().0.len(), BLOCK_EVENTS);
        for time in 0..BLOCK_EVENTS as i64 + 3 {
            told.push(event(10 + time, 0));
        }
        assert!(told.is_full());
        assert_eq!((told.len(), told.places().0.len()), (BLOCK_EVENTS + 3, 0));
        assert_eq!(told.last(), Timestamp(12 + BLOCK_EVENTS as i64));
    }
}
