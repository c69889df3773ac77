//! Where a thread's events stand.

use std::ops::Deref;

use exectrace_format::ThreadId;
use exectrace_format::go_v2::{Batch, EventType, Events, RawEvent};

use super::clock::Clock;
use super::generation::Group;
use super::task_rules;
use crate::{Cause, Error};

/// An event that is decoded, and has not happened yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upcoming {
    event: RawEvent,
    pub(super) time_ns: i64,
}

impl Deref for Upcoming {
    type Target = RawEvent;

    #[inline(always)]
    fn deref(&self) -> &RawEvent {
        &self.event
    }
}

/// So many events of a thread are decoded at once when it has many: one by one, between those of others, it takes twice as long.
const ROW_MAX: usize = 32;

impl Upcoming {
    const EMPTY: Self = Self {
        event: RawEvent::EMPTY,
        time_ns: 0,
    };
}

/// One thread's events of a generation.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) thread: ThreadId,
    /// The thread's place in the order; `None` for events that were written without a thread.
    pub(super) place: Option<usize>,
    /// Events that are decoded: those from `at` to `end` are to come.
    row: Vec<Upcoming>,
    at: usize,
    end: usize,
    /// What comes after them, if it is a fault.
    fault: Option<Box<Error>>,
    /// Where the bytes begin that are none.
    fault_offset: u64,
    batches: std::vec::IntoIter<Batch<'a>>,
    events: Events<'a>,
    /// The time of the last event that is decoded.
    time_ns: i64,
    clock: Clock,
}

impl<'a> Cursor<'a> {
    /// Before the first event of a thread.
    pub(super) fn new(group: Group<'a>, place: Option<usize>, clock: Clock) -> Self {
        Self {
            thread: group.thread,
            place,
            row: Vec::new(),
            at: 0,
            end: 0,
            fault: None,
            fault_offset: 0,
            batches: group.batches.into_iter(),
            events: Events::new(&[], 0),
            time_ns: 0,
            clock,
        }
    }

    /// The event to come.
    #[inline(always)]
    pub(super) fn next(&self) -> &Upcoming {
        &self.row[self.at]
    }

    /// That and those after it that are decoded.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> &[Upcoming] {
        &self.row[self.at..self.end]
    }

    /// Moves on by so many of those events. False at the end.
    #[inline(always)]
    pub(super) fn advance(&mut self, count: usize) -> Result<bool, Box<Error>> {
        self.at += count;
        if self.at < self.end {
            return Ok(true);
        }
        self.refill()
    }

    /// The event to come contradicts the trace.
    #[cold]
    pub(super) fn error(&self, cause: Cause) -> Error {
        let next = self.next();
        Error {
            cause,
            offset: next.offset,
            generation: None,
            thread: Some(self.thread),
            task: task_rules::subject(next.event_type, &next.args),
        }
    }

    /// After a fault: how many bytes of its batch are left, and the time of the last event before it.
    pub(super) fn rest(&self) -> (u64, i64) {
        (self.events.offset() - self.fault_offset, self.time_ns)
    }

    /// Decodes the next events. False if there are none.
    #[inline(never)]
    fn refill(&mut self) -> Result<bool, Box<Error>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let length = (2 * self.row.len()).clamp(1, ROW_MAX);
        self.row.resize(length, Upcoming::EMPTY);
        (self.at, self.end) = (0, 0);
        loop {
            if let Err(error) = self.decode() {
                self.not_an_event(error);
            }
            if self.end == length || self.fault.is_some() {
                break;
            }
            let Some(batch) = self.batches.next() else {
                break;
            };
            self.events = batch.events();
            self.time_ns = self.clock.ns(batch.time);
        }
        match self.fault.take() {
            Some(fault) if self.end == 0 => Err(fault),
            fault => {
                self.fault = fault;
                Ok(self.end > 0)
            }
        }
    }

    /// Decodes events of the open batch, as many as the row has room for.
    #[inline]
    fn decode(&mut self) -> Result<(), exectrace_format::Error> {
        // Copies, which need not be in memory.
        let (mut events, mut time_ns, clock) = (self.events.clone(), self.time_ns, self.clock);
        let mut result = Ok(());
        let mut end = self.end;
        for next in &mut self.row[end..] {
            match events.advance(&mut next.event) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.fault_offset = next.event.offset;
                    result = Err(error);
                    break;
                }
            }
            time_ns = time_ns.wrapping_add(clock.ns(next.event.delta));
            next.time_ns = time_ns;
            end += 1;
        }
        (self.events, self.time_ns, self.end) = (events, time_ns, end);
        result
    }

    /// A clock snapshot has an event's form, and Go's reader sees only in its turn that it is none.
    #[cold]
    fn not_an_event(&mut self, error: exectrace_format::Error) {
        use exectrace_format::Error as E;
        match error {
            E::NotAnEvent { offset, number } if number == EventType::ClockSnapshot as u8 => {
                // Nothing in its batch comes after it.
                let end = self.events.offset();
                self.row[self.end] = Upcoming {
                    time_ns: self.time_ns,
                    event: RawEvent {
                        offset,
                        event_type: EventType::ClockSnapshot,
                        args: [end, 0, 0, 0],
                        ..RawEvent::EMPTY
                    },
                };
                self.end += 1;
            }
            _ => {
                self.fault = Some(Box::new(Error {
                    thread: Some(self.thread),
                    ..Error::of_format(error)
                }));
            }
        }
    }
}
