//! Where a thread's events stand.

use std::ops::Deref;

use exectrace_format::ThreadId;
use exectrace_format::go_v2::{Batch, EventType, Events, Record};

use super::clock::Clock;
use super::generation::Group;
use crate::Error;

/// The next event of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upcoming<'a> {
    record: Record<'a>,
    pub(super) time_ns: i64,
}

impl<'a> Deref for Upcoming<'a> {
    type Target = Record<'a>;

    #[inline(always)]
    fn deref(&self) -> &Record<'a> {
        &self.record
    }
}

/// One thread's events of a generation.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) thread: ThreadId,
    /// The thread's place in the order; `None` for events that were written without a thread.
    pub(super) place: Option<usize>,
    /// The event to come.
    pub(super) next: Upcoming<'a>,
    batches: std::vec::IntoIter<Batch<'a>>,
    events: Events<'a>,
}

impl<'a> Cursor<'a> {
    /// At the first event of a thread; `None` if it has none.
    pub(super) fn open(
        group: Group<'a>,
        place: Option<usize>,
        clock: Clock,
    ) -> Result<Option<Self>, Box<Error>> {
        let mut cursor = Self {
            thread: group.thread,
            place,
            next: Upcoming {
                record: Record::EMPTY,
                time_ns: 0,
            },
            batches: group.batches.into_iter(),
            events: Events::new(&[], 0),
        };
        Ok(cursor.advance(clock)?.then_some(cursor))
    }

    /// Moves to the next event. False at the end.
    #[inline]
    pub(super) fn advance(&mut self, clock: Clock) -> Result<bool, Box<Error>> {
        loop {
            match self.events.advance(&mut self.next.record) {
                Ok(true) => {
                    let passed_ns = clock.ns(self.next.record.delta);
                    self.next.time_ns = self.next.time_ns.wrapping_add(passed_ns);
                    return Ok(true);
                }
                Err(error) => return self.not_an_event(error),
                Ok(false) => {
                    let Some(batch) = self.batches.next() else {
                        return Ok(false);
                    };
                    self.events = batch.events();
                    self.next.time_ns = clock.ns(batch.time);
                }
            }
        }
    }

    /// A clock snapshot has an event's form, and Go's reader sees only in its turn that it is none.
    #[cold]
    fn not_an_event(&mut self, error: exectrace_format::Error) -> Result<bool, Box<Error>> {
        use exectrace_format::Error as E;
        match error {
            E::NotAnEvent { offset, number } if number == EventType::ClockSnapshot as u8 => {
                self.next.record.event_type = EventType::ClockSnapshot;
                self.next.record.offset = offset;
                Ok(true)
            }
            _ => Err(Box::new(self.error(error))),
        }
    }

    #[cold]
    fn error(&self, error: exectrace_format::Error) -> Error {
        Error {
            thread: Some(self.thread),
            ..Error::of_format(error)
        }
    }
}
