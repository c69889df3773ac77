//! How a tolerant reader goes on where a strict one stops.
//!
//! An event that contradicts those before it comes with something that is missing: so what it demands is brought about, by events
//! that are marked as inferred, and it is tried once more. What does not fit even then is left out. Each step takes an event from
//! a thread, so that there is an end.

use exectrace_format::go_v2::Events;

use super::Open;
use super::cursor::Cursor;
use super::demands::Demands;
use super::order::{Order, Stuck, Tried};
use super::run::Pause;
use super::told::Told;
use crate::damage::{Damage, Events as LostEvents};
use crate::tables::Tables;
use crate::{Cause, Error, Repair, Timestamp};

/// What mending needs of the reader.
pub(super) struct Mender<'m, 'a> {
    pub(super) file: &'a [u8],
    pub(super) order: &'m mut Order,
    pub(super) tables: &'m mut Tables<'a>,
    pub(super) damage: &'m mut Damage,
}

impl<'a> Open<'a> {
    /// Goes on behind an event that could not happen, or bytes that are none.
    #[cold]
    pub(super) fn mend(
        &mut self,
        index: usize,
        stuck: Stuck,
        mender: &mut Mender<'_, 'a>,
        told: &mut Told<'_>,
    ) {
        let number = self.generation.number;
        let cause = match stuck {
            Stuck::Cut(error) => {
                // The event before has happened.
                let cursor = self.frontier.get_mut(index);
                lose_rest(cursor, *error, number, mender.damage);
                return self.pass(index, mender.damage);
            }
            Stuck::Refused(cause) => *cause,
            Stuck::NoOrder => Cause::NoOrder,
        };
        self.retry(index, cause, mender, told);
        self.pass(index, mender.damage);
    }

    /// Moves on behind a cursor's event.
    fn pass(&mut self, index: usize, damage: &mut Damage) {
        let number = self.generation.number;
        if advance(self.frontier.get_mut(index), number, damage) {
            self.frontier.settle(index, Pause::Later);
        } else {
            self.frontier.settle(index, Pause::End);
        }
    }

    /// Brings about what a thread's next event demands, and lets it happen; or leaves it out.
    fn retry(
        &mut self,
        index: usize,
        cause: Cause,
        mender: &mut Mender<'_, 'a>,
        told: &mut Told<'_>,
    ) {
        let repairs = mender.damage.repairs.total();
        let cursor = self.frontier.get_mut(index);
        let error = mender.order.named(cursor.error(cause), cursor.place);
        let error = error.in_generation(self.generation.number);
        let (event, place) = (cursor.next(), cursor.place);
        if let Some(place) = place {
            Demands {
                order: mender.order,
                generation: &mut self.generation,
                tables: mender.tables,
                damage: mender.damage,
                told,
                event: &event,
                place,
                error,
            }
            .bring_about();
        }
        let inferred = told.len();
        let (generation, tables) = (&mut self.generation, &mut *mender.tables);
        mender.order.is_mended = true;
        let tried = mender
            .order
            .attempt(&event, place, generation, tables, told);
        mender.order.is_mended = false;
        if tried.is_ok_and(|tried| tried == Tried::Happened) {
            if mender.damage.repairs.total() == repairs {
                // It lacked a worker, or its sequence began anew.
                mender.damage.repair(Repair::Thread, error);
            }
            return;
        }
        told.truncate(inferred);
        let at = &mender.file[event.offset as usize..];
        let mut record = Events::new(at, event.offset);
        // What has an event's form and is none ends its batch for Go's reader.
        let (bytes, events) = match record.next() {
            Some(Ok(_)) => (record.offset() - event.offset, LostEvents::Exactly(1)),
            _ => (event.args[0] - event.offset, LostEvents::AtLeast(0)),
        };
        let time = Timestamp(event.time_ns);
        mender.damage.lose(error, bytes, events, Some((time, time)));
    }

    /// Tells which ids events have referred to that no table explains.
    #[inline]
    pub(super) fn tell_unnamed(&mut self, damage: &mut Damage) {
        for cause in self.generation.take_unnamed() {
            let offset = self.generation.offset;
            let error = Error::at(cause, offset).in_generation(self.generation.number);
            damage.repair(Repair::Name, error);
        }
    }
}

/// Moves a cursor to the next event that can be decoded. False if there is none.
pub(super) fn advance(cursor: &mut Cursor<'_>, generation: u64, damage: &mut Damage) -> bool {
    loop {
        match cursor.advance() {
            Ok(has_more) => {
                if has_more && damage.has_open_gaps() {
                    damage.go_on(Some(cursor.thread), Timestamp(cursor.time_ns()));
                }
                return has_more;
            }
            Err(error) => lose_rest(cursor, *error, generation, damage),
        }
    }
}

/// The rest of a cursor's batch means nothing.
fn lose_rest(cursor: &Cursor<'_>, error: Error, generation: u64, damage: &mut Damage) {
    let (bytes, time_ns) = cursor.rest();
    let error = error.in_generation(generation);
    damage.lose_from(error, bytes, cursor.thread, Timestamp(time_ns));
}
