//! Which compilation unit holds an address.

use std::collections::HashSet;
use std::ops::Range;

use gimli::DebugInfoOffset;

use super::debug_info::{Dwarf, UnitRef};
use super::ranges::RangeAttributes;
use super::source_path::CrateRoots;
use super::unit::open_without_lines;

/// Ranges of one unit that lie no further apart are one range: between functions of a unit lies padding only.
const PADDING_MAX: u64 = 64;
/// How many ranges before an address are asked: ranges may overlap where the linker merged equal functions.
const LOOK_BACK: usize = 8;

/// From address to unit, 24 bytes for a run of functions of one unit.
///
/// First from `.debug_aranges`, a table made for this. Only when that is not enough are all units asked, once: for an address
/// that the table leaves out (C compilers often write none, rustc does), for an entry of another unit, for a crate's name.
#[derive(Debug)]
pub(super) struct UnitMap {
    code: Range<u64>,
    ranges: Vec<UnitRange>,
    units: Option<AllUnits>,
}

#[derive(Debug, Default)]
struct AllUnits {
    /// Where each begins.
    offsets: Vec<DebugInfoOffset>,
    roots: CrateRoots,
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
            units: None,
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
        if found.is_some() || self.units.is_some() {
            return found;
        }
        self.all_units(dwarf);
        self.find(address)
    }

    /// The unit whose entries `entry` is among.
    pub(super) fn unit_of_entry(
        &mut self,
        dwarf: &Dwarf<'_>,
        entry: DebugInfoOffset,
    ) -> Option<DebugInfoOffset> {
        let units = &self.all_units(dwarf).offsets;
        let after = units.partition_point(|unit| unit.0 <= entry.0);
        units.get(after.checked_sub(1)?).copied()
    }

    /// Where the sources of the file's crates lie.
    pub(super) fn crate_roots(&mut self, dwarf: &Dwarf<'_>) -> &mut CrateRoots {
        &mut self.all_units(dwarf).roots
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

    fn all_units(&mut self, dwarf: &Dwarf<'_>) -> &mut AllUnits {
        if self.units.is_none() {
            let units = self.ask_all(dwarf);
            self.units = Some(units);
            self.arrange();
        }
        self.units.get_or_insert_default()
    }

    /// Asks each unit for its name, and for its ranges if the table left it out.
    fn ask_all(&mut self, dwarf: &Dwarf<'_>) -> AllUnits {
        let known: HashSet<usize> = self.ranges.iter().map(|range| range.unit).collect();
        let mut units = AllUnits::default();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Some(offset) = header.debug_info_offset() else {
                continue;
            };
            units.offsets.push(offset);
            let Ok(unit) = open_without_lines(dwarf, offset) else {
                continue;
            };
            let unit = UnitRef::new(dwarf, &unit);
            if let (Some(name), Some(directory)) = (unit.name, unit.comp_dir) {
                units.roots.note(name.slice(), directory.slice());
            }
            if !known.contains(&offset.0) {
                // A unit that makes no sense says nothing.
                let _ = unit_ranges(unit, offset, &self.code, &mut self.ranges);
            }
        }
        units.roots.arrange();
        units
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
    unit: UnitRef<'_, '_>,
    offset: DebugInfoOffset,
    code: &Range<u64>,
    ranges: &mut Vec<UnitRange>,
) -> gimli::Result<()> {
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
