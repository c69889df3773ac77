//! The door: bytes of any version in, events out.

use std::sync::LazyLock;
use std::thread::Scope;

use exectrace_format::go_v1::Records;
use exectrace_format::go_v2::Items;
use exectrace_format::limits::HEADER_BYTES;
use exectrace_format::{Format, Version};

use crate::block::BLOCK_EVENTS;
use crate::damage::Damage;
use crate::{Error, Event, Loss, Repair, Repairs, Tables, v1, v2};

/// The events of a trace, in order.
///
/// A strict one ([`Reader::new`]) refuses what Go's own readers refuse: the first fault is the last item. A tolerant one
/// ([`Reader::tolerant`]) reads on, and keeps account: [`Reader::loss`], [`Reader::repairs`]. Of a file that a strict one reads to
/// its end a tolerant one gives the same events, and has nothing to tell, but that the program ended without stopping the trace.
#[derive(Debug)]
pub struct Reader<'a> {
    version: Version,
    events: Events<'a>,
    /// Events that were put in order and not taken yet, from `taken` to `filled`; those beyond mean nothing.
    block: Vec<Event>,
    taken: usize,
    filled: usize,
    /// What comes after them.
    end: Option<End>,
}

/// How a reader takes what is wrong with a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It refuses what Go's own readers refuse, and stops there.
    #[default]
    Strict,
    /// It reads all that makes sense, and tells what it lost and put right.
    Tolerant,
}

