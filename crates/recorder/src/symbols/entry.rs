//! Entries of debug information: what is inlined at an address, and what functions are called.

use gimli::{Abbreviation, AttributeValue, DebugInfoOffset, EntriesRaw, UnitOffset};

use super::debug_info::{Slice, UnitRef};
use super::ranges::RangeAttributes;
use super::unit::open_without_lines;
use super::unit_map::UnitMap;

/// How many entries may refer to one another until one has the name; compilers need three.
const REFERENCES_MAX: usize = 16;

/// A function and the calls inlined into it around an address.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) function: DebugInfoOffset,
    /// From the outermost to the innermost.
    pub(super) inlined: Vec<InlinedCall>,
}

/// A call that was replaced by the function called.
#[derive(Debug, Default)]
pub(super) struct InlinedCall {
    /// The entry of the function called.
    pub(super) function: Option<DebugInfoOffset>,
    /// Where the call stands: an index of the unit's files, and a line.
    file: u64,
    line: u32,
}

impl Chain {
    /// Reads the entries below that of the function at `entry`, one after the other.
    pub(super) fn read(
        unit: UnitRef<'_, '_>,
        entry: UnitOffset,
        address: u64,
    ) -> gimli::Result<Self> {
        let function = entry
            .to_debug_info_offset(&unit.header)
            .ok_or(gimli::Error::NoEntryAtGivenOffset(entry.0 as u64))?;
        let mut inlined = Vec::new();
        let mut entries = unit.entries_raw(Some(entry))?;
        // Below this depth lies what holds the address.
        let mut depth = entries.next_depth();
        if let Some(abbreviation) = entries.read_abbreviation()? {
            entries.skip_attributes(abbreviation.attributes())?;
        }
        while !entries.is_empty() && entries.next_depth() > depth {
            let here = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            match abbreviation.tag() {
                gimli::DW_TAG_inlined_subroutine => {
                    let (call, ranges) = InlinedCall::read(unit, &mut entries, abbreviation)?;
                    if ranges.hold(unit, address)? {
                        inlined.push(call);
                        depth = here;
                    } else {
                        skip_below(&mut entries, here)?;
                    }
                }
                gimli::DW_TAG_subprogram => {
                    entries.skip_attributes(abbreviation.attributes())?;
                    skip_below(&mut entries, here)?;
                }
                // Blocks hold inlined calls, too.
                _ => entries.skip_attributes(abbreviation.attributes())?,
            }
        }
        Ok(Self { function, inlined })
    }
}

fn skip_below<'b>(entries: &mut EntriesRaw<'_, Slice<'b>>, depth: isize) -> gimli::Result<()> {
    while !entries.is_empty() && entries.next_depth() > depth {
        if let Some(abbreviation) = entries.read_abbreviation()? {
            entries.skip_attributes(abbreviation.attributes())?;
        }
    }
    Ok(())
}

impl InlinedCall {
    fn read<'b>(
        unit: UnitRef<'_, 'b>,
        entries: &mut EntriesRaw<'_, Slice<'b>>,
        abbreviation: &Abbreviation,
    ) -> gimli::Result<(Self, RangeAttributes)> {
        let mut ranges = RangeAttributes::default();
        let mut call = Self::default();
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            ranges.note(unit, &attribute)?;
            call.note(unit, attribute.name(), attribute.value());
        }
        Ok((call, ranges))
    }

    /// The file and the line of the call.
    pub(super) fn place(&self) -> (u64, u32) {
        (self.file, self.line)
    }

    fn note<'b>(
        &mut self,
        unit: UnitRef<'_, 'b>,
        name: gimli::DwAt,
        value: AttributeValue<Slice<'b>>,
    ) {
        match (name, value) {
            (gimli::DW_AT_abstract_origin, value) => self.function = reference(unit, value),
            (gimli::DW_AT_call_file, AttributeValue::FileIndex(file)) => self.file = file,
            (gimli::DW_AT_call_line, value) => {
                let line = value.udata_value().unwrap_or(0);
                self.line = u32::try_from(line).unwrap_or(0);
            }
            _ => {}
        }
    }
}

/// What an entry calls its function.
#[derive(Debug, Default)]
pub(super) struct Name<'b> {
    /// The linker's name, which has the whole path.
    pub(super) linkage: Option<&'b [u8]>,
    /// The name without a path.
    pub(super) plain: Option<&'b [u8]>,
}

impl<'b> Name<'b> {
    /// Reads the name of the function at `entry`, in `unit` or another one. An error leaves out what it hides.
    pub(super) fn read(unit: UnitRef<'_, 'b>, map: &mut UnitMap, entry: DebugInfoOffset) -> Self {
        let mut name = Self::default();
        let mut next = Some(entry);
        for _ in 0..REFERENCES_MAX {
            let Some(entry) = next else {
                break;
            };
            next = name.follow(unit, map, entry).unwrap_or(None);
            if name.linkage.is_some() && name.plain.is_some() {
                break;
            }
        }
        name
    }

    /// Takes in what one entry says, and returns the entry that it refers to.
    fn follow(
        &mut self,
        unit: UnitRef<'_, 'b>,
        map: &mut UnitMap,
        entry: DebugInfoOffset,
    ) -> gimli::Result<Option<DebugInfoOffset>> {
        if let Some(inside) = entry.to_unit_offset(&unit.header) {
            return self.note(unit, inside);
        }
        let dwarf = unit.dwarf;
        let Some(offset) = map.unit_of_entry(dwarf, entry) else {
            return Ok(None);
        };
        let other = open_without_lines(dwarf, offset)?;
        match entry.to_unit_offset(&other.header) {
            Some(inside) => self.note(UnitRef::new(dwarf, &other), inside),
            None => Ok(None),
        }
    }

    fn note(
        &mut self,
        unit: UnitRef<'_, 'b>,
        entry: UnitOffset,
    ) -> gimli::Result<Option<DebugInfoOffset>> {
        let mut next = None;
        let mut entries = unit.entries_raw(Some(entry))?;
        let Some(abbreviation) = entries.read_abbreviation()? else {
            return Ok(None);
        };
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            let text = || unit.attr_string(attribute.value()).ok();
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    self.linkage = self.linkage.or_else(|| text().map(|text| text.slice()));
                }
                gimli::DW_AT_name => {
                    self.plain = self.plain.or_else(|| text().map(|text| text.slice()));
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    next = reference(unit, attribute.value());
                }
                _ => {}
            }
        }
        Ok(next)
    }
}

fn reference(unit: UnitRef<'_, '_>, value: AttributeValue<Slice<'_>>) -> Option<DebugInfoOffset> {
    match value {
        AttributeValue::UnitRef(offset) => offset.to_debug_info_offset(&unit.header),
        AttributeValue::DebugInfoRef(offset) => Some(offset),
        _ => None,
    }
}
