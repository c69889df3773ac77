//! The first pass over a file: where each worker's events are, and what stands beside them.
//!
//! Format v1 can only be put in order with all workers' events at hand, and its batches do not say where they end. So the file
//! is read once to find them, and once more, by a cursor for each worker, to decode events as they are needed: what is kept
//! between is a line a batch, not an event.

mod leaps;
mod mender;
mod resync;
mod unknown;

use std::collections::{HashMap, HashSet};

use exectrace_format::go_v1::{EventType, Record, Records};
use exectrace_format::limits::V1_WORKERS_MAX;
use exectrace_format::{Frame, StackId, StringId, Version};

use crate::damage::Damage;
use crate::description::WRITER_KEY;
use crate::id_map::IdMap;
use crate::id_table::IdTable;
use crate::tables::Tables;
use crate::{Cause, Error};
use mender::Mender;
use resync::Seen;
use unknown::Unknown;

/// What the first pass finds.
#[derive(Debug)]
pub(super) struct Index<'a> {
    pub(super) version: Version,
    /// The stretches of each worker's events, by worker in the order of their first.
    pub(super) workers: Vec<Worker>,
    /// CPU samples by time.
    pub(super) samples: Vec<Sample>,
    /// Ends of system calls that were written later than they happened, by time.
    pub(super) late_exits: Vec<LateExit>,
    pub(super) ticks_per_second: i64,
    /// Tasks that run timers.
    pub(super) timer_tasks: HashSet<u64>,
    /// Whether some wakes were for nothing.
    pub(super) has_futile_wakeups: bool,
    /// There are no events.
    pub(super) is_empty: bool,
    pub(super) strings: Strings<'a>,
    pub(super) stacks: Stacks,
}

/// The events of one worker.
#[derive(Debug)]
pub(super) struct Worker {
    /// Its number, -1 for events that were written without a worker.
    pub(super) number: i64,
    pub(super) stretches: Vec<Stretch>,
}

/// Records of one worker without another's between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The time at its begin.
    pub(super) ticks: i64,
    /// The time at its end.
    end_ticks: i64,
    /// Version 1.5: the sequence number at its begin.
    pub(super) sequence: i64,
    /// Where its batch begins, of which it may be a part.
    batch: u64,
}

/// A CPU sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) ticks: i64,
    pub(super) worker: i64,
    pub(super) task: u64,
    pub(super) stack: u64,
}

/// A system call that ended at `ticks`, of which the event at `offset` tells later.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateExit {
    pub(super) ticks: i64,
    pub(super) offset: u64,
    pub(super) task: u64,
    pub(super) worker: i64,
}

/// The file's strings, and their ids in the trace's tables once an event refers to them.
#[derive(Debug, Default)]
pub(super) struct Strings<'a> {
    by_id: IdTable<(&'a [u8], Option<StringId>)>,
    /// One of them is the key by which a recording says that exectrace wrote it.
    pub(super) are_of_exectrace: bool,
    /// Those that no record defines, if they are told.
    unknown: Option<Unknown<StringId>>,
}

/// Where the file's stacks are, and their ids in the trace's tables once an event refers to them.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    by_id: IdTable<u64>,
    /// Those that are known to the trace, by their ids in the file; that of 0 is 0.
    known: Vec<StackId>,
    /// The same for ids that are far from all others.
    known_far: IdMap<StackId>,
    /// Frames that were looked up lately as they stand in the file, by the last bits of their addresses, and their ids.
    recent: Vec<(Frame, u32)>,
    /// The frames of one stack.
    frames: Vec<u32>,
    /// Those that no record defines, if they are told.
    unknown: Option<Unknown<StackId>>,
}

impl<'a> Index<'a> {
    /// Reads the whole file. A tolerant reader's `damage` takes the faults, and there is no error then.
    pub(super) fn read(
        file: &'a [u8],
        records: Records<'a>,
        damage: Option<&mut Damage>,
    ) -> Result<Self, Error> {
        let mut index = Self::new(records.version());
        let mut builder = Builder::new(records.offset());
        let mut mender = damage.map(|damage| Mender::new(file, index.version, damage));
        builder.read(&mut index, records, mender.as_mut())?;
        index.is_empty = builder.events == 0;
        match mender {
            Some(mender) => mender.finish(&mut index, builder),
            None => {
                let end = builder.end;
                index.workers = builder.workers;
                if index.is_empty {
                    return Err(Error::at(Cause::Empty, end));
                }
                if index.ticks_per_second == 0 {
                    return Err(Error::at(Cause::NoFrequency, end));
                }
            }
        }
        index.stacks.finish();
        index.samples.sort_by_key(|sample| sample.ticks);
        index.late_exits.sort_by_key(|exit| exit.ticks);
        Ok(index)
    }

