//! A file as generations, one after another.

use exectrace_format::Version;
use exectrace_format::go_v2::{Batch, EventType, Item, Items};

use super::clock::Clock;
use super::generation::{Builder, Generation};
use crate::{Cause, Error};

/// Reads generations.
#[derive(Clone, Debug)]
pub(super) struct Framing<'a> {
    pub(super) version: Version,
    pub(super) file: &'a [u8],
    pub(super) items: Items<'a>,
    /// The first batch of the next generation: up to version 1.25 nothing else ends one.
    pub(super) spilled: Option<Batch<'a>>,
    /// What comes after the generations.
    pending: Option<Error>,
    is_first: bool,
    /// After the last whole generation another begins that has no events.
    pub(super) has_begun: bool,
    /// For a tolerant reader: the clock of the generation before.
    pub(super) clock: Option<Clock>,
    /// Likewise its number; 0 before the first.
    pub(super) last_generation: u64,
}

impl<'a> Framing<'a> {
    pub(super) fn new(file: &'a [u8], items: Items<'a>) -> Self {
        Self {
            version: items.version(),
            file,
            items,
            spilled: None,
            pending: None,
            is_first: true,
            has_begun: false,
            clock: None,
            last_generation: 0,
        }
    }

    /// Whether the file ends with the begin of a generation, as that of a program does which ended without stopping its trace.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The next generation; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Generation<'a>>, Error> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        if self.has_markers() {
            self.marked()
        } else {
            self.unmarked()
        }
    }

    /// The same for a tolerant reader, if nothing is wrong with the generation. Else it stays where it is, for [`Self::salvage`].
    pub(super) fn whole(&mut self) -> Option<Generation<'a>> {
        let mut ahead = self.clone();
        let generation = ahead.next().ok()??;
        // What ends with a marker may have any number, also that of an earlier one.
        let is_next = generation.number > self.last_generation || self.last_generation == 0;
        if !is_next && !self.has_markers() || ahead.pending.is_some() {
            return None;
        }
        ahead.clock = Some(generation.clock);
        ahead.last_generation = generation.number;
        *self = ahead;
        Some(generation.tolerant())
    }

    /// A generation that ends with a marker.
    fn marked(&mut self) -> Result<Option<Generation<'a>>, Error> {
        let mut builder: Option<Builder<'a>> = None;
        loop {
            let begin = self.items.offset();
            match self.items.next() {
                None => {
                    return match builder {
                        Some(builder) if builder.has_events() => {
                            let error = Error::at(Cause::GenerationCut, begin);
                            Err(error.in_generation(builder.number()))
                        }
                        builder => {
                            self.has_begun |= builder.is_some();
                            Ok(None)
                        }
                    };
                }
                Some(Err(error)) => {
                    let error = Error::of_format(error);
                    return Err(match builder {
                        Some(builder) => error.in_generation(builder.number()),
                        None => error,
                    });
                }
                Some(Ok(Item::Batch(batch))) => self.take(&mut builder, batch)?,
                Some(Ok(Item::EndOfGeneration { offset })) => {
                    let builder = builder.unwrap_or_else(|| Builder::new(self.version, 0, offset));
                    return builder.finish().map(Some);
                }
            }
        }
    }

    fn take(&self, builder: &mut Option<Builder<'a>>, batch: Batch<'a>) -> Result<(), Error> {
        let (found, offset) = (batch.generation.0, batch.offset);
        let builder = builder.get_or_insert_with(|| Builder::new(self.version, found, offset));
        let open = builder.number();
        if found != open {
            let cause = Cause::GenerationOutOfOrder { open, found };
            return Err(Error::at(cause, offset).in_generation(open));
        }
        builder.add(batch)
    }

    /// A generation that ends where the next one begins.
    fn unmarked(&mut self) -> Result<Option<Generation<'a>>, Error> {
        let mut builder: Option<Builder<'a>> = None;
        if let Some(batch) = self.spilled.take() {
            self.take(&mut builder, batch)?;
        }
        loop {
            match self.items.next() {
                None => break,
                Some(Err(error)) => {
                    let fault = Error::of_format(error);
                    // What comes after a generation leaves it whole, unless it seems to be a part of it.
                    if builder.is_none() || is_of_generation_zero(&error) {
                        return Err(fault);
                    }
                    self.pending = Some(fault);
                    break;
                }
                Some(Ok(Item::EndOfGeneration { .. })) => {}
                Some(Ok(Item::Batch(batch))) => {
                    let found = batch.generation.0;
                    if builder
                        .as_ref()
                        .is_some_and(|builder| found == builder.number().wrapping_add(1))
                    {
                        self.spilled = Some(batch);
                        break;
                    }
                    self.take(&mut builder, batch)?;
                }
            }
        }
        let is_first = std::mem::replace(&mut self.is_first, false);
        match builder {
            Some(builder) => builder.finish().map(Some),
            // A header alone is a generation without a frequency.
            None if is_first => Err(Error::at(Cause::NoFrequency, self.items.offset())),
            None => Ok(None),
        }
    }
}

/// Whether a fault is a batch of no generation; before there were end markers, such a marker is one, too.
fn is_of_generation_zero(error: &exectrace_format::Error) -> bool {
    use exectrace_format::Error as E;
    const END: u8 = EventType::EndOfGeneration as u8;
    matches!(
        error,
        E::GenerationZero { .. } | E::NotABatch { byte: END, .. }
    )
}
