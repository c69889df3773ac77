//! Everything in a file as records, one after another.

use super::{ARGS_MAX, Batch, BatchKind, Entries, EventType, Events, Item, Items, Record};
use crate::error::Error;
use crate::version::Version;

/// The records of a file in its order: batch, kind of its data, entries or events, next batch.
///
/// This is the view of dumps and fixtures. A reader of traces takes the batches from [`Items`] and
/// decodes each when it is its turn. A fault inside a batch costs the rest of that batch; one in
/// the framing is the last item.
///
/// # Examples
///
/// ```
/// use exectrace_format::Version;
/// use exectrace_format::go_v2::{EventType, Records};
///
/// let file = [&Version::Go1_22.header()[..], &[1, 1, 50, 64, 2, 8, 100]].concat();
/// let types: Vec<_> = Records::of_file(&file)?.map(|record| record.unwrap().event_type).collect();
/// assert_eq!(types, [EventType::EventBatch, EventType::Frequency]);
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Records<'a> {
    items: Items<'a>,
    /// The byte that tells the kind of a batch, still to be delivered.
    marker: Option<Record<'a>>,
    body: Body<'a>,
}

/// The batch that we are in.
#[derive(Clone, Debug)]
enum Body<'a> {
    Events(Events<'a>),
    Entries(Entries<'a>),
}

impl<'a> Records<'a> {
    /// The records of a whole file, header included.
    ///
    /// # Errors
    ///
    /// Those of [`Items::of_file`].
    pub fn of_file(file: &'a [u8]) -> Result<Self, Error> {
        let items = Items::of_file(file)?;
        Ok(Self {
            items,
            marker: None,
            body: Body::Events(Events::new(&[], 0)),
        })
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.items.version()
    }

    /// Enters a batch and gives its head.
    fn enter(&mut self, batch: &Batch<'a>) -> Record<'a> {
        let version = self.version();
        let entries = batch.entries(version);
        let kind = batch.kind(version);
        self.marker = match batch.data.first() {
            Some(&number) if entries.offset() > batch.data_offset => EventType::from_number(number)
                .map(|event_type| record(batch.data_offset, event_type, [0; ARGS_MAX])),
            _ => None,
        };
        self.body = match kind {
            BatchKind::Events => Body::Events(batch.events()),
            _ => Body::Entries(entries),
        };
        let (generation, thread, time) = (batch.generation.0, batch.thread.0, batch.time);
        match batch.experiment {
            None => record(
                batch.offset,
                EventType::EventBatch,
                [generation, thread, time, 0, 0],
            ),
            Some(experiment) => {
                let args = [u64::from(experiment), generation, thread, time, 0];
                let head = record(batch.offset, EventType::ExperimentalBatch, args);
                Record {
                    rest: batch.data,
                    ..head
                }
            }
        }
    }
}

fn record<'a>(offset: u64, event_type: EventType, args: [u64; ARGS_MAX]) -> Record<'a> {
    Record {
        offset,
        event_type,
        delta: 0,
        args,
        rest: &[],
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(marker) = self.marker.take() {
            return Some(Ok(marker));
        }
        let inside = match &mut self.body {
            Body::Events(events) => events.next(),
            Body::Entries(entries) => entries.next(),
        };
        if inside.is_some() {
            return inside;
        }
        match self.items.next()? {
            Ok(Item::Batch(batch)) => Some(Ok(self.enter(&batch))),
            Ok(Item::EndOfGeneration { offset }) => Some(Ok(record(
                offset,
                EventType::EndOfGeneration,
                [0; ARGS_MAX],
            ))),
            Err(fault) => Some(Err(fault)),
        }
    }
}

impl std::iter::FusedIterator for Records<'_> {}
