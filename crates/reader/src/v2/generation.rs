//! One generation: its batches by thread, and its tables.

use std::collections::BTreeSet;

use exectrace_format::go_v2::{Batch, BatchKind, Entries, EventType};
use exectrace_format::limits::V2_THREADS_MAX;
use exectrace_format::{Frame, StackId, StringId, ThreadId, Version};

use super::clock::Clock;
use super::go_sort;
use super::refusal::Refusal;
use super::stacks::Stacks;
use crate::id_map::IdMap;
use crate::id_table::IdTable;
use crate::tables::Tables;
use crate::{Cause, Error};

/// A generation, read but not yet ordered.
#[derive(Debug)]
pub(super) struct Generation<'a> {
    pub(super) number: u64,
    /// Where it begins.
    pub(super) offset: u64,
    pub(super) clock: Clock,
    /// The least time of its batches.
    pub(super) begin_units: u64,
    /// Batches of events by thread, in order of the first batch.
    pub(super) groups: Vec<Group<'a>>,
    /// CPU samples by time.
    pub(super) samples: Vec<Sample>,
    strings: IdTable<Text<'a>>,
    /// The ids of strings in the trace's tables once an event refers to them, as [`Text`] has them; [`UNKNOWN`] before.
    known_strings: Vec<u32>,
    stacks: Stacks,
    /// For a tolerant reader.
    unnamed: Option<Unnamed>,
}

/// Ids that events refer to and no table explains.
#[derive(Debug, Default)]
struct Unnamed {
    /// Those that were met since they were last taken.
    causes: Vec<Cause>,
    /// What stands for such stacks.
    stacks: IdMap<StackId>,
}

/// The batches of one thread.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) thread: ThreadId,
    pub(super) batches: Vec<Batch<'a>>,
}

/// A CPU sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) time_ns: i64,
    /// Thread, worker, task and stack, as in the file.
    pub(super) args: [u64; 4],
}

/// A string of the file, and its id in the trace's tables once an event refers to it.
#[derive(Clone, Copy, Debug)]
struct Text<'a> {
    bytes: &'a [u8],
    id: Option<StringId>,
}

/// A generation while its batches come in.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    version: Version,
    number: u64,
    /// Where it begins.
    offset: u64,
    units_per_second: Option<u64>,
    has_clock_snapshot: bool,
    begin_units: u64,
    groups: Vec<Group<'a>>,
    group_of_thread: IdMap<usize>,
    /// Their times are in units until the end.
    samples: Vec<Sample>,
    strings: IdTable<Text<'a>>,
    stacks: Stacks,
}

