//! Opens a compilation unit without its line program.
//!
//! gimli reads the header of the line program, with its hundreds of files, whenever it opens a unit. To learn a name from
//! another unit, or what all units are called, that is ten times the work.

use gimli::{
    AttributeValue, DebugAddrBase, DebugInfoOffset, DebugLocListsBase, DebugRngListsBase,
    DebugStrOffsetsBase,
};

use super::debug_info::{Dwarf, Slice};

/// A unit whose `line_program` is left out.
pub(super) fn open_without_lines<'b>(
    dwarf: &Dwarf<'b>,
    offset: DebugInfoOffset,
) -> gimli::Result<gimli::Unit<Slice<'b>>> {
    let header = dwarf.unit_header(offset)?;
    let (encoding, kind) = (header.encoding(), dwarf.file_type);
    let mut unit = gimli::Unit {
        abbreviations: dwarf.abbreviations(&header)?,
        header,
        name: None,
        comp_dir: None,
        low_pc: 0,
        str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(encoding, kind),
        addr_base: DebugAddrBase(0),
        loclists_base: DebugLocListsBase::default_for_encoding_and_file(encoding, kind),
        rnglists_base: DebugRngListsBase::default_for_encoding_and_file(encoding, kind),
        line_program: None,
        dwo_id: None,
    };
    let mut name = None;
    let mut directory = None;
    let mut start = None;
    let mut entries = unit.header.entries_raw(&unit.abbreviations, None)?;
    let root = entries.read_abbreviation()?;
    for specification in root.map_or(&[][..], |root| root.attributes()) {
        let attribute = entries.read_attribute(*specification)?;
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_name, value) => name = Some(value),
            (gimli::DW_AT_comp_dir, value) => directory = Some(value),
            (gimli::DW_AT_low_pc, value) => start = Some(value),
            (_, AttributeValue::DebugStrOffsetsBase(base)) => unit.str_offsets_base = base,
            (_, AttributeValue::DebugAddrBase(base)) => unit.addr_base = base,
            (_, AttributeValue::DebugRngListsBase(base)) => unit.rnglists_base = base,
            _ => {}
        }
    }
    // Only now are the bases known that the values may count from.
    unit.name = name.and_then(|name| dwarf.attr_string(&unit, name).ok());
    unit.comp_dir = directory.and_then(|directory| dwarf.attr_string(&unit, directory).ok());
    if let Some(start) = start {
        unit.low_pc = dwarf.attr_address(&unit, start)?.unwrap_or(0);
    }
    Ok(unit)
}