    fn new(version: Version) -> Self {
        Self {
            version,
            workers: Vec::new(),
            samples: Vec::new(),
            late_exits: Vec::new(),
            ticks_per_second: 0,
            timer_tasks: HashSet::new(),
            has_futile_wakeups: false,
            is_empty: false,
            strings: Strings::default(),
            stacks: Stacks::default(),
        }
    }

    /// Ids that no table explains are told as they are.
    fn tell_unknown_ids(&mut self) {
        self.strings.unknown = Some(Unknown::default());
        self.stacks.unknown = Some(Unknown::default());
    }

    /// Tells of each id that was told as it is since the last time.
    #[inline]
    pub(super) fn drain_unknown(&mut self, mut tell: impl FnMut(Cause)) {
        if let Some(unknown) = &mut self.strings.unknown {
            unknown.drain(|id| tell(Cause::NoSuchString { id }));
        }
        if let Some(unknown) = &mut self.stacks.unknown {
            unknown.drain(|id| tell(Cause::NoSuchStack { id }));
        }
    }
}

/// The first pass, under way.
struct Builder {
    workers: Vec<Worker>,
    worker_of_number: HashMap<i64, usize>,
    /// The worker whose stretch is open.
    open: usize,
    begin: u64,
    end: u64,
    /// Where the records of the batch begin.
    batch: u64,
    begin_ticks: i64,
    begin_sequence: i64,
    ticks: i64,
    events: u64,
    /// What the batches so far say.
    seen: Seen,
    /// An event of a worker stands in the open stretch.
    has_events: bool,
}

impl Builder {
    fn new(offset: u64) -> Self {
        let mut builder = Self {
            workers: Vec::new(),
            worker_of_number: HashMap::new(),
            open: 0,
            begin: offset,
            end: offset,
            batch: offset,
            begin_ticks: 0,
            begin_sequence: 0,
            ticks: 0,
            events: 0,
            seen: Seen::default(),
            has_events: false,
        };
        // Records before the first batch are worker 0's.
        builder.open = builder.worker(0);
        builder
    }

    /// Whether the worker is known, or there may be another one.
    fn has_room(&self, worker: i64) -> bool {
        self.workers.len() < V1_WORKERS_MAX || self.worker_of_number.contains_key(&worker)
    }

    fn worker(&mut self, number: i64) -> usize {
        let next = self.workers.len();
        let index = *self.worker_of_number.entry(number).or_insert(next);
        if index == next {
            self.workers.push(Worker {
                number,
                stretches: Vec::new(),
            });
        }
        index
    }

