//! The generation after the one that is being read.

use super::framing::Framing;
use super::generation::Generation;
use super::piece::Work;
use crate::Error;
use crate::damage::Damage;

/// The generation that comes next, once it was looked for.
#[derive(Debug)]
pub(super) struct Coming<'a> {
    pub(super) framing: Framing<'a>,
    is_tolerant: bool,
    found: Option<Result<Option<Generation<'a>>, Error>>,
}

impl<'a> Coming<'a> {
    pub(super) fn new(framing: Framing<'a>, is_tolerant: bool) -> Self {
        Self {
            framing,
            is_tolerant,
            found: None,
        }
    }

    /// The next generation, whether it was looked for before or not; `None` at the end of the file.
    pub(super) fn next(
        &mut self,
        damage: Option<&mut Damage>,
    ) -> Result<Option<Generation<'a>>, Error> {
        match (self.found.take(), damage) {
            (Some(found), _) => found,
            (None, None) => self.framing.next(),
            (None, Some(damage)) => {
                let whole = self.framing.whole();
                Ok(whole.or_else(|| self.framing.salvage(damage)))
            }
        }
    }
}

impl Work for Box<Coming<'_>> {
    fn work(&mut self) {
        self.found = if self.is_tolerant {
            // What is damaged is for the reader itself, which keeps account of it.
            self.framing.whole().map(|found| Ok(Some(found)))
        } else {
            Some(self.framing.next())
        };
    }
}
