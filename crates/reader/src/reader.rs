//! The door: bytes of any version in, events out.

use exectrace_format::go_v1::Records;
use exectrace_format::go_v2::Items;
use exectrace_format::{Format, Version};

use crate::{Error, Event, Tables, v1, v2};

/// The events of a trace, in order.
///
/// It refuses what Go's own readers refuse: the first fault is the last item.
#[derive(Debug)]
pub struct Reader<'a> {
    version: Version,
    events: Events<'a>,
    /// Events that were put in order and not taken yet, from `taken` on.
    block: Vec<Event>,
    taken: usize,
    /// What comes after them.
    end: Option<End>,
}

/// How the events end.
#[derive(Clone, Copy, Debug)]
enum End {
    Whole,
    Fault(Error),
    /// The fault was told.
    Told,
}

/// So many events are put in order at once: few enough for the processor's cache, and enough that none is moved while it is still
/// being written.
pub(crate) const BLOCK_EVENTS: usize = 256;

/// What the file's own tables hold, of what was read so far. Format v2 begins them anew in each generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Entries of string tables.
    pub strings: u64,
    /// Entries of stack tables.
    pub stacks: u64,
    /// Generations; format v1 has none.
    pub generations: Option<u64>,
}

/// The format's own reader.
#[derive(Debug)]
enum Events<'a> {
    V1(Box<v1::Reader<'a>>),
    V2(Box<v2::Reader<'a>>),
}

impl<'a> Reader<'a> {
    /// Opens a whole file.
    ///
    /// # Errors
    ///
    /// When the header is none that is known.
    pub fn new(file: &'a [u8]) -> Result<Self, Error> {
        let refuse = Error::of_format;
        let version = Version::of(file).map_err(refuse)?;
        let events = match version.format() {
            Format::V1 => {
                let records = Records::of_file(file).map_err(refuse)?;
                Events::V1(Box::new(v1::Reader::new(file, records)?))
            }
            Format::V2 => {
                let items = Items::of_file(file).map_err(refuse)?;
                Events::V2(Box::new(v2::Reader::new(file, items)))
            }
        };
        Ok(Self {
            version,
            events,
            block: Vec::with_capacity(BLOCK_EVENTS + EVENTS_AT_ONCE),
            taken: 0,
            end: None,
        })
    }

    /// The version that the header names.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// What the file's tables hold, as far as they were read.
    #[must_use]
    pub fn contents(&self) -> Contents {
        match &self.events {
            Events::V1(events) => events.contents(),
            Events::V2(events) => events.contents(),
        }
    }

    /// The strings and stacks that the events so far refer to.
    #[must_use]
    pub fn tables(&self) -> &Tables<'a> {
        match &self.events {
            Events::V1(events) => events.tables(),
            Events::V2(events) => events.tables(),
        }
    }
}

/// The most events that one record makes.
const EVENTS_AT_ONCE: usize = 4;

impl Reader<'_> {
    /// The next events, in a row: the fastest way to all of them. `None` after the last ones.
    ///
    /// # Errors
    ///
    /// The fault that ends the trace, once, after all events before it.
    ///
    /// # Examples
    ///
    /// ```
    /// # let file = exectrace_format::Version::Go1_26.header();
    /// let mut reader = exectrace_reader::Reader::new(&file)?;
    /// let mut events = 0;
    /// while let Some(block) = reader.next_block()? {
    ///     events += block.len();
    /// }
    /// assert_eq!(events, 1);
    /// # Ok::<(), exectrace_reader::Error>(())
    /// ```
    pub fn next_block(&mut self) -> Result<Option<&[Event]>, Error> {
        if self.taken == self.block.len() {
            self.refill();
        }
        let from = std::mem::replace(&mut self.taken, self.block.len());
        if from < self.block.len() {
            return Ok(Some(&self.block[from..]));
        }
        match self.end {
            Some(End::Fault(error)) => {
                self.end = Some(End::Told);
                Err(error)
            }
            _ => Ok(None),
        }
    }

    /// Puts the next events in order.
    #[inline(never)]
    fn refill(&mut self) {
        self.block.clear();
        self.taken = 0;
        while self.end.is_none() && self.block.is_empty() {
            let filled = match &mut self.events {
                Events::V1(events) => events.fill(&mut self.block),
                Events::V2(events) => events.fill(&mut self.block),
            };
            self.end = match filled {
                Ok(true) => None,
                Ok(false) => Some(End::Whole),
                Err(error) => Some(End::Fault(error)),
            };
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Event, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.taken == self.block.len() {
            self.refill();
        }
        if let Some(&event) = self.block.get(self.taken) {
            self.taken += 1;
            return Some(Ok(event));
        }
        match self.end {
            Some(End::Fault(error)) => {
                self.end = Some(End::Told);
                Some(Err(error))
            }
            _ => None,
        }
    }
}

impl std::iter::FusedIterator for Reader<'_> {}
