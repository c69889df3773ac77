//! What commands print for programs.

use std::io::{self, Write};

use serde::Serialize;

/// Prints an object on a line of its own.
pub(crate) fn print(output: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, line)?;
    writeln!(output)
}
