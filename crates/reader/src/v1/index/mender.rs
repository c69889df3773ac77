//! The first pass of a tolerant reader: what to do about bytes that mean nothing.

use exectrace_format::go_v1::{EventType, Record, Records};
use exectrace_format::limits::EVENT_BYTES_MAX;
use exectrace_format::{Error as FormatError, Version};

use super::leaps;
use super::resync::{Next, Search};
use super::{Builder, Index};
use crate::damage::{Damage, Events};
use crate::{Cause, Error, Repair, Timestamp};

/// Ticks a second where the file does not say it: what Go's clock has on most systems.
const USUAL_TICKS_PER_SECOND: i64 = 15_625_000;

/// Few strings, messages and stacks take more.
const TEXT_BYTES_USUAL: usize = 2048;

/// What a tolerant reader does where a strict one stops.
pub(super) struct Mender<'d, 'a> {
    file: &'a [u8],
    version: Version,
    damage: &'d mut Damage,
    search: Search<'a>,
    /// The first frequency that is none, and how many bytes tell it.
    clock: Option<(Error, u64)>,
}

impl<'d, 'a> Mender<'d, 'a> {
    pub(super) fn new(file: &'a [u8], version: Version, damage: &'d mut Damage) -> Self {
        Self {
            file,
            version,
            damage,
            search: Search::new(file, version),
            clock: None,
        }
    }

    /// A record that can be decoded, and up to `end` says what cannot be. Where to go on, if not there.
    #[cold]
    pub(super) fn faulty(
        &mut self,
        builder: &mut Builder,
        error: Error,
        record: &Record<'_>,
        end: u64,
    ) -> Option<Records<'a>> {
        match record.event_type {
            // Whose are the events that follow?
            EventType::Batch => {
                let from = record.offset as usize;
                return Some(self.give_up(builder, error, from, Broken::Batch));
            }
            EventType::String => self.damage.repair(Repair::Table, error),
            EventType::Frequency => {
                self.clock.get_or_insert((error, end - record.offset));
            }
            _ => {
                let time = time(builder, builder.ticks);
                let bytes = end - record.offset;
                self.damage.lose(error, bytes, Events::Exactly(1), time);
                builder.events -= 1;
                self.leave_out(builder, record.offset, end);
                return None;
            }
        }
        builder.end = end;
        None
    }

    /// Bytes that cannot be decoded; `end` is where the decoder stands. Where to go on.
    #[cold]
    pub(super) fn go_on(&mut self, builder: &mut Builder, error: Error, end: u64) -> Records<'a> {
        // A log is told without its message, and the fault comes after it.
        let is_message = builder.end > error.offset
            || matches!(error.cause, Cause::Format(FormatError::MessageCut { .. }));
        let from = builder.end.min(error.offset) as usize;
        let broken = Broken::at(self.file, from, is_message);
        let next = match broken {
            _ if !self.search.pay(from) || broken.is_cut(error, self.file.len() - from) => {
                return self.give_up(builder, error, from, broken);
            }
            Broken::Batch => None,
            // Only the decoder knows where they end.
            Broken::String | Broken::Message => (end as usize != self.file.len()
                && self.search.makes_sense(end as usize, &builder.seen))
            .then_some(Next {
                at: end as usize,
                delta: 0,
                records: Some(1),
            }),
            Broken::Table | Broken::Event => {
                if let Some((at, batch)) = self.search.as_batch(from, &builder.seen)
                    && builder.has_room(batch[0])
                    && self.search.makes_sense(at, &builder.seen)
                {
                    return self.batch(builder, error, from, at, batch);
                }
                self.search.next_record(from, &builder.seen)
            }
        };
        if let Some(Next { at, delta, records }) = next {
            let events = match records {
                None => Events::AtLeast(1),
                Some(records) if broken == Broken::Event => Events::Exactly(records),
                Some(_) => Events::Exactly(0),
            };
            let to = self.search.batch_ticks(at).unwrap_or(builder.ticks);
            let time = time(builder, to);
            self.damage.lose(error, (at - from) as u64, events, time);
            builder.ticks = builder.ticks.saturating_add_unsigned(delta);
            return self.resume(builder, from, at);
        }
        let Some(at) = self.search.batch(from + 1, &builder.seen) else {
            return self.give_up(builder, error, from, broken);
        };
        let time = time(
            builder,
            self.search.batch_ticks(at).unwrap_or(builder.ticks),
        );
        let bytes = (at - from) as u64;
        self.damage.lose(error, bytes, Events::AtLeast(1), time);
        self.resume(builder, from, at)
    }

    /// All is lost from here on.
    fn give_up(
        &mut self,
        builder: &mut Builder,
        error: Error,
        from: usize,
        broken: Broken,
    ) -> Records<'a> {
        let at = self.file.len();
        let events = u64::from(matches!(broken, Broken::Event | Broken::Batch));
        let time = time(builder, builder.ticks);
        self.damage
            .lose(error, (at - from) as u64, Events::AtLeast(events), time);
        self.resume(builder, from, at)
    }

    /// What stands up to `at` is a batch but for its type: of it only that is lost.
    fn batch(
        &mut self,
        builder: &mut Builder,
        error: Error,
        from: usize,
        at: usize,
        [worker, ticks]: [i64; 2],
    ) -> Records<'a> {
        let time = time(builder, ticks);
        self.damage
            .lose(error, (at - from) as u64, Events::Exactly(0), time);
        let records = self.resume(builder, from, at);
        builder.batch(worker, ticks, 0, at as u64);
        records
    }

    fn resume(&self, builder: &mut Builder, from: usize, at: usize) -> Records<'a> {
        self.leave_out(builder, from as u64, at as u64);
        Records::resume(self.version, &self.file[at..], at as u64)
    }

    /// The open stretch ends at `from` and another one of the same worker begins at `at`.
    fn leave_out(&self, builder: &mut Builder, from: u64, at: u64) {
        builder.end = from;
        let mut sequence = builder.begin_sequence;
        if self.version == Version::Go1_5 {
            let bytes = &self.file[builder.begin as usize..from as usize];
            let records = Records::resume(Version::Go1_5, bytes, builder.begin);
            for record in records.flatten() {
                if record.event_type.spec().is_timed() {
                    sequence = sequence.wrapping_add(record.sequence as i64);
                }
            }
        }
        builder.close();
        (builder.begin, builder.end) = (at, at);
        builder.begin_ticks = builder.ticks;
        builder.begin_sequence = sequence;
    }

    /// The file is at its end.
    pub(super) fn finish(self, index: &mut Index<'a>, builder: Builder) {
        index.workers = builder.workers;
        let is_cut = index.ticks_per_second == 0 && !index.is_empty;
        if is_cut {
            index.ticks_per_second = USUAL_TICKS_PER_SECOND;
            let none = Error::at(Cause::NoFrequency, builder.end);
            let error = self.clock.map_or(none, |(error, _)| error);
            self.damage.repair(Repair::Clock, error);
        } else if let Some((error, bytes)) = self.clock {
            self.damage.lose(error, bytes, Events::Exactly(0), None);
        }
        if index.is_empty {
            // Nothing has a time.
            self.damage.forget_times();
            return;
        }
        leaps::shorten(self.file, index, self.damage);
        if is_cut || !self.damage.loss.is_none() {
            index.tell_unknown_ids();
        }
    }
}

