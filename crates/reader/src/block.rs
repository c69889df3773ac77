//! Events that were put in order, a block at a time.
//!
//! Their places are there before they are: so whoever tells many events need not ask for each whether there is room, and writes it
//! where it stays.

use crate::event::{Event, EventType};

/// The events of a block so far.
#[derive(Debug)]
pub(crate) struct Block<'b> {
    places: &'b mut Vec<Event>,
    /// So many of them are told; those beyond mean nothing.
    len: usize,
}

/// So many events are put in order at once: few enough for the processor's cache, and enough that none is moved while it is still
/// being written.
pub(crate) const BLOCK_EVENTS: usize = 256;

impl<'b> Block<'b> {
    /// Without an event yet.
    pub(crate) fn new(places: &'b mut Vec<Event>) -> Self {
        if places.len() < BLOCK_EVENTS {
            places.resize(BLOCK_EVENTS, Event::blank(EventType::Inferred));
        }
        Self { places, len: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the block is to end here.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= BLOCK_EVENTS
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.places[..self.len]
    }

    /// Appends an event, also to a full block: one record can make more than one.
    #[inline]
    pub(crate) fn push(&mut self, event: Event) -> &mut Event {
        if self.len == self.places.len() {
            self.places.push(event);
        } else {
            self.places[self.len] = event;
        }
        self.len += 1;
        &mut self.places[self.len - 1]
    }

    /// Takes back the last event.
    #[cold]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.len = self.len.checked_sub(1)?;
        Some(self.places[self.len])
    }

    /// Takes back all but the first events.
    #[cold]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Places for further events: whoever fills them says so by [`Self::add`].
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [Event] {
        let room = self.places.get_mut(self.len..BLOCK_EVENTS);
        room.unwrap_or_default()
    }

    /// So many places were filled.
    #[inline]
    pub(crate) fn add(&mut self, count: usize) {
        self.len += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_room_for_more_than_it_promises() {
        let mut places = Vec::new();
        let mut block = Block::new(&mut places);
        assert_eq!(block.room().len(), BLOCK_EVENTS);
        let event = Event::blank(EventType::Inferred);
        for offset in 0..BLOCK_EVENTS as u64 + 3 {
            assert_eq!(block.is_full(), offset >= BLOCK_EVENTS as u64);
            block.push(Event { offset, ..event });
        }
        assert_eq!((block.len(), block.room().len()), (BLOCK_EVENTS + 3, 0));
        let last = block.pop().map(|event| event.offset);
        assert_eq!(last, Some(BLOCK_EVENTS as u64 + 2));
        block.truncate(5);
        assert_eq!(block.room().len(), BLOCK_EVENTS - 5);
        block.add(2);
        let offsets = block.events().iter().map(|event| event.offset);
        assert!(offsets.eq(0..7));
    }
}