    fn read<'a>(
        &mut self,
        index: &mut Index<'a>,
        records: Records<'a>,
        mut mender: Option<&mut Mender<'_, 'a>>,
    ) -> Result<(), Error> {
        let mut records = records;
        loop {
            let mut passed = 0;
            while let Some(delta) = records.pass(says_only_when) {
                self.ticks = self.ticks.wrapping_add(delta as i64);
                passed += 1;
            }
            if passed > 0 {
                self.events += passed;
                self.has_events = true;
                self.end = records.offset();
            }
            let Some(record) = records.next() else {
                break;
            };
            let end = records.offset();
            match (record, &mut mender) {
                (Ok(record), mender) => {
                    if let Err(error) = self.record(index, &record, end) {
                        let mender = mender.as_mut().ok_or(error)?;
                        if let Some(elsewhere) = mender.faulty(self, error, &record, end) {
                            records = elsewhere;
                        }
                    }
                }
                (Err(error), Some(mender)) => {
                    records = mender.go_on(self, Error::of_format(error), end);
                }
                (Err(error), None) => return Err(Error::of_format(error)),
            }
        }
        self.close();
        Ok(())
    }

    /// Takes in the record that ends before `end`.
    #[inline]
    fn record<'a>(
        &mut self,
        index: &mut Index<'a>,
        record: &Record<'a>,
        end: u64,
    ) -> Result<(), Error> {
        let [first, second, ..] = record.args;
        match record.event_type {
            EventType::Batch => {
                if !self.has_room(first as i64) {
                    return Err(Error::at(Cause::TooManyWorkers, record.offset));
                }
                self.batch(first as i64, second as i64, record.sequence as i64, end);
            }
            EventType::String => index
                .strings
                .define(first, record.rest)
                .map_err(|cause| Error::at(cause, record.offset))?,
            EventType::Stack => {
                if first != 0 && record.frames(index.version).next().is_some() {
                    index.stacks.define(first, record.offset);
                }
            }
            EventType::Frequency => {
                if first as i64 <= 0 {
                    return Err(Error::at(Cause::TimeOrder, record.offset));
                }
                index.ticks_per_second = first as i64;
            }
            EventType::TimerGoroutine => {
                index.timer_tasks.insert(first);
            }
            _ => self.event(index, record)?,
        }
        self.end = end;
        Ok(())
    }

    /// A batch of this worker begins.
    fn batch(&mut self, worker: i64, ticks: i64, sequence: i64, begin: u64) {
        self.close();
        self.open = self.worker(worker);
        (self.begin, self.batch) = (begin, begin);
        self.begin_ticks = ticks;
        self.begin_sequence = sequence;
        self.ticks = ticks;
        self.seen.batch(worker, ticks);
    }

    #[inline]
    fn event(&mut self, index: &mut Index<'_>, record: &Record<'_>) -> Result<(), Error> {
        self.ticks = self.ticks.wrapping_add(record.delta as i64);
        self.events += 1;
        let [first, second, third, fourth] = record.args;
        match record.event_type {
            EventType::CPUSample => {
                index.samples.push(Sample {
                    offset: record.offset,
                    ticks: first as i64,
                    worker: second as i64,
                    task: third,
                    stack: fourth,
                });
                return Ok(());
            }
            EventType::GoSysExit if third != 0 && (third as i64) < self.ticks => {
                index.late_exits.push(LateExit {
                    ticks: third as i64,
                    offset: record.offset,
                    task: first,
                    worker: self.workers[self.open].number,
                });
            }
            EventType::FutileWakeup => index.has_futile_wakeups = true,
            EventType::GCSTWStart if !index.version.at_least(Version::Go1_21) && first > 1 => {
                let cause = Cause::NoSuchKind { number: first };
                return Err(Error::at(cause, record.offset));
            }
            _ => {}
        }
        self.has_events = true;
        Ok(())
    }

    /// The open stretch ends here.
    fn close(&mut self) {
        if std::mem::replace(&mut self.has_events, false) {
            let stretches = &mut self.workers[self.open].stretches;
            if stretches.is_empty() {
                // A damaged file can have a worker in every few bytes.
                stretches.reserve_exact(1);
            }
            stretches.push(Stretch {
                begin: self.begin,
                end: self.end,
                ticks: self.begin_ticks,
                end_ticks: self.ticks,
                batch: self.batch,
                sequence: self.begin_sequence,
            });
        }
    }
}

/// Whether the first pass needs nothing of an event but its time: most are so.
#[inline]
fn says_only_when(event_type: EventType) -> bool {
    use EventType as E;
    !matches!(
        event_type,
        E::Batch
            | E::Frequency
            | E::Stack
            | E::String
            | E::TimerGoroutine
            | E::CPUSample
            | E::GoSysExit
            | E::FutileWakeup
            | E::GCSTWStart
    )
}

/// Frames that are remembered: a program's stacks have some thousand different ones.
const RECENT: usize = 2048;

/// Stands for a stack of which no event has told yet.
const UNKNOWN: StackId = StackId(u64::MAX);

