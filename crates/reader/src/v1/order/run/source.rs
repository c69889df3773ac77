//! Where a run takes its events from: a row, or the bytes of a batch.
//!
//! Most events come many in a row from one worker. These are decoded just before they happen, by the step that knows what their
//! types have, and need not be written down between.

use exectrace_format::go_v1::{EventType, NearEvent, PlainEvents};

use crate::v1::cursor::Decoded;

/// Events of a worker, one after another.
pub(super) trait Source {
    type Event: Usual;

    /// The next event and its time.
    fn next(&self) -> Option<(Self::Event, i64)>;

    /// Where the next event, which is this one, begins in the file.
    fn offset(&self, event: &Self::Event) -> u64;

    /// It has happened.
    fn pass(&mut self, event: Self::Event, ticks: i64);
}

/// An event that may be a usual one.
pub(super) trait Usual {
    fn event_type(&self) -> Option<EventType>;

    /// Its arguments, if it has so many.
    fn args<const N: usize>(&mut self) -> Option<[u64; N]>;
}

/// Events that are decoded.
pub(super) struct InRow<'r>(pub(super) &'r [Decoded]);

impl<'r> Source for InRow<'r> {
    type Event = &'r Decoded;

    #[inline(always)]
    fn next(&self) -> Option<(Self::Event, i64)> {
        let event = self.0.first()?;
        Some((event, event.ticks))
    }

    #[inline(always)]
    fn offset(&self, event: &Self::Event) -> u64 {
        event.offset
    }

    #[inline(always)]
    fn pass(&mut self, _: Self::Event, _: i64) {
        self.0 = &self.0[1..];
    }
}

impl Usual for &Decoded {
    #[inline(always)]
    fn event_type(&self) -> Option<EventType> {
        Some(self.event_type)
    }

    #[inline(always)]
    fn args<const N: usize>(&mut self) -> Option<[u64; N]> {
        self.args.first_chunk().copied()
    }
}

/// Events that are not decoded yet.
#[derive(Clone, Copy, Debug)]
pub(in crate::v1) struct InBatch<'a> {
    pub(in crate::v1) events: PlainEvents<'a>,
    /// The time of the record before.
    pub(in crate::v1) ticks: i64,
}

impl<'a> Source for InBatch<'a> {
    type Event = NearEvent<'a>;

    #[inline(always)]
    fn next(&self) -> Option<(Self::Event, i64)> {
        let mut event = self.events.near()?;
        let delta = event.number()?;
        Some((event, self.ticks.wrapping_add(i64::from(delta))))
    }

    #[inline(always)]
    fn offset(&self, _: &Self::Event) -> u64 {
        self.events.offset()
    }

    #[inline(always)]
    fn pass(&mut self, event: Self::Event, ticks: i64) {
        self.events.go_on(event);
        self.ticks = ticks;
    }
}

impl Usual for NearEvent<'_> {
    #[inline(always)]
    fn event_type(&self) -> Option<EventType> {
        NearEvent::event_type(self)
    }

    #[inline(always)]
    fn args<const N: usize>(&mut self) -> Option<[u64; N]> {
        let args = NearEvent::args::<N>(self)?;
        Some(args.map(u64::from))
    }
}
