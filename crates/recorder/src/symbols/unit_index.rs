//! What is kept of a compilation unit: where its functions and the sequences of its line program begin.

use std::ops::Range;

use gimli::UnitOffset;

use super::debug_info::UnitRef;
use super::line_program::{LineProgram, Row, Sequence};
use super::ranges::RangeAttributes;

/// How many entries before an address are asked: entries may overlap where the linker merged equal functions.
const LOOK_BACK: usize = 8;

/// The functions and line sequences of a unit, by address; 16 bytes each.
#[derive(Debug)]
pub(super) struct UnitIndex {
    functions: Box<[Function]>,
    sequences: Box<[Sequence]>,
}

#[derive(Debug)]
struct Function {
    start: u64,
    size: u32,
    /// Its entry, from the start of the unit.
    entry: u32,
}

impl UnitIndex {
    /// Reads the unit as far as it makes sense.
    pub(super) fn read(unit: UnitRef<'_, '_>, code: &Range<u64>) -> Self {
        let mut functions = Vec::new();
        // What was found before an error is worth keeping.
        let _ = collect_functions(unit, code, &mut functions);
        functions.sort_unstable_by_key(|function| function.start);
        let program = unit.line_program.as_ref();
        let program = program.map(|program| LineProgram::new(program.header()));
        Self {
            functions: functions.into_boxed_slice(),
            sequences: program.map_or_else(Box::default, |program| program.sequences(code)),
        }
    }

    /// The entry of the function that holds `address`.
    pub(super) fn function(&self, address: u64) -> Option<UnitOffset> {
        let after = self
            .functions
            .partition_point(|function| function.start <= address);
        let before = self.functions[..after].iter().rev().take(LOOK_BACK);
        let mut holding =
            before.filter(|function| address - function.start < u64::from(function.size));
        Some(UnitOffset(holding.next()?.entry as usize))
    }

    /// The row of the line program that holds `address`.
    pub(super) fn row(&self, unit: UnitRef<'_, '_>, address: u64) -> Option<Row> {
        let program = LineProgram::new(unit.line_program.as_ref()?.header());
        let after = self
            .sequences
            .partition_point(|sequence| sequence.start <= address);
        let mut before = self.sequences[..after].iter().rev().take(LOOK_BACK);
        program.row_at(*before.find(|sequence| sequence.holds(address))?, address)
    }
}

fn collect_functions(
    unit: UnitRef<'_, '_>,
    code: &Range<u64>,
    functions: &mut Vec<Function>,
) -> gimli::Result<()> {
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() {
        let entry = u32::try_from(entries.next_offset().0).unwrap_or(u32::MAX);
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.tag() != gimli::DW_TAG_subprogram {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        let mut ranges = RangeAttributes::default();
        for specification in abbreviation.attributes() {
            ranges.note(unit, &entries.read_attribute(*specification)?)?;
        }
        ranges.for_each(unit, |range| {
            if code.contains(&range.begin)
                && let Ok(size) = u32::try_from(range.end - range.begin)
            {
                functions.push(Function {
                    start: range.begin,
                    size,
                    entry,
                });
            }
        })?;
    }
    Ok(())
}