impl<'a> Strings<'a> {
    fn define(&mut self, id: u64, text: &'a [u8]) -> Result<(), Cause> {
        self.are_of_exectrace |= text == WRITER_KEY;
        self.by_id
            .insert(id, (text, None))
            .map_err(|_| Cause::StringRepeated { id })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The trace's id; of one that no record defines, that of the empty string or of one that tells the id.
    pub(super) fn id(&mut self, id: u64, tables: &mut Tables<'a>) -> StringId {
        match (self.by_id.get_mut(id), &mut self.unknown) {
            (Some((text, known)), _) => *known.get_or_insert_with(|| tables.intern(text)),
            (None, Some(unknown)) if id != 0 => unknown.id(id, |id| tables.raw_string(id)),
            (None, _) => StringId(0),
        }
    }
}

impl Stacks {
    /// A later definition of the same id holds.
    fn define(&mut self, id: u64, offset: u64) {
        if let Err(offset) = self.by_id.insert(id, offset)
            && let Some(known) = self.by_id.get_mut(id)
        {
            *known = offset;
        }
    }

    /// All are defined.
    fn finish(&mut self) {
        self.known = vec![UNKNOWN; self.by_id.dense_len().max(1)];
        self.known[0] = StackId(0);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The trace's id, if an event referred to the stack before.
    #[inline]
    pub(super) fn known(&self, id: u64) -> Option<StackId> {
        let known = self.known.get(id as usize).copied();
        known.filter(|&known| known != UNKNOWN)
    }

    /// The trace's id; of one that no record defines, 0 or that of a stack that tells the id.
    #[inline]
    pub(super) fn id<'a>(
        &mut self,
        id: u64,
        file: &'a [u8],
        version: Version,
        strings: &mut Strings<'a>,
        tables: &mut Tables<'a>,
    ) -> StackId {
        if let Some(known) = self.known(id) {
            return known;
        }
        let Some(&offset) = self.by_id.get(id) else {
            return self.unknown_id(id, tables);
        };
        if let Some(&known) = self.known_far.get(&id) {
            return known;
        }
        let known = self.intern(offset, file, version, strings, tables);
        match self.known.get_mut(id as usize) {
            Some(place) => *place = known,
            None => {
                self.known_far.insert(id, known);
            }
        }
        known
    }

    /// Decodes the stack at `offset` into the tables.
    #[cold]
    fn intern<'a>(
        &mut self,
        offset: u64,
        file: &'a [u8],
        version: Version,
        strings: &mut Strings<'a>,
        tables: &mut Tables<'a>,
    ) -> StackId {
        let mut records = Records::resume(version, &file[offset as usize..], offset);
        let Some(Ok(record)) = records.next() else {
            return StackId(0);
        };
        self.frames.clear();
        for frame in record.frames(version) {
            let place = frame.pc as usize % RECENT;
            let id = match self.recent.get(place) {
                Some(&(recent, id)) if recent == frame => id,
                _ => {
                    let (function, file) = (frame.function.0, frame.file.0);
                    let function = strings.id(function, tables);
                    let file = strings.id(file, tables);
                    let id = tables.frame(Frame {
                        function,
                        file,
                        ..frame
                    });
                    self.recent.resize(RECENT, (frame, id));
                    self.recent[place] = (frame, id);
                    id
                }
            };
            self.frames.push(id);
        }
        tables.stack(&self.frames)
    }

    #[cold]
    fn unknown_id(&mut self, id: u64, tables: &mut Tables<'_>) -> StackId {
        let unknown = self.unknown.as_mut();
        unknown.map_or(StackId(0), |unknown| {
            unknown.id(id, |id| tables.raw_stack(id))
        })
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::go_v1::write_stack;

    use super::*;

    #[test]
    fn frames_of_one_place_are_told_apart() {
        let frame = |pc, line| Frame {
            pc,
            line,
            ..Frame::default()
        };
        // One address can have several lines, where one function is inlined into another.
        let far = 5 + RECENT as u64;
        let expect = [frame(5, 1), frame(5, 2), frame(far, 1), frame(5, 1)];
        let mut file = Vec::new();
        write_stack(&mut file, StackId(1), &expect);
        let (mut stacks, mut tables) = (Stacks::default(), Tables::new(&file));
        stacks.define(1, 0);
        stacks.finish();
        let mut strings = Strings::default();
        let id = stacks.id(1, &file, Version::Go1_19, &mut strings, &mut tables);
        assert!(tables.frames(id).eq(&expect));
    }
}