/// From the time of the open batch to another; nobody knows it before the first batch.
fn time(builder: &Builder, to: i64) -> Option<(Timestamp, Timestamp)> {
    let from = builder.ticks;
    (!builder.seen.is_nothing()).then(|| (Timestamp(from.min(to)), Timestamp(from.max(to))))
}

/// What stands at a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    Batch,
    String,
    /// The message of a log.
    Message,
    /// Another record that is no event.
    Table,
    /// An event, or something of which only this can be guessed.
    Event,
}

impl Broken {
    fn at(file: &[u8], at: usize, is_message: bool) -> Self {
        let number = file.get(at).map_or(0, |byte| byte & 0x3f);
        match EventType::from_number(number) {
            _ if is_message => Self::Message,
            Some(EventType::Batch) => Self::Batch,
            Some(EventType::String) => Self::String,
            Some(event_type) if !event_type.spec().is_timed() => Self::Table,
            _ => Self::Event,
        }
    }

    /// Whether the file just ends in it, so that nothing need be looked for in the rest.
    fn is_cut(self, error: Error, rest: usize) -> bool {
        let is_cut = matches!(
            error.cause,
            Cause::Format(FormatError::Cut { .. } | FormatError::MessageCut { .. })
        );
        let most = match self {
            Self::Event | Self::Batch => EVENT_BYTES_MAX,
            Self::String | Self::Message | Self::Table => TEXT_BYTES_USUAL,
        };
        is_cut && rest <= most
    }
}
