//! What can be made of a damaged file: generations from the batches that make sense.
//!
//! A batch says where it ends, so damage in one leaves the others whole. Where no batch begins, one is looked for: bytes that
//! decode as a batch of the open generation or a later one, whose content decodes, and behind which another one begins, a
//! generation ends, or the file does.

use exectrace_format::go_v2::{Batch, BatchKind, EventType, Generation as Number, Item, Items};
use exectrace_format::{ThreadId, Version, varint};

use super::clock::Clock;
use super::framing::Framing;
use super::generation::{Builder, Generation};
use crate::damage::{Damage, Events};
use crate::loss::GAPS_MAX;
use crate::{Cause, Error, Repair, Timestamp};

/// So many records of a batch must decode.
const RECORDS_TRIED: usize = 64;
/// A generation is a second of a program's life: so many after the open one is as far as a file goes on after damage.
const GENERATIONS_AHEAD: u64 = 1 << 20;
/// A table of experiments and one of threads may be large, but ids of threads are not: damage makes larger ones.
const THREAD_MAX: u64 = 1 << 48;

/// A gap whose times are in units: what they are in nanoseconds is known when the generation is.
struct Rough {
    /// More than one where there are too many for each to be kept.
    count: u64,
    error: Error,
    bytes: u64,
    events: Events,
    from_units: Option<u64>,
    to_units: Option<u64>,
}

/// A generation while it is put together.
struct Salvage<'a> {
    builder: Option<Builder<'a>>,
    gaps: Vec<Rough>,
    /// How many of them came before the last batch that was kept.
    gaps_closed: usize,
    /// The time of the last batch.
    last_units: Option<u64>,
}

