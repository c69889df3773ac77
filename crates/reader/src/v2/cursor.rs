//! Where a thread's events stand.

use exectrace_format::ThreadId;
use exectrace_format::go_v2::{Batch, EventType, Events, Record};

use super::clock::Clock;
use super::generation::Group;
use crate::{Cause, Error};

/// The next event of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upcoming<'a> {
    pub(super) event_type: EventType,
    pub(super) args: [u64; exectrace_format::limits::V2_ARGS_MAX],
    pub(super) time_ns: i64,
    pub(super) offset: u64,
    _file: std::marker::PhantomData<&'a [u8]>,
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
    ) -> Result<Option<Self>, Error> {
        let mut cursor = Self {
            thread: group.thread,
            place,
            next: Upcoming {
                event_type: EventType::EventBatch,
                args: [0; exectrace_format::limits::V2_ARGS_MAX],
                time_ns: 0,
                offset: 0,
                _file: std::marker::PhantomData,
            },
            batches: group.batches.into_iter(),
            events: Events::new(&[], 0),
        };
        Ok(cursor.advance(clock)?.then_some(cursor))
    }

    /// Moves to the next event. False at the end.
    #[inline]
    pub(super) fn advance(&mut self, clock: Clock) -> Result<bool, Error> {
        loop {
            match self.events.next() {
                Some(Ok(record)) => {
                    self.set(&record, clock);
                    return Ok(true);
                }
                Some(Err(error)) => return self.not_an_event(error),
                None => {
                    let Some(batch) = self.batches.next() else {
                        return Ok(false);
                    };
                    self.events = batch.events();
                    self.next.time_ns = clock.ns(batch.time);
                }
            }
        }
    }

    #[inline]
    fn set(&mut self, record: &Record<'a>, clock: Clock) {
        self.next.event_type = record.event_type;
        self.next.args = record.args;
        self.next.offset = record.offset;
        self.next.time_ns = self.next.time_ns.wrapping_add(clock.ns(record.delta));
    }

    /// A clock snapshot has an event's form, and Go's reader sees only in its turn that it is none.
    #[cold]
    fn not_an_event(&mut self, error: exectrace_format::Error) -> Result<bool, Error> {
        use exectrace_format::Error as E;
        match error {
            E::NotAnEvent { offset, number } if number == EventType::ClockSnapshot as u8 => {
                self.next.event_type = EventType::ClockSnapshot;
                self.next.offset = offset;
                Ok(true)
            }
            _ => Err(self.error(error)),
        }
    }

    #[cold]
    fn error(&self, error: exectrace_format::Error) -> Error {
        Error {
            cause: Cause::Format(error),
            offset: self.events.offset(),
            generation: None,
            thread: Some(self.thread),
            task: None,
        }
    }
}
