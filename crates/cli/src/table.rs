//! Tables for people.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

/// A table without lines. Its numbers stand under each other; the columns of `texts` begin at their left.
pub(crate) fn empty(header: &[&str], texts: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for (column, name) in table.column_iter_mut().zip(header) {
        if !texts.contains(name) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Prints a table.
pub(crate) fn print(output: &mut impl Write, table: &Table) -> io::Result<()> {
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Says how many are left out.
pub(crate) fn rest(output: &mut impl Write, rest: usize) -> io::Result<()> {
    match rest {
        0 => Ok(()),
        rest => writeln!(output, " and {rest} more: --most 0 prints all"),
    }
}
