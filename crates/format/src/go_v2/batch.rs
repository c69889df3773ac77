//! A batch: what one thread wrote in one generation, or a table.

use super::{Entries, EventType, Events};
use crate::ids::ThreadId;
use crate::varint;
use crate::version::Version;

/// The number of a generation, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Generation(
    /// The number on the wire.
    pub u64,
);

/// A batch of any kind.
///
/// # Examples
///
/// A batch that is written and read again:
///
/// ```
/// use exectrace_format::go_v2::{Batch, BatchKind, Event, Generation, GoDestroy, Item, Items};
/// use exectrace_format::{ThreadId, Version};
///
/// let mut data = Vec::new();
/// GoDestroy {}.append(7, &mut data);
/// let batch = Batch { generation: Generation(1), thread: ThreadId(50), time: 64, data: &data, ..Batch::EMPTY };
/// let mut bytes = Vec::new();
/// batch.append(&mut bytes);
///
/// let mut items = Items::resume(Version::Go1_26, &bytes, 0);
/// let Some(Ok(Item::Batch(read))) = items.next() else { panic!() };
/// assert_eq!((read.thread, read.time, read.data), (batch.thread, batch.time, &data[..]));
/// assert_eq!(read.kind(Version::Go1_26), BatchKind::Events);
/// assert_eq!(read.events().count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Batch<'a> {
    /// Where the batch begins in the file.
    pub offset: u64,
    /// The experiment that the data belongs to; `None` for an ordinary batch.
    pub experiment: Option<u8>,
    /// The generation.
    pub generation: Generation,
    /// The thread that wrote the batch, if one did.
    pub thread: ThreadId,
    /// When it was begun; the first event's time counts from here.
    pub time: u64,
    /// Where its data begins in the file.
    pub data_offset: u64,
    /// Its data.
    pub data: &'a [u8],
}

/// What is in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BatchKind {
    /// Events of the batch's thread.
    Events,
    /// Entries of the string table.
    Strings,
    /// Entries of the stack table.
    Stacks,
    /// CPU samples.
    Samples,
    /// What ties the trace's clock to others.
    Sync,
    /// Something of an experiment.
    Experiment,
}

impl<'a> Batch<'a> {
    /// A batch of no thread and no data, to be filled in.
    pub const EMPTY: Self = Self {
        offset: 0,
        experiment: None,
        generation: Generation(0),
        thread: ThreadId::NONE,
        time: 0,
        data_offset: 0,
        data: &[],
    };

    /// What is in the batch; its first byte of data says it.
    #[must_use]
    pub fn kind(&self, version: Version) -> BatchKind {
        const STRINGS: u8 = EventType::Strings as u8;
        const STACKS: u8 = EventType::Stacks as u8;
        const SAMPLES: u8 = EventType::CPUSamples as u8;
        const SYNC: u8 = EventType::Sync as u8;
        const FREQUENCY: u8 = EventType::Frequency as u8;
        let has_clocks = version.at_least(Version::Go1_25);
        match self.data.first() {
            _ if self.experiment.is_some() => BatchKind::Experiment,
            Some(&STRINGS) => BatchKind::Strings,
            Some(&STACKS) => BatchKind::Stacks,
            Some(&SAMPLES) => BatchKind::Samples,
            Some(&SYNC) if has_clocks => BatchKind::Sync,
            Some(&FREQUENCY) if !has_clocks => BatchKind::Sync,
            _ => BatchKind::Events,
        }
    }

    /// The events of a batch of events.
    #[must_use]
    pub fn events(&self) -> Events<'a> {
        Events::new(self.data, self.data_offset)
    }

    /// The entries of any batch but one of events or of an experiment; those have none.
    #[must_use]
    pub fn entries(&self, version: Version) -> Entries<'a> {
        Entries::new(self, version)
    }

    /// Appends the batch; the offsets do not matter. Limits are not checked.
    pub fn append(&self, out: &mut Vec<u8>) {
        match self.experiment {
            None => out.push(EventType::EventBatch as u8),
            Some(experiment) => out.extend([EventType::ExperimentalBatch as u8, experiment]),
        }
        for number in [
            self.generation.0,
            self.thread.0,
            self.time,
            self.data.len() as u64,
        ] {
            varint::push(out, number);
        }
        out.extend_from_slice(self.data);
    }
}