impl<'a> Framing<'a> {
    /// The next generation, from what there is of it; `None` at the end of the file.
    pub(super) fn salvage(&mut self, damage: &mut Damage) -> Option<Generation<'a>> {
        let mut salvage = Salvage {
            builder: None,
            gaps: Vec::new(),
            gaps_closed: 0,
            last_units: None,
        };
        if let Some(batch) = self.spilled.take() {
            self.keep(&mut salvage, batch, damage);
        }
        let mut has_end = false;
        loop {
            let begin = self.items.offset();
            match self.items.next() {
                None => break,
                Some(Err(error)) => self.skip(&mut salvage, begin, error, damage),
                Some(Ok(Item::EndOfGeneration { offset })) => {
                    if salvage.builder.is_some() {
                        has_end = true;
                        break;
                    }
                    salvage.lose(Error::at(Cause::NoFrequency, offset), 1, Events::Exactly(0));
                }
                Some(Ok(Item::Batch(batch))) => match self.belongs(&salvage, &batch) {
                    Belongs::Here => self.keep(&mut salvage, batch, damage),
                    Belongs::Later(open) => {
                        let found = batch.generation.0;
                        self.spilled = Some(batch);
                        if self.has_markers() || found != open.wrapping_add(1) {
                            let cause = Cause::GenerationOutOfOrder { open, found };
                            salvage.end_is_missing(cause, batch.offset, damage);
                        }
                        has_end = true;
                        break;
                    }
                    Belongs::Nowhere(open) => {
                        let found = batch.generation.0;
                        let cause = Cause::GenerationOutOfOrder { open, found };
                        self.leave_out(&mut salvage, &batch, cause, open);
                    }
                },
            }
        }
        self.finish(salvage, has_end, damage)
    }

    pub(super) fn has_markers(&self) -> bool {
        self.version.at_least(Version::Go1_26)
    }

    /// The generation is over.
    fn finish(
        &mut self,
        salvage: Salvage<'a>,
        has_end: bool,
        damage: &mut Damage,
    ) -> Option<Generation<'a>> {
        let mut salvage = salvage;
        let has_events = salvage.builder.as_ref().is_some_and(Builder::has_events);
        let is_over = has_end || !self.has_markers();
        // A generation that has only begun Go's readers pass over: it is what a program leaves that ends without a stop.
        if !is_over && salvage.builder.is_some() {
            salvage.end_is_missing(Cause::GenerationCut, self.file.len() as u64, damage);
        }
        let usual = self.clock.unwrap_or_else(Clock::usual);
        self.has_begun |= salvage.builder.is_some() && !is_over && !has_events;
        let finished = salvage.builder.take().filter(|_| is_over || has_events);
        let finished = finished.map(|builder| builder.finish_tolerant(usual));
        let clock = finished.as_ref().map(|(generation, _)| generation.clock);
        salvage.tell(clock.unwrap_or(usual), damage);
        let (generation, fault) = finished?;
        if let Some(error) = fault {
            damage.repair(Repair::Clock, error);
        }
        self.clock = clock;
        self.last_generation = generation.number;
        Some(generation)
    }

    /// Where a batch belongs.
    fn belongs(&self, salvage: &Salvage<'a>, batch: &Batch<'a>) -> Belongs {
        let found = batch.generation.0;
        let Some(builder) = &salvage.builder else {
            let is_next = found > self.last_generation || self.last_generation == 0;
            return if is_next {
                Belongs::Here
            } else {
                Belongs::Nowhere(self.last_generation)
            };
        };
        let open = builder.number();
        if found == open {
            Belongs::Here
        } else if found > open && found - open < GENERATIONS_AHEAD {
            Belongs::Later(open)
        } else {
            Belongs::Nowhere(open)
        }
    }

    /// Takes a batch into the generation, up to where it makes sense.
    fn keep(&self, salvage: &mut Salvage<'a>, batch: Batch<'a>, damage: &mut Damage) {
        let (number, offset) = (batch.generation.0, batch.offset);
        let builder = salvage
            .builder
            .get_or_insert_with(|| Builder::new(self.version, number, offset));
        salvage.last_units = Some(batch.time);
        for gap in &mut salvage.gaps[salvage.gaps_closed..] {
            gap.to_units = gap.to_units.max(Some(batch.time));
        }
        salvage.gaps_closed = salvage.gaps.len();
        builder.begin(batch.time);
        match batch.kind(self.version) {
            BatchKind::Events => {
                if let Err(cause) = builder.add_events(batch) {
                    self.leave_out(salvage, &batch, cause, number);
                }
                return;
            }
            BatchKind::Experiment => return,
            _ => {}
        }
        let mut entries = batch.entries(self.version);
        let end = batch.data_offset + batch.data.len() as u64;
        loop {
            let begin = entries.offset();
            match entries.next() {
                None => return,
                Some(Ok(entry)) => {
                    if let Err(cause) = builder.add_entry(&entry) {
                        damage.repair(Repair::Table, builder.error(cause, entry.offset));
                    }
                }
                Some(Err(error)) => {
                    let error = builder.error(Cause::Format(error), begin);
                    let events = match batch.kind(self.version) {
                        BatchKind::Samples => Events::AtLeast(1),
                        _ => Events::Exactly(0),
                    };
                    return salvage.lose(error, end - begin, events);
                }
            }
        }
    }

    /// A batch that the open generation cannot have: that of one that is over, as it came too late or its number is damaged, or
    /// that of a thread too many.
    fn leave_out(&self, salvage: &mut Salvage<'a>, batch: &Batch<'a>, cause: Cause, open: u64) {
        let error = Error {
            thread: (batch.thread != ThreadId::NONE).then_some(batch.thread),
            ..Error::at(cause, batch.offset).in_generation(open)
        };
        let bytes = batch.data_offset + batch.data.len() as u64 - batch.offset;
        let events = match batch.kind(self.version) {
            BatchKind::Events => {
                let whole = batch.events().take_while(Result::is_ok).count() as u64;
                match batch.events().all(|event| event.is_ok()) {
                    true => Events::Exactly(whole),
                    false => Events::AtLeast(whole + 1),
                }
            }
            BatchKind::Samples => Events::Exactly(batch.entries(self.version).count() as u64),
            _ => Events::Exactly(0),
        };
        salvage.lose(error, bytes, events);
    }

    /// No batch begins here: goes on where one does.
    fn skip(
        &mut self,
        salvage: &mut Salvage<'a>,
        begin: u64,
        error: exectrace_format::Error,
        damage: &mut Damage,
    ) {
        let open = salvage.builder.as_ref().map(Builder::number);
        let mut fault = Error::of_format(error);
        if let Some(open) = open {
            fault = fault.in_generation(open);
        }
        let last = open.unwrap_or(self.last_generation);
        if let Some((batch, lacks)) = self.cut_batch(begin, last) {
            // What it has is kept, what it lacks is lost.
            salvage.lose(fault, lacks, Events::AtLeast(u64::from(lacks > 0)));
            self.resume(self.file.len() as u64);
            return match self.belongs(salvage, &batch) {
                Belongs::Later(_) => self.spilled = Some(batch),
                _ => self.keep(salvage, batch, damage),
            };
        }
        let resumed = self.next_batch(begin + 1, last);
        salvage.lose(fault, resumed - begin, Events::AtLeast(1));
        self.resume(resumed);
    }

    fn resume(&mut self, offset: u64) {
        self.items = Items::resume(self.version, &self.file[offset as usize..], offset);
    }

    /// The batch at the end of a file that is cut inside of it, and how many bytes of it are missing.
    fn cut_batch(&self, begin: u64, last: u64) -> Option<(Batch<'a>, u64)> {
        let bytes = &self.file[begin as usize..];
        if bytes.first() != Some(&(EventType::EventBatch as u8)) {
            return None;
        }
        let mut at = 1;
        let mut numbers = [0; 4];
        for number in &mut numbers {
            (*number, at) = varint::read(bytes, at).ok()?;
        }
        let [generation, thread, time, length_bytes] = numbers;
        let data = &bytes[at..];
        let lacks = length_bytes.checked_sub(data.len() as u64)?;
        let batch = Batch {
            offset: begin,
            experiment: None,
            generation: Number(generation),
            thread: ThreadId(thread),
            time,
            data_offset: begin + at as u64,
            data,
        };
        let is_one = length_bytes <= exectrace_format::limits::V2_BATCH_BYTES_MAX as u64
            && is_plausible(&batch, last);
        // The last record is cut, too; the others are not.
        let is_cut = |error| matches!(error, exectrace_format::Error::Cut { .. });
        let fault = match batch.kind(self.version) {
            BatchKind::Events => batch.events().take(RECORDS_TRIED).find_map(Result::err),
            _ => {
                let mut entries = batch.entries(self.version).take(RECORDS_TRIED);
                entries.find_map(Result::err)
            }
        };
        let is_content = fault.is_none_or(is_cut);
        (is_one && is_content).then_some((batch, lacks))
    }

    /// Where the next batch begins, or the end of a generation that some was read of; else the file's end.
    fn next_batch(&self, from: u64, last: u64) -> u64 {
        let end = self.file.len() as u64;
        (from..end)
            .find(|&offset| self.is_batch(offset, last) || self.cut_batch(offset, last).is_some())
            .unwrap_or(end)
    }

    /// Whether a batch begins at an offset, as far as its bytes can tell.
    fn is_batch(&self, offset: u64, last: u64) -> bool {
        const FIRST: [u8; 2] = [
            EventType::EventBatch as u8,
            EventType::ExperimentalBatch as u8,
        ];
        let bytes = &self.file[offset as usize..];
        if !FIRST.contains(&bytes[0]) {
            return false;
        }
        let mut items = Items::resume(self.version, bytes, offset);
        let Some(Ok(Item::Batch(batch))) = items.next() else {
            return false;
        };
        if !is_plausible(&batch, last) {
            return false;
        }
        let content = match batch.kind(self.version) {
            BatchKind::Experiment => true,
            BatchKind::Events => batch
                .events()
                .take(RECORDS_TRIED)
                .all(|event| event.is_ok()),
            _ => batch
                .entries(self.version)
                .take(RECORDS_TRIED)
                .all(|entry| entry.is_ok()),
        };
        content
            && match items.next() {
                None | Some(Ok(Item::EndOfGeneration { .. })) => true,
                Some(Ok(Item::Batch(next))) => is_plausible(&next, last),
                // The next one is cut by the file's end.
                Some(Err(error)) => matches!(error, exectrace_format::Error::Cut { .. }),
            }
    }
}

