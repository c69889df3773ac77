//! Which compilation unit holds an address.

use std::collections::HashSet;
use std::ops::Range;

use gimli::DebugInfoOffset;

use super::debug_info::{Dwarf, UnitRef};
use super::ranges::RangeAttributes;

/// Ranges of one unit that lie no further apart are one range: between functions of a unit lies padding only.
const PADDING_MAX: u64 = 64;
/// How many ranges before an address are asked: ranges may overlap where the linker merged equal functions.
const LOOK_BACK: usize = 8;

/// From address to unit, 24 bytes for a run of functions of one unit.
///
/// First from `.debug_aranges`, a table made for this; only when an address is not in it are the units asked that the table
/// leaves out. C compilers often write no such table, rustc does.
#[derive(Debug)]
pub(super) struct UnitMap {
    code: Range<u64>,
    ranges: Vec<UnitRange>,
    /// Where each unit begins; empty until asked for.
    units: Vec<DebugInfoOffset>,
    is_complete: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct UnitRange {
    start: u64,
    end: u64,
    unit: usize,
}

impl UnitMap {
    /// Reads the table of ranges; `code` bounds the addresses that are code of the file.
    pub(super) fn read(dwarf: &Dwarf<'_>, code: Range<u64>) -> Self {
        let mut ranges = Vec::new();
        // What was found before an error is worth keeping: the units themselves fill the gap.
        let _ = table(dwarf, &code, &mut ranges);
        let mut map = Self {
            code,
            ranges,
            units: Vec::new(),
            is_complete: false,
        };
        map.arrange();
        map
    }

    /// The unit that holds `address`.
    pub(super) fn unit_at(&mut self, dwarf: &Dwarf<'_>, address: u64) -> Option<DebugInfoOffset> {
        if !self.code.contains(&address) {
            return None;
        }
        let found = self.find(address);
        if found.is_some() || self.is_complete {
            return found;
        }
        self.complete(dwarf);
        self.find(address)
    }

    /// The unit whose entries `entry` is among.
    pub(super) fn unit_of_entry(
        &mut self,
        dwarf: &Dwarf<'_>,
        entry: DebugInfoOffset,
    ) -> Option<DebugInfoOffset> {
        if self.units.is_empty() {
            self.list_units(dwarf);
        }
        let after = self.units.partition_point(|unit| unit.0 <= entry.0);
        self.units.get(after.checked_sub(1)?).copied()
    }

    /// The bounds of code.
    pub(super) fn code(&self) -> &Range<u64> {
        &self.code
    }

    fn find(&self, address: u64) -> Option<DebugInfoOffset> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let mut before = self.ranges[..after].iter().rev().take(LOOK_BACK);
        let range = before.find(|range| address < range.end)?;
        Some(DebugInfoOffset(range.unit))
    }

    fn list_units(&mut self, dwarf: &Dwarf<'_>) {
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            self.units.extend(header.debug_info_offset());
        }
    }

    /// Asks the units that the table left out for their ranges.
    fn complete(&mut self, dwarf: &Dwarf<'_>) {
        self.is_complete = true;
        if self.units.is_empty() {
            self.list_units(dwarf);
        }
        let known: HashSet<usize> = self.ranges.iter().map(|range| range.unit).collect();
        for unit in &self.units {
            if !known.contains(&unit.0) {
                // A unit that makes no sense says nothing.
                let _ = unit_ranges(dwarf, *unit, &self.code, &mut self.ranges);
            }
        }
        self.arrange();
    }

    /// Sorts, and joins neighbours of one unit.
    fn arrange(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, range| {
            let joins =
                next.unit == range.unit && next.start <= range.end.saturating_add(PADDING_MAX);
            if joins {
                range.end = range.end.max(next.end);
            }
            joins
        });
        self.ranges.shrink_to_fit();
    }
}

fn table(dwarf: &Dwarf<'_>, code: &Range<u64>, ranges: &mut Vec<UnitRange>) -> gimli::Result<()> {
    let mut headers = dwarf.debug_aranges.headers();
    while let Some(header) = headers.next()? {
        let unit = header.debug_info_offset().0;
        let mut entries = header.entries();
        while let Some(entry) = entries.next().transpose() {
            // One range that overflows does not spoil the others; the iterator ends by itself.
            if let Ok(entry) = entry {
                let range = entry.range();
                push(range.begin, range.end, unit, code, ranges);
            }
        }
    }
    Ok(())
}

fn unit_ranges(
    dwarf: &Dwarf<'_>,
    offset: DebugInfoOffset,
    code: &Range<u64>,
    ranges: &mut Vec<UnitRange>,
) -> gimli::Result<()> {
    let header = dwarf.unit_header(offset)?;
    let unit = dwarf.unit(header)?;
    let unit = UnitRef::new(dwarf, &unit);
    let mut entries = unit.entries_raw(None)?;
    let Some(root) = entries.read_abbreviation()? else {
        return Ok(());
    };
    let mut attributes = RangeAttributes::default();
    for specification in root.attributes() {
        attributes.note(unit, &entries.read_attribute(*specification)?)?;
    }
    attributes.for_each(unit, |range| {
        push(range.begin, range.end, offset.0, code, ranges);
    })
}

/// Functions that the linker dropped are left with an address that is no code.
fn push(start: u64, end: u64, unit: usize, code: &Range<u64>, ranges: &mut Vec<UnitRange>) {
    if start < end && code.contains(&start) {
        ranges.push(UnitRange { start, end, unit });
    }
}