/// How the events end.
#[derive(Clone, Copy, Debug)]
enum End {
    Whole,
    Fault(Error),
    /// The fault was told.
    Told,
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
        let version = Version::of(file).map_err(Error::of_format)?;
        Self::of_version(file, version, None)
    }

    /// Opens a whole file, and reads all of it that makes sense.
    ///
    /// What cannot be decoded is left out; what contradicts the events before is made to fit, by events of type
    /// [`Inferred`](crate::EventType::Inferred) before it, or left out; a file of a version that is not known is read as of the
    /// one before it. All of it is told by [`Self::loss`] and [`Self::repairs`]. No event is an error.
    ///
    /// # Errors
    ///
    /// When the header is none of a trace.
    pub fn tolerant(file: &'a [u8]) -> Result<Self, Error> {
        let mut damage = Damage::default();
        let version = match Version::of(file) {
            Ok(version) => version,
            Err(error) => {
                let version = version_before(error).ok_or_else(|| Error::of_format(error))?;
                damage.repair(Repair::Version, Error::of_format(error));
                version
            }
        };
        Self::of_version(file, version, Some(damage))
    }

    /// Opens a whole file in the one way or the other.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`] and [`Self::tolerant`].
    pub fn open(file: &'a [u8], mode: Mode) -> Result<Self, Error> {
        match mode {
            Mode::Strict => Self::new(file),
            Mode::Tolerant => Self::tolerant(file),
        }
    }

    /// Opens a whole file in the one way or the other, with a second thread of a scope that goes ahead of this one: it builds the tables
    /// of the next generation. The events are the same.
    ///
    /// The thread ends when the reader is dropped; nothing comes of one that is forgotten, for which the scope waits in vain. Only
    /// format v2 has something to do for it. With it the reader holds two generations' tables.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`] and [`Self::tolerant`].
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_reader::{Mode, Reader};
    /// # let file = exectrace_format::Version::Go1_26.header();
    /// let events = std::thread::scope(|scope| {
    ///     let reader = Reader::open_ahead(&file, Mode::Strict, scope)?;
    ///     reader.collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(events.len(), 1);
    /// # Ok::<(), exectrace_reader::Error>(())
    /// ```
    pub fn open_ahead(file: &'a [u8], mode: Mode, scope: &'a Scope<'a, '_>) -> Result<Self, Error> {
        let mut reader = Self::open(file, mode)?;
        if let Events::V2(events) = &mut reader.events {
            events.read_ahead(scope);
        }
        Ok(reader)
    }

    fn of_version(file: &'a [u8], version: Version, damage: Option<Damage>) -> Result<Self, Error> {
        let (bytes, offset) = (&file[HEADER_BYTES..], HEADER_BYTES as u64);
        let events = match version.format() {
            Format::V1 => {
                let records = Records::resume(version, bytes, offset);
                Events::V1(Box::new(v1::Reader::new(file, records, damage)?))
            }
            Format::V2 => {
                let items = Items::resume(version, bytes, offset);
                Events::V2(Box::new(v2::Reader::new(file, items, damage)))
            }
        };
        Ok(Self {
            version,
            events,
            block: Vec::with_capacity(BLOCK_EVENTS + EVENTS_AT_ONCE),
            taken: 0,
            filled: 0,
            end: None,
        })
    }

    /// The version that the header names.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// What was lost so far. A strict reader loses nothing: it stops.
    #[must_use]
    pub fn loss(&self) -> &Loss {
        self.damage().map_or(&NO_DAMAGE.loss, |damage| &damage.loss)
    }

    /// What was put right so far. A strict reader puts nothing right.
    #[must_use]
    pub fn repairs(&self) -> &Repairs {
        self.damage()
            .map_or(&NO_DAMAGE.repairs, |damage| &damage.repairs)
    }

    fn damage(&self) -> Option<&Damage> {
        match &self.events {
            Events::V1(events) => events.damage(),
            Events::V2(events) => events.damage(),
        }
    }

    /// What the file's tables hold, as far as they were read.
    #[must_use]
    pub fn contents(&self) -> Contents {
        match &self.events {
            Events::V1(events) => events.contents(),
            Events::V2(events) => events.contents(),
        }
    }

    /// The number that the file gives the generation of the last event, by which errors name it. Format v1 has no generations, and the
    /// number of one may come again.
    #[must_use]
    pub fn generation(&self) -> Option<u64> {
        match &self.events {
            Events::V1(_) => None,
            Events::V2(events) => events.generation(),
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

/// That of a strict reader.
static NO_DAMAGE: LazyLock<Damage> = LazyLock::new(Damage::default);

/// The version whose reader can be tried on a file of a version that is not known.
fn version_before(error: exectrace_format::Error) -> Option<Version> {
    let exectrace_format::Error::UnsupportedVersion { major, minor } = error else {
        return None;
    };
    let is_before = |version: &&Version| major > 1 || version.minor() < minor;
    Version::ALL.iter().rfind(is_before).copied()
}

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
        if self.taken == self.filled {
            self.refill();
        }
        let from = std::mem::replace(&mut self.taken, self.filled);
        if from < self.filled {
            return Ok(Some(&self.block[from..self.filled]));
        }
        match self.end {
            Some(End::Fault(error)) => {
                self.end = Some(End::Told);
                Err(error)
            }
            _ => Ok(None),
        }
    }

    /// The next event where it stands, beside the reader that knows what it refers to; `None` after the last one. Nothing is copied, as
    /// the iterator does.
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
    /// let mut frames = 0;
    /// while let Some((event, reader)) = reader.lend_next()? {
    ///     frames += reader.tables().frames(event.stack).len();
    /// }
    /// assert_eq!(frames, 0);
    /// # Ok::<(), exectrace_reader::Error>(())
    /// ```
    #[inline]
    pub fn lend_next(&mut self) -> Result<Option<(&Event, &Self)>, Error> {
        if self.taken == self.filled {
            self.refill();
        }
        if self.taken < self.filled {
            self.taken += 1;
            return Ok(Some((&self.block[self.taken - 1], self)));
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
        (self.taken, self.filled) = (0, 0);
        while self.end.is_none() && self.filled == 0 {
            let filled;
            (self.filled, filled) = match &mut self.events {
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
        let event = self.lend_next().map(|next| next.map(|(event, _)| *event));
        event.transpose()
    }
}

impl std::iter::FusedIterator for Reader<'_> {}