/// Where a batch belongs; with the generation that is open or was the last.
enum Belongs {
    Here,
    Later(u64),
    Nowhere(u64),
}

/// Whether what a batch says of itself can be.
fn is_plausible(batch: &Batch<'_>, last: u64) -> bool {
    let number = batch.generation.0;
    let is_near = last == 0 || (number >= last && number - last < GENERATIONS_AHEAD);
    let thread = batch.thread;
    number != 0 && is_near && (thread == ThreadId::NONE || thread.0 < THREAD_MAX)
}

impl Rough {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.events = self.events.and(other.events);
        let from = [self.from_units, other.from_units].into_iter().flatten();
        self.from_units = from.min();
        self.to_units = self.to_units.max(other.from_units);
    }
}

impl Salvage<'_> {
    fn lose(&mut self, error: Error, bytes: u64, events: Events) {
        let gap = Rough {
            count: 1,
            error,
            bytes,
            events,
            from_units: self.last_units,
            to_units: None,
        };
        if self.gaps.len() <= GAPS_MAX {
            self.gaps.push(gap);
        } else if let Some(last) = self.gaps.last_mut() {
            last.add(&gap);
            self.gaps_closed = self.gaps_closed.min(GAPS_MAX);
        }
    }

    /// The generation ends without its end: what else it had is not known.
    fn end_is_missing(&mut self, cause: Cause, offset: u64, damage: &mut Damage) {
        let mut error = Error::at(cause, offset);
        if let Some(builder) = &self.builder {
            error = error.in_generation(builder.number());
        }
        damage.repair(Repair::End, error);
        self.lose(error, 0, Events::AtLeast(0));
    }

    /// Tells the gaps, by the generation's clock.
    fn tell(&self, clock: Clock, damage: &mut Damage) {
        for gap in &self.gaps {
            let ns = |units| Timestamp(clock.ns(units));
            let from = gap.from_units.or(gap.to_units).map(ns);
            let to = gap.to_units.or(gap.from_units).map(ns);
            let time = from.zip(to).map(|(from, to)| (from, to.max(from)));
            damage.lose(gap.error, gap.bytes, gap.events, time);
            damage.loss.gap_count += gap.count - 1;
        }
    }
}
