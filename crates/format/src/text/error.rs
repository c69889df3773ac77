//! What can be wrong with the text of a trace.

use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: TextFault,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextFault {
    /// The first line is no header of a known version.
    NoHeader,
    /// The version has no type of this name.
    UnknownType,
    /// A word is no `name=value`.
    NoField,
    /// The type, in this version, has no such field, or the field stands there twice.
    UnknownField,
    /// A value is no number, or too large, or a frame has too many numbers or too few.
    BadNumber,
    /// A value is no text in quotes, or has an unknown escape.
    BadText,
    /// A record of v2 that is in no batch.
    OutsideBatch,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.fault {
            TextFault::NoHeader => "no header of a known version",
            TextFault::UnknownType => "unknown type",
            TextFault::NoField => "a word is no name=value",
            TextFault::UnknownField => "unknown or repeated field",
            TextFault::BadNumber => "malformed number or frame",
            TextFault::BadText => "malformed text",
            TextFault::OutsideBatch => "in no batch",
        };
        write!(f, "line {}: {fault}", self.line)
    }
}

impl std::error::Error for TextError {}
