//! Events of one thread, decoded and not happened yet.
//!
//! One by one, between those of other threads, decoding takes twice as long. Events whose numbers are small, which most are, take
//! 24 bytes; so many can wait.

use std::ops::Deref;

use exectrace_format::go_v2::{RawEvent, ShortEvent};

use crate::Error;

/// An event that is decoded, and has not happened yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upcoming {
    pub(super) event: RawEvent,
    pub(super) time_ns: i64,
}

impl Deref for Upcoming {
    type Target = RawEvent;

    #[inline(always)]
    fn deref(&self) -> &RawEvent {
        &self.event
    }
}

/// Between two events: the time of the one before, and where the one after begins in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub(super) time_ns: i64,
    pub(super) offset: u64,
}

/// Events in a row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Room for short events, of which the first `len` are there. Their times are in nanoseconds.
    pub(super) events: Vec<ShortEvent>,
    pub(super) len: usize,
    /// The events that are not short. In `events` each has its place, with [`ShortEvent::EMPTY`]'s type and its index here.
    pub(super) long: Vec<Long>,
    /// Before the first event.
    pub(super) begin: Point,
    /// What comes behind the last one, if it is a fault.
    pub(super) fault: Option<Box<Fault>>,
}

/// An event that is not short, and where the one after it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Long {
    pub(super) event: Upcoming,
    pub(super) end: u64,
}

/// Bytes that are no event.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) error: Error,
    /// How many bytes of the batch are left.
    pub(super) rest_bytes: u64,
    /// The time of the last event before.
    pub(super) time_ns: i64,
}

impl Row {
    /// Empties it, and makes room for so many events.
    pub(super) fn clear(&mut self, length: usize) {
        if self.events.len() < length {
            self.events.resize(length, ShortEvent::EMPTY);
        }
        self.len = 0;
        self.long.clear();
        self.fault = None;
    }

    /// Takes in an event that is not short. There must be room.
    #[inline(never)]
    pub(super) fn push_long(&mut self, long: Long) {
        self.events[self.len] = ShortEvent {
            args: [self.long.len() as u32, 0, 0, 0],
            ..ShortEvent::EMPTY
        };
        self.len += 1;
        self.long.push(long);
    }

    /// The event at an index, which is behind a point.
    #[inline]
    pub(super) fn at(&self, index: usize, before: Point) -> Upcoming {
        let short = &self.events[index];
        if short.event_type == ShortEvent::EMPTY.event_type {
            return self.long[short.args[0] as usize].event;
        }
        Upcoming {
            event: RawEvent {
                offset: before.offset,
                delta: 0,
                args: short.args.map(u64::from),
                event_type: short.event_type,
            },
            time_ns: before.time_ns.wrapping_add(i64::from(short.delta)),
        }
    }

    /// The time of that event.
    #[inline(always)]
    pub(super) fn time_ns(&self, index: usize, before: Point) -> i64 {
        let short = &self.events[index];
        if short.event_type == ShortEvent::EMPTY.event_type {
            return self.long[short.args[0] as usize].event.time_ns;
        }
        before.time_ns.wrapping_add(i64::from(short.delta))
    }

    /// The point behind that event.
    #[inline]
    pub(super) fn behind(&self, index: usize, before: Point) -> Point {
        let short = &self.events[index];
        if short.event_type == ShortEvent::EMPTY.event_type {
            let Long { event, end } = self.long[short.args[0] as usize];
            return Point {
                time_ns: event.time_ns,
                offset: end,
            };
        }
        Point {
            time_ns: before.time_ns.wrapping_add(i64::from(short.delta)),
            offset: before.offset + u64::from(short.length_bytes),
        }
    }
}