impl<'a> Builder<'a> {
    pub(super) fn new(version: Version, number: u64, offset: u64) -> Self {
        Self {
            version,
            number,
            offset,
            units_per_second: None,
            has_clock_snapshot: false,
            begin_units: u64::MAX,
            groups: Vec::new(),
            group_of_thread: IdMap::default(),
            samples: Vec::new(),
            strings: IdTable::default(),
            stacks: Stacks::default(),
        }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a batch of events was among those so far.
    pub(super) fn has_events(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Takes a batch in.
    pub(super) fn add(&mut self, batch: Batch<'a>) -> Result<(), Error> {
        self.begin(batch.time);
        match batch.kind(self.version) {
            BatchKind::Events => {
                let offset = batch.offset;
                self.add_events(batch)
                    .map_err(|cause| self.error(cause, offset))?;
            }
            // Nobody but the experiment knows what is in it.
            BatchKind::Experiment => {}
            _ => self.add_entries(batch.entries(self.version))?,
        }
        Ok(())
    }

    fn add_entries(&mut self, mut entries: Entries<'a>) -> Result<(), Error> {
        loop {
            self.add_stacks(&mut entries)?;
            let Some(entry) = entries.next() else {
                return Ok(());
            };
            let entry = entry.map_err(|error| self.error(Cause::Format(error), error.offset()))?;
            self.add_entry(&entry)
                .map_err(|cause| self.error(cause, entry.offset))?;
        }
    }

    /// Takes in stacks, as many as can be decoded on the way.
    #[inline(never)]
    fn add_stacks(&mut self, entries: &mut Entries<'a>) -> Result<(), Error> {
        while let Some(mut stack) = entries.near_stack() {
            let taken = self.stacks.define_near(&mut stack);
            if !taken.map_err(|cause| self.error(cause, entries.offset()))? {
                break;
            }
            entries.go_on(stack);
        }
        Ok(())
    }

    /// A batch begins at a time.
    pub(super) fn begin(&mut self, units: u64) {
        self.begin_units = self.begin_units.min(units);
    }

    pub(super) fn add_events(&mut self, batch: Batch<'a>) -> Result<(), Cause> {
        let next = self.groups.len();
        let thread = batch.thread.0;
        if next == V2_THREADS_MAX && !self.group_of_thread.contains_key(&thread) {
            return Err(Cause::TooManyThreads);
        }
        let index = *self.group_of_thread.entry(thread).or_insert(next);
        if index == next {
            self.groups.push(Group {
                thread: batch.thread,
                batches: Vec::new(),
            });
        }
        self.groups[index].batches.push(batch);
        Ok(())
    }

    pub(super) fn add_entry(
        &mut self,
        entry: &exectrace_format::go_v2::Record<'a>,
    ) -> Result<(), Cause> {
        let id = entry.args[0];
        match entry.event_type {
            EventType::String => {
                let text = Text {
                    bytes: entry.rest,
                    id: None,
                };
                if id == 0 || self.strings.insert(id, text).is_err() {
                    return Err(Cause::StringRepeated { id });
                }
            }
            EventType::Stack => self.stacks.define(id, entry.frames())?,
            EventType::CPUSample => {
                let [time, args @ ..] = entry.args;
                let sample = Sample {
                    offset: entry.offset,
                    time_ns: time as i64,
                    args,
                };
                self.samples.push(sample);
            }
            EventType::Frequency => {
                let earlier = self.units_per_second.replace(id);
                if earlier.is_some() {
                    return Err(Cause::FrequencyRepeated);
                }
            }
            EventType::ClockSnapshot => {
                let earlier = std::mem::replace(&mut self.has_clock_snapshot, true);
                if earlier {
                    return Err(Cause::ClockSnapshotRepeated);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All batches are in.
    pub(super) fn finish(mut self) -> Result<Generation<'a>, Error> {
        let units_per_second = self.units_per_second()?;
        let unnamed = self.unnamed_in_frames().next();
        if let Some(id) = unnamed {
            return Err(self.error(Cause::NoSuchString { id }, self.offset));
        }
        Ok(self.generation(Clock::new(units_per_second), None))
    }

    /// All batches that there are for a tolerant reader are in. What the generation does not say of its clock is that of `clock`,
    /// and told by the error.
    pub(super) fn finish_tolerant(mut self, clock: Clock) -> (Generation<'a>, Option<Error>) {
        let (clock, fault) = match (self.units_per_second(), self.units_per_second) {
            (Ok(units_per_second), _) => (Clock::new(units_per_second), None),
            (Err(error), Some(units_per_second)) => (Clock::new(units_per_second), Some(error)),
            (Err(error), None) => (clock, Some(error)),
        };
        let ids: BTreeSet<u64> = self.unnamed_in_frames().collect();
        let unnamed = Unnamed {
            causes: ids
                .into_iter()
                .map(|id| Cause::NoSuchString { id })
                .collect(),
            stacks: IdMap::default(),
        };
        (self.generation(clock, Some(unnamed)), fault)
    }

    /// How fast the generation's clock is.
    fn units_per_second(&self) -> Result<u64, Error> {
        let Some(units_per_second) = self.units_per_second else {
            return Err(self.error(Cause::NoFrequency, self.offset));
        };
        if self.version.at_least(Version::Go1_25) && !self.has_clock_snapshot {
            return Err(self.error(Cause::NoClockSnapshot, self.offset));
        }
        Ok(units_per_second)
    }

    /// Strings that frames refer to and no table has.
    fn unnamed_in_frames(&mut self) -> impl Iterator<Item = u64> {
        let strings = &self.strings;
        let frames = self.stacks.finish().iter();
        frames
            .flat_map(|frame| [frame.function.0, frame.file.0])
            .filter(|&id| id != 0 && strings.get(id).is_none())
    }

    fn generation(self, clock: Clock, unnamed: Option<Unnamed>) -> Generation<'a> {
        let mut samples = self.samples;
        for sample in &mut samples {
            sample.time_ns = clock.ns(sample.time_ns as u64);
        }
        go_sort::sort(&mut samples, |sample| sample.time_ns);
        Generation {
            number: self.number,
            offset: self.offset,
            clock,
            begin_units: self.begin_units,
            groups: self.groups,
            samples,
            known_strings: known_strings(self.strings.dense_len()),
            strings: self.strings,
            stacks: self.stacks,
            unnamed,
        }
    }

    pub(super) fn error(&self, cause: Cause, offset: u64) -> Error {
        Error::at(cause, offset).in_generation(self.number)
    }
}

impl<'a> Generation<'a> {
    /// The same for a tolerant reader.
    pub(super) fn tolerant(mut self) -> Self {
        self.unnamed.get_or_insert_default();
        self
    }

    /// How many strings and stacks its tables have.
    pub(super) fn table_sizes(&self) -> (usize, usize) {
        (self.strings.len(), self.stacks.len())
    }

    /// The trace's id of a string of the file.
    #[inline]
    pub(super) fn string(&mut self, id: u64, tables: &mut Tables<'a>) -> Result<StringId, Refusal> {
        match string(&mut self.strings, id, tables) {
            None => self.unnamed_string(id, tables),
            Some(known) => {
                if let Some(place) = self.known_strings.get_mut(id as usize) {
                    // One that does not fit is looked up again.
                    *place = u32::try_from(known.0).unwrap_or(UNKNOWN);
                }
                Ok(known)
            }
        }
    }

    /// The trace's id of a string that an event has referred to before.
    #[inline(always)]
    pub(super) fn plain_string(&self, id: u64) -> Option<StringId> {
        match self.known_strings.get(id as usize) {
            Some(&known) if known != UNKNOWN => Some(StringId(u64::from(known))),
            _ => None,
        }
    }

    /// The same of a stack.
    #[inline(always)]
    pub(super) fn plain_stack(&self, id: u64) -> Option<StackId> {
        self.stacks.known(id)
    }

    /// A string that no table explains: for a tolerant reader one that tells the id.
    #[cold]
    fn unnamed_string(&mut self, id: u64, tables: &mut Tables<'a>) -> Result<StringId, Refusal> {
        let cause = Cause::NoSuchString { id };
        let Some(unnamed) = &mut self.unnamed else {
            return Err(Box::new(cause));
        };
        unnamed.causes.push(cause);
        Ok(raw_string(&mut self.strings, id, tables))
    }

    /// The same of a stack.
    #[cold]
    fn unnamed_stack(&mut self, id: u64, tables: &mut Tables<'a>) -> Result<StackId, Refusal> {
        let cause = Cause::NoSuchStack { id };
        let Some(unnamed) = &mut self.unnamed else {
            return Err(Box::new(cause));
        };
        let stack = unnamed.stacks.entry(id).or_insert_with(|| {
            unnamed.causes.push(cause);
            tables.raw_stack(id)
        });
        Ok(*stack)
    }

    /// Takes the ids that events have referred to and no table explains.
    pub(super) fn take_unnamed(&mut self) -> Vec<Cause> {
        let causes = self.unnamed.as_mut().map(|unnamed| &mut unnamed.causes);
        causes.map(std::mem::take).unwrap_or_default()
    }

    /// The id of a string that is not worth a place in the tables.
    pub(super) fn message(
        &mut self,
        id: u64,
        tables: &mut Tables<'a>,
    ) -> Result<StringId, Refusal> {
        match self.strings.get(id) {
            // What is not in the file has an id from the begin.
            Some(Text {
                bytes: [],
                id: Some(known),
            }) => Ok(*known),
            Some(text) => Ok(tables.in_file(text.bytes)),
            None => self.string(id, tables),
        }
    }

    /// Finds the stacks that were in the trace before.
    pub(super) fn recognise_stacks(&mut self, tables: &Tables<'a>) {
        let strings = &self.strings;
        let find = |id: StringId| match id {
            StringId(0) => Some(id),
            StringId(id) => tables.find(strings.get(id)?.bytes),
        };
        self.stacks.recognise(tables, |frame| {
            tables.find_frame(Frame {
                function: find(frame.function)?,
                file: find(frame.file)?,
                ..frame
            })
        });
    }

    /// The trace's id of a stack of the file.
    #[inline(always)]
    pub(super) fn stack(&mut self, id: u64, tables: &mut Tables<'a>) -> Result<StackId, Refusal> {
        if id == 0 {
            return Ok(StackId(0));
        }
        if let Some(known) = self.stacks.known(id) {
            return Ok(known);
        }
        match self.known_stack(id, tables) {
            None => self.unnamed_stack(id, tables),
            Some(known) => Ok(known),
        }
    }

    /// The trace's id of a stack that a table has.
    #[inline(never)]
    pub(super) fn known_stack(&mut self, id: u64, tables: &mut Tables<'a>) -> Option<StackId> {
        let strings = &mut self.strings;
        self.stacks.intern(id, tables, |mut frame, tables| {
            for name in [&mut frame.function, &mut frame.file] {
                // Those that no table has were told when the generation was finished.
                let known = string(strings, name.0, tables);
                *name = known.unwrap_or_else(|| raw_string(strings, name.0, tables));
            }
            tables.frame(frame)
        })
    }
}

/// No string of the trace has this id.
const UNKNOWN: u32 = u32::MAX;

/// Of the strings whose ids are so small none is known but the empty one.
fn known_strings(length: usize) -> Vec<u32> {
    let mut known = vec![UNKNOWN; length.max(1)];
    known[0] = 0;
    known
}

/// The trace's id of a string, if a table has it.
#[inline]
fn string<'a>(
    strings: &mut IdTable<Text<'a>>,
    id: u64,
    tables: &mut Tables<'a>,
) -> Option<StringId> {
    if id == 0 {
        return Some(StringId(0));
    }
    let text = strings.get_mut(id)?;
    Some(*text.id.get_or_insert_with(|| tables.intern(text.bytes)))
}

/// The trace's id of a string that no table has.
#[cold]
fn raw_string<'a>(strings: &mut IdTable<Text<'a>>, id: u64, tables: &mut Tables<'a>) -> StringId {
    let known = tables.raw_string(id);
    let text = Text {
        bytes: &[],
        id: Some(known),
    };
    // It was not there.
    let _ = strings.insert(id, text);
    known
}
