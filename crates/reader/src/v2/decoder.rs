//! Decodes a thread's batches into rows.

use exectrace_format::ThreadId;
use exectrace_format::go_v2::{Batch, EventType, Events, RawEvent};

use super::clock::Clock;
use super::generation::Group;
use super::plain::InBatch;
use super::row::{Fault, Long, Point, Row, Upcoming};
use crate::Error;

/// The events of a thread that are not decoded yet.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    thread: ThreadId,
    batches: std::vec::IntoIter<Batch<'a>>,
    events: Events<'a>,
    /// The time of the last event that is decoded.
    time_ns: i64,
    clock: Clock,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(group: Group<'a>, clock: Clock) -> Self {
        Self {
            thread: group.thread,
            batches: group.batches.into_iter(),
            events: Events::new(&[], 0),
            time_ns: 0,
            clock,
        }
    }

    /// The events of the open batch that are not decoded yet, unless their times are too hard to tell on the way.
    #[inline(always)]
    pub(super) fn in_batch(&self) -> Option<InBatch<'a>> {
        Some(InBatch {
            events: self.events.clone(),
            time_ns: self.time_ns,
            unit_ns: self.clock.whole_unit()?,
        })
    }

    /// Goes on before those of them that are left.
    #[inline(always)]
    pub(super) fn go_on(&mut self, left: InBatch<'a>) {
        (self.events, self.time_ns) = (left.events, left.time_ns);
    }

    /// Decodes the next events, so many at most, or up to a fault.
    pub(super) fn fill(&mut self, row: &mut Row, length: usize) {
        row.clear(length);
        loop {
            if row.len == 0 {
                row.begin = Point {
                    time_ns: self.time_ns,
                    offset: self.events.offset(),
                };
            }
            if row.fault.is_none() {
                self.decode(row, length);
            }
            if row.len == length || row.fault.is_some() {
                return;
            }
            let Some(batch) = self.batches.next() else {
                return;
            };
            self.events = batch.events();
            self.time_ns = self.clock.ns(batch.time);
            // Those of the last batch may be in the row: so this one's time and place are told.
            if row.len > 0 {
                self.decode_long(row);
            }
        }
    }

    /// Decodes events of the open batch, as long as there is room.
    #[inline]
    fn decode(&mut self, row: &mut Row, length: usize) {
        loop {
            // Copies, which need not be in memory.
            let (mut events, mut time_ns, clock) = (self.events.clone(), self.time_ns, self.clock);
            let mut count = 0;
            for event in &mut row.events[row.len..length] {
                let before = events.clone();
                if !events.advance_short(event) {
                    break;
                }
                let Ok(delta) = u32::try_from(clock.ns(u64::from(event.delta))) else {
                    events = before;
                    break;
                };
                event.delta = delta;
                time_ns = time_ns.wrapping_add(i64::from(delta));
                count += 1;
            }
            row.len += count;
            (self.events, self.time_ns) = (events, time_ns);
            if row.len == length || !self.decode_long(row) {
                return;
            }
        }
    }

    /// Decodes an event of any length. False if there is none in the batch.
    #[inline(never)]
    fn decode_long(&mut self, row: &mut Row) -> bool {
        let mut event = RawEvent::EMPTY;
        match self.events.advance(&mut event) {
            Ok(true) => {
                self.time_ns = self.time_ns.wrapping_add(self.clock.ns(event.delta));
                self.push(row, event);
                true
            }
            Ok(false) => false,
            Err(error) => {
                self.not_an_event(row, error, event.offset);
                false
            }
        }
    }

    fn push(&self, row: &mut Row, event: RawEvent) {
        row.push_long(Long {
            event: Upcoming {
                event,
                time_ns: self.time_ns,
            },
            end: self.events.offset(),
        });
    }

    /// A clock snapshot has an event's form, and Go's reader sees only in its turn that it is none.
    #[cold]
    fn not_an_event(&mut self, row: &mut Row, error: exectrace_format::Error, begin: u64) {
        use exectrace_format::Error as E;
        match error {
            E::NotAnEvent { offset, number } if number == EventType::ClockSnapshot as u8 => {
                // Nothing in its batch comes after it.
                let end = self.events.offset();
                let event = RawEvent {
                    offset,
                    event_type: EventType::ClockSnapshot,
                    args: [end, 0, 0, 0],
                    ..RawEvent::EMPTY
                };
                self.push(row, event);
            }
            _ => {
                row.fault = Some(Box::new(Fault {
                    error: Error {
                        thread: Some(self.thread),
                        ..Error::of_format(error)
                    },
                    rest_bytes: self.events.offset() - begin,
                    time_ns: self.time_ns,
                }));
            }
        }
    }
}
