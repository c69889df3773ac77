//! The events of a faulty file: all that can be told, and what was done about the rest.

use exectrace_format::go_v1::Records;
use exectrace_format::{StackId, StringId, Version};

use super::account::Account;
use super::checks::Inference;
use super::cursor::RawEvent;
use super::index::Index;
use super::stream::Stream;
use super::task::Tasks;
use super::teller::{Teller, fault, time};
use super::{Source, whole};
use crate::block::Block;
use crate::damage::{Damage, Events};
use crate::event::{Event, EventType};
use crate::{Cause, Repair};

/// Opens the events of a file, in any state.
pub(super) fn open<'a>(
    index: &mut Index<'a>,
    file: &'a [u8],
    tasks: &mut Tasks,
    account: &mut Account<'_>,
) -> Source<'a> {
    let events = if index.version == Version::Go1_5 {
        let events = whole::by_sequence(index, file);
        whole::count_skews(&events, account);
        events
    } else {
        let has_futile_wakeups = index.has_futile_wakeups;
        let stream = Stream::open_tolerant(index, file, tasks);
        if !has_futile_wakeups {
            return Source::Stream(Box::new(stream));
        }
        stream.all_any(tasks, account)
    };
    Source::Whole(whole::without_futile_wakeups(events).into_iter())
}

impl<'a> Teller<'a> {
    /// Appends what an event means, and before it what must have happened.
    pub(super) fn tell_any(
        &mut self,
        damage: &mut Damage,
        raw: &RawEvent<'a>,
        told: &mut Block<'_>,
    ) {
        if self.begin_ticks.is_none() {
            self.begin(damage, raw.ticks);
        }
        let mut moved: RawEvent<'a>;
        let mut raw = raw;
        if raw.ticks < self.last_ticks {
            // Who put the events in order has counted it.
            moved = *raw;
            moved.ticks = self.last_ticks;
            raw = &moved;
        }
        self.last_ticks = raw.ticks;
        let name = self.push(raw, told);
        let checked = self.checks.event(&mut self.tasks, raw, name);
        if let Err(cause) = checked {
            self.mend(damage, raw, name, cause, told);
        }
        self.names.index.drain_unknown(|cause| {
            damage.repair(Repair::Name, fault(cause, raw));
        });
    }

    /// Time begins with the first event.
    #[cold]
    fn begin(&mut self, damage: &mut Damage, begin_ticks: i64) {
        let ns_per_tick = self.ns_per_tick;
        damage.place_in_time(|ticks| time(ticks.0, begin_ticks, ns_per_tick));
    }

    /// The last of the events told contradicts what was there before: tells what must have happened, or leaves the event out.
    #[cold]
    fn mend(
        &mut self,
        damage: &mut Damage,
        raw: &RawEvent<'a>,
        name: StringId,
        cause: Cause,
        told: &mut Block<'_>,
    ) {
        let error = fault(cause, raw);
        let Some(event) = told.pop() else { return };
        let mut inferred = Vec::new();
        let before = self.meanings.before();
        let can_be = self
            .checks
            .prepare(&mut self.tasks, raw, name, before, &mut inferred);
        for Inference { repair, kind } in inferred {
            damage.repair(repair, error);
            if let Some(kind) = kind {
                told.push(Event {
                    event_type: EventType::Inferred,
                    stack: StackId(0),
                    kind,
                    ..event
                });
            }
        }
        if can_be && self.checks.event_again(&mut self.tasks, raw, name) {
            told.push(event);
        } else {
            let bytes = self.record_bytes(raw);
            let time = Some((event.time, event.time));
            damage.lose(error, bytes, Events::Exactly(1), time);
        }
    }

    /// How many bytes of the file the event's record takes.
    fn record_bytes(&self, raw: &RawEvent<'_>) -> u64 {
        let rest = &self.names.file[raw.offset as usize..];
        let mut records = Records::resume(self.names.index.version, rest, raw.offset);
        records.next();
        records.offset() - raw.offset
    }
}
