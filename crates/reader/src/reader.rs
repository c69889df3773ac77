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
}

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
        let refuse = |error| Error::of_format(error, 0);
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
        Ok(Self { version, events })
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

impl Iterator for Reader<'_> {
    type Item = Result<Event, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.events {
            Events::V1(events) => events.next(),
            Events::V2(events) => events.next(),
        }
    }
}
