//! Where a run of plain events takes them from: a row, or the bytes of a batch.
//!
//! Most events come many in a row from one thread. These are decoded just before they happen, by the step that knows what their
//! types have, and need not be written down between.

use exectrace_format::go_v2::{EventType, Events, NearEvent, ShortEvent};

use crate::v2::clock::WholeUnit;
use crate::v2::row::Point;

/// Events of a thread, one after another, as far as they are short.
pub(in crate::v2) trait Source: Clone {
    type Event: Plain;

    /// Where the next event begins in the file.
    fn offset(&self) -> u64;

    /// The next event and its time.
    fn next(&self) -> Option<(Self::Event, i64)>;

    /// It has happened.
    fn pass(&mut self, event: Self::Event, time_ns: i64);
}

/// A short event.
pub(in crate::v2) trait Plain {
    /// Whether it is known that the rest of it can be decoded.
    fn is_whole(&self) -> bool;

    fn event_type(&self) -> Option<EventType>;

    /// Its arguments, which are so many as its type has.
    fn args<const N: usize>(&mut self, event_type: EventType) -> Option<[u64; N]>;
}

/// Events that are decoded.
#[derive(Clone, Debug)]
pub(in crate::v2) struct InRow<'r> {
    pub(in crate::v2) events: &'r [ShortEvent],
    /// Before the first of them.
    pub(in crate::v2) point: Point,
}

impl<'r> Source for InRow<'r> {
    type Event = &'r ShortEvent;

    #[inline(always)]
    fn offset(&self) -> u64 {
        self.point.offset
    }

    #[inline(always)]
    fn next(&self) -> Option<(Self::Event, i64)> {
        let event = self.events.first()?;
        let time_ns = self.point.time_ns.wrapping_add(i64::from(event.delta));
        Some((event, time_ns))
    }

    #[inline(always)]
    fn pass(&mut self, event: Self::Event, time_ns: i64) {
        self.events = &self.events[1..];
        self.point = Point {
            time_ns,
            offset: self.point.offset + u64::from(event.length_bytes),
        };
    }
}

impl Plain for &ShortEvent {
    #[inline(always)]
    fn is_whole(&self) -> bool {
        true
    }

    #[inline(always)]
    fn event_type(&self) -> Option<EventType> {
        Some(self.event_type)
    }

    #[inline(always)]
    fn args<const N: usize>(&mut self, _: EventType) -> Option<[u64; N]> {
        let args = self.args.first_chunk::<N>()?;
        Some(args.map(u64::from))
    }
}

/// Events that are not decoded yet.
#[derive(Clone, Debug)]
pub(in crate::v2) struct InBatch<'a> {
    pub(in crate::v2) events: Events<'a>,
    /// The time of the event before.
    pub(in crate::v2) time_ns: i64,
    /// Nanoseconds in a unit of time.
    pub(in crate::v2) unit_ns: WholeUnit,
}

impl<'a> Source for InBatch<'a> {
    type Event = NearEvent<'a>;

    #[inline(always)]
    fn offset(&self) -> u64 {
        self.events.offset()
    }

    #[inline(always)]
    fn next(&self) -> Option<(Self::Event, i64)> {
        let mut event = self.events.near()?;
        let delta_ns = self.unit_ns.ns(event.number()?);
        Some((event, self.time_ns.wrapping_add(delta_ns)))
    }

    #[inline(always)]
    fn pass(&mut self, event: Self::Event, time_ns: i64) {
        self.events.go_on(event);
        self.time_ns = time_ns;
    }
}

impl Plain for NearEvent<'_> {
    #[inline(always)]
    fn is_whole(&self) -> bool {
        NearEvent::is_whole(self)
    }

    #[inline(always)]
    fn event_type(&self) -> Option<EventType> {
        NearEvent::event_type(self)
    }

    #[inline(always)]
    fn args<const N: usize>(&mut self, event_type: EventType) -> Option<[u64; N]> {
        let args = NearEvent::args::<N>(self, event_type)?;
        Some(args.map(u64::from))
    }
}
