//! Places in code, and which of a stack is the program's own.

use exectrace_reader::{Frame, StackId, Tables};

use crate::origin::Origin;

/// A place in code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The function.
    pub function: String,
    /// The file; empty if that is not told.
    pub file: String,
    /// The line; 0 if that is not told.
    pub line: u64,
}

impl Place {
    /// Whether it is the program's own code, as far as names tell, and not that of a library.
    #[must_use]
    pub fn is_own(&self) -> bool {
        Origin::of(&self.function) == Origin::Own
    }

    fn of(frame: &Frame, tables: &Tables<'_>) -> Self {
        Self {
            function: tables.text(frame.function).into_owned(),
            file: tables.text(frame.file).into_owned(),
            line: frame.line,
        }
    }
}

/// How many places are told of a stack.
const PLACES_MAX: usize = 16;

/// The places of a stack, innermost first, from what the program calls on: how a library does it is nobody's business here.
pub(super) fn from_own(stack: StackId, tables: &Tables<'_>) -> Vec<Place> {
    let frames = tables.frames(stack);
    let own = frames
        .clone()
        .position(|frame| Origin::of(&tables.text(frame.function)) == Origin::Own);
    let from = own.unwrap_or(0).saturating_sub(1);
    let places = frames.skip(from).map(|frame| Place::of(frame, tables));
    places.take(PLACES_MAX).collect()
}

/// The innermost place that is the program's own; if all is in libraries the innermost of all.
pub(super) fn own(stack: StackId, tables: &Tables<'_>) -> Option<Place> {
    let mut frames = tables.frames(stack);
    let innermost = frames.clone().next()?;
    let own = frames.find(|frame| Origin::of(&tables.text(frame.function)) == Origin::Own);
    Some(Place::of(own.unwrap_or(innermost), tables))
}

/// The outermost place: what a task runs.
pub(super) fn outermost(stack: StackId, tables: &Tables<'_>) -> Option<Place> {
    let frame = tables.frames(stack).last()?;
    Some(Place::of(frame, tables))
}
