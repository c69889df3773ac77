//! Frames of stacks, as JSON has them.

use std::borrow::Cow;
use std::fmt;

use exectrace_analysis::NamedFrame;
use exectrace_reader::{Frame, StackId, Tables};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A frame of a stack.
#[derive(JsonSchema, Serialize)]
pub struct FrameLine<'a> {
    /// The address: a text, since addresses have more bits than numbers of JavaScript.
    #[schemars(with = "String", regex(pattern = "^0x[0-9a-f]+$"))]
    pc: Address,
    /// The function; empty if it is not known.
    function: Cow<'a, str>,
    /// The file; empty if it is not known.
    file: Cow<'a, str>,
    /// The line in the file; 0 if it is not known.
    line: u64,
}

/// An address, in hexadecimal digits.
struct Address(u64);

impl<'a> FrameLine<'a> {
    fn of(frame: &Frame, tables: &'a Tables<'_>) -> Self {
        Self {
            pc: Address(frame.pc),
            function: tables.text(frame.function),
            file: tables.text(frame.file),
            line: frame.line,
        }
    }

    /// A frame of a report.
    #[must_use]
    pub fn named(frame: &'a NamedFrame) -> Self {
        Self {
            pc: Address(frame.pc),
            function: Cow::Borrowed(&frame.function),
            file: Cow::Borrowed(&frame.file),
            line: frame.line,
        }
    }

    /// The frames of a stack, innermost first.
    pub fn of_stack(stack: StackId, tables: &'a Tables<'_>) -> impl Iterator<Item = FrameLine<'a>> {
        tables.frames(stack).map(|frame| Self::of(frame, tables))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
