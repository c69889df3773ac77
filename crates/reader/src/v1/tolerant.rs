//! The events of a faulty file: all that can be told, and what was done about the rest.

use exectrace_format::go_v1::Records;
use exectrace_format::{StackId, StringId, Version};

use super::account::Account;
use super::checks::Inference;
use super::cursor::RawEvent;
use super::index::Index;
use super::meaning::Names;
use super::stream::{Stream, Upcoming};
use super::{Reader, Source, Teller, fault, whole};
use crate::damage::{Damage, Events};
use crate::event::{Event, EventType};
use crate::reader::BLOCK_EVENTS;
use crate::{Cause, Repair, Timestamp};

/// Opens the events of a file, in any state.
pub(super) fn open<'a>(
    index: &mut Index<'a>,
    file: &'a [u8],
    account: &mut Account<'_>,
) -> Source<'a> {
    let events = if index.version == Version::Go1_5 {
        let events = whole::by_sequence(index, file);
        whole::count_skews(&events, account);
        events
    } else {
        let has_futile_wakeups = index.has_futile_wakeups;
        let stream = Stream::open_tolerant(index, file);
        if !has_futile_wakeups {
            return Source::Stream(Box::new(stream));
        }
        stream.all_any(account)
    };
    Source::Whole(whole::without_futile_wakeups(events).into_iter())
}

impl Reader<'_> {
    /// Appends the next events, in order. False when there are no more. Never inlined: the compiler would weave it into the
    /// strict reader's loop.
    #[inline(never)]
    pub(super) fn fill_tolerant(&mut self, told: &mut Vec<Event>) -> bool {
        let Some(damage) = &mut self.damage else {
            return false;
        };
        let mut teller = Teller {
            names: Names {
                file: self.file,
                index: &mut self.index,
                tables: &mut self.tables,
            },
            checks: &mut self.checks,
            meanings: &mut self.meanings,
            threads: &mut self.threads,
            begin_ticks: &mut self.begin_ticks,
            ns_per_tick: self.ns_per_tick,
        };
        let mut mending = Mending {
            damage,
            last_ticks: &mut self.last_ticks,
        };
        while told.len() < BLOCK_EVENTS {
            match &mut self.source {
                Source::Whole(events) => match events.next() {
                    Some(event) => mending.tell(&mut teller, &event, told),
                    None => return false,
                },
                Source::Stream(stream) => {
                    let mut account = Account {
                        damage: &mut *mending.damage,
                        ns_per_tick: teller.ns_per_tick,
                        threads: &mut *teller.threads,
                    };
                    match stream.upcoming_any(&mut account) {
                        Some(Upcoming::Worker(index)) => {
                            mending.tell(&mut teller, stream.event(index), told);
                            stream.take_any(index);
                        }
                        Some(Upcoming::Beside(event)) => mending.tell(&mut teller, &event, told),
                        None => return false,
                    }
                }
            }
        }
        true
    }
}

/// What a tolerant reader needs beside a teller.
struct Mending<'r> {
    damage: &'r mut Damage,
    /// Ticks of the last event.
    last_ticks: &'r mut i64,
}

impl Mending<'_> {
    /// Appends what an event means, and before it what must have happened.
    #[inline]
    fn tell<'a>(&mut self, teller: &mut Teller<'_, 'a>, raw: &RawEvent<'a>, told: &mut Vec<Event>) {
        if teller.begin_ticks.is_none() {
            self.begin(teller, raw.ticks);
        }
        let mut moved: RawEvent<'a>;
        let mut raw = raw;
        if raw.ticks < *self.last_ticks {
            // Who put the events in order has counted it.
            moved = *raw;
            moved.ticks = *self.last_ticks;
            raw = &moved;
        }
        *self.last_ticks = raw.ticks;
        let name = teller.push(raw, told);
        let checked = teller.checks.event(raw, name);
        if let Err(cause) = checked {
            self.mend(teller, raw, name, cause, told);
        }
        let damage = &mut *self.damage;
        teller.names.index.drain_unknown(|cause| {
            damage.repair(Repair::Name, fault(cause, raw));
        });
    }

    /// Time begins with the first event.
    #[cold]
    fn begin(&mut self, teller: &mut Teller<'_, '_>, begin_ticks: i64) {
        let ns_per_tick = teller.ns_per_tick;
        self.damage.place_in_time(|ticks| {
            let ticks = ticks.0.saturating_sub(begin_ticks);
            Timestamp((ticks as f64 * ns_per_tick) as i64)
        });
    }

    /// The last of the events told contradicts what was there before: tells what must have happened, or leaves the event out.
    #[cold]
    fn mend<'a>(
        &mut self,
        teller: &mut Teller<'_, 'a>,
        raw: &RawEvent<'a>,
        name: StringId,
        cause: Cause,
        told: &mut Vec<Event>,
    ) {
        let error = fault(cause, raw);
        let Some(event) = told.pop() else { return };
        let mut inferred = Vec::new();
        let before = teller.meanings.before();
        let can_be = teller.checks.prepare(raw, name, before, &mut inferred);
        for Inference { repair, kind } in inferred {
            self.damage.repair(repair, error);
            told.extend(kind.map(|kind| Event {
                event_type: EventType::Inferred,
                stack: StackId(0),
                kind,
                ..event
            }));
        }
        if can_be && teller.checks.event_again(raw, name) {
            told.push(event);
        } else {
            let bytes = record_bytes(teller, raw);
            let time = Some((event.time, event.time));
            self.damage.lose(error, bytes, Events::Exactly(1), time);
        }
    }
}

/// How many bytes of the file the event's record takes.
fn record_bytes(teller: &Teller<'_, '_>, raw: &RawEvent<'_>) -> u64 {
    let rest = &teller.names.file[raw.offset as usize..];
    let mut records = Records::resume(teller.names.index.version, rest, raw.offset);
    records.next();
    records.offset() - raw.offset
}
