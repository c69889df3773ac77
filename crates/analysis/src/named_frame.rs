//! Frames of stacks as texts.

use std::borrow::Cow;

use crate::origin::Origin;

/// A frame of a stack, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct NamedFrame {
    /// The function; empty where the trace has no names.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The address.
    pub pc: u64,
}

impl NamedFrame {
    /// What to call it: its function, or its address.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        if self.function.is_empty() {
            Cow::Owned(format!("{:#x}", self.pc))
        } else {
            Cow::Borrowed(&self.function)
        }
    }

    /// Whether it is code that says little of a program: of its language's runtime and standard library, or of what it waits with.
    ///
    /// Told by the name of the function, so that a stack can be shown by its innermost frame that is the program's own.
    #[must_use]
    pub fn is_of_library(&self) -> bool {
        Origin::of(&self.function) == Origin::Runtime
    }
}
