//! Debug information: from an address to function, file, line, and what is inlined there.
//!
//! A recording asks for some thousand addresses of the hundreds of thousands of functions of a large program, each once. So
//! nothing is kept but small tables that say where to look ([`UnitMap`], [`UnitIndex`]), and a look-up parses what it needs
//! anew: the header of one unit, the entries of one function, the line rows of one function. Tables hold offsets, never
//! borrows, so that they live beside the mapped file. Errors in the data end in less information, never in a panic.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;

use gimli::{DebugInfoOffset, DwarfSections, EndianSlice, LittleEndian};

use super::Frame;
use super::elf::Elf;
use super::entry::{Chain, InlinedCall, Name};
use super::line_program::Row;
use super::names::{NameId, Names};
use super::source_path::is_rust_unit;
use super::unit_index::UnitIndex;
use super::unit_map::UnitMap;
use crate::demangle::{Body, bounded, symbol_name, unqualified_name};
use crate::thread_entry;

/// Bytes of a debug section.
pub(super) type Slice<'b> = EndianSlice<'b, LittleEndian>;
/// All debug sections of a file.
pub(super) type Dwarf<'b> = gimli::Dwarf<Slice<'b>>;
/// A compilation unit.
pub(super) type UnitRef<'u, 'b> = gimli::UnitRef<'u, Slice<'b>>;

/// The debug information of one file.
#[derive(Debug)]
pub(super) struct DebugInfo {
    sections: DwarfSections<Range<usize>>,
    map: UnitMap,
    units: HashMap<DebugInfoOffset, UnitIndex>,
    /// Names of inlined functions: the same few are inlined everywhere.
    inlined: HashMap<DebugInfoOffset, NameId>,
}

impl DebugInfo {
    /// Finds the debug information of a file, or `None` if it has none.
    pub(super) fn read(elf: &Elf, bytes: &[u8]) -> Option<Self> {
        let place =
            |id: gimli::SectionId| Ok::<_, Infallible>(elf.contents(bytes, id.name().as_bytes()));
        let Ok(sections) = DwarfSections::load(place);
        let map = {
            let dwarf = open(&sections, bytes);
            dwarf.units().next().ok()??;
            UnitMap::read(&dwarf, elf.code())
        };
        Some(Self {
            sections,
            map,
            units: HashMap::new(),
            inlined: HashMap::new(),
        })
    }

    /// Appends the frames at `address`, innermost first. Without any, nothing is known of the address.
    ///
    /// `symbol` is the linker's name of the function around it.
    pub(super) fn frames(
        &mut self,
        bytes: &[u8],
        address: u64,
        symbol: Option<&[u8]>,
        names: &mut Names,
        frames: &mut Vec<Frame>,
    ) {
        let dwarf = open(&self.sections, bytes);
        let Some(offset) = self.map.unit_at(&dwarf, address) else {
            return;
        };
        let unit = dwarf
            .unit_header(offset)
            .and_then(|header| dwarf.unit(header));
        let Ok(unit) = unit else {
            return;
        };
        let unit = UnitRef::new(&dwarf, &unit);
        let code = self.map.code();
        let index = self
            .units
            .entry(offset)
            .or_insert_with(|| UnitIndex::read(unit, code));
        let row = index.row(unit, address);
        let chain = index
            .function(address)
            .and_then(|entry| Chain::read(unit, entry, address).ok());
        let mut lookup = LookUp {
            unit,
            map: &mut self.map,
            inlined: &mut self.inlined,
            names,
            called: None,
        };
        lookup.frames(row, chain, symbol, frames);
    }
}

/// One look-up: what it reads and where it keeps names.
struct LookUp<'l, 'b> {
    unit: UnitRef<'l, 'b>,
    map: &'l mut UnitMap,
    inlined: &'l mut HashMap<DebugInfoOffset, NameId>,
    names: &'l mut Names,
    /// The function that really is called, once it is known.
    called: Option<Frame>,
}

impl LookUp<'_, '_> {
    fn frames(
        &mut self,
        row: Option<Row>,
        chain: Option<Chain>,
        symbol: Option<&[u8]>,
        frames: &mut Vec<Frame>,
    ) {
        let place = row.map(|row| (row.file, row.line));
        let Some(chain) = chain else {
            if let (Some(place), Some(symbol)) = (place, symbol) {
                let function = self.names.intern(&symbol_name(symbol, Body::Other));
                frames.push(self.frame(function, Some(place)));
            }
            return;
        };
        let before = frames.len();
        let calls = &chain.inlined;
        let place_in = |depth: usize| calls.get(depth).map(InlinedCall::place).or(place);
        // The function called first: its name is whole, and tells something of those that are inlined.
        let mut called = self.frame(NameId::EMPTY, place_in(0));
        called.function = self.function_name(chain.function, symbol, called.file);
        self.called = Some(called);
        frames.push(called);
        for (depth, call) in calls.iter().enumerate() {
            let mut frame = self.frame(NameId::EMPTY, place_in(depth + 1));
            frame.function = self.inlined_name(call.function, frame.file);
            frames.push(frame);
        }
        frames[before..].reverse();
    }

    fn frame(&mut self, function: NameId, place: Option<(u64, u32)>) -> Frame {
        let (file, line) = place.unwrap_or_default();
        Frame {
            function,
            file: self.file(file),
            line,
        }
    }

    /// The name of the function that really is called. The linker's name for it is whole where the unit's is not.
    fn function_name(
        &mut self,
        entry: DebugInfoOffset,
        symbol: Option<&[u8]>,
        file: NameId,
    ) -> NameId {
        let name = Name::read(self.unit, self.map, entry);
        let plain = name.plain.unwrap_or_default();
        let Some(symbol) = name.linkage.or(symbol) else {
            return self.unqualified(plain, file);
        };
        let mut function = symbol_name(symbol, Body::of(plain));
        if thread_entry::is_entry(&function) {
            function = thread_entry::with_arguments(function, &unqualified_name(plain, None));
        }
        self.names.intern(&function)
    }

    fn inlined_name(&mut self, entry: Option<DebugInfoOffset>, file: NameId) -> NameId {
        let Some(entry) = entry else {
            return self.names.intern(UNKNOWN_FUNCTION);
        };
        if let Some(name) = self.inlined.get(&entry) {
            return *name;
        }
        let name = Name::read(self.unit, self.map, entry);
        let plain = name.plain.unwrap_or_default();
        let id = match name.linkage {
            Some(symbol) => self.names.intern(&symbol_name(symbol, Body::of(plain))),
            None => self.unqualified(plain, file),
        };
        self.inlined.insert(entry, id);
        id
    }

    fn unqualified(&mut self, name: &[u8], file: NameId) -> NameId {
        if name.is_empty() {
            return self.names.intern(UNKNOWN_FUNCTION);
        }
        // Only rustc leaves the path out: C has none.
        let is_rust = self
            .unit
            .name
            .is_some_and(|name| is_rust_unit(name.slice()));
        let module = match is_rust {
            true => {
                let roots = self.map.crate_roots(self.unit.dwarf);
                if let Some(called) = self.called {
                    roots.learn(
                        self.names.text(called.file),
                        self.names.text(called.function),
                    );
                }
                roots.module_of(self.names.text(file))
            }
            false => None,
        };
        self.names
            .intern(&unqualified_name(name, module.as_deref()))
    }

    /// The path of a file of the unit's line program; empty if it has none.
    fn file(&mut self, index: u64) -> NameId {
        let path = file_path(self.unit, index).unwrap_or_default();
        self.names.intern(&bounded(path))
    }
}

/// An entry without a name, which no compiler writes.
const UNKNOWN_FUNCTION: &str = "?";

fn file_path(unit: UnitRef<'_, '_>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let mut path = unit.comp_dir.map_or_else(String::new, |directory| {
        directory.to_string_lossy().into_owned()
    });
    // Directory 0 is the unit's own.
    if file.directory_index() != 0
        && let Some(directory) = file.directory(header)
    {
        join(&mut path, unit.attr_string(directory).ok()?);
    }
    join(&mut path, unit.attr_string(file.path_name()).ok()?);
    Some(path)
}

fn join(path: &mut String, part: Slice<'_>) {
    let part = part.to_string_lossy();
    if part.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(&part);
}

fn open<'b>(sections: &DwarfSections<Range<usize>>, bytes: &'b [u8]) -> Dwarf<'b> {
    sections.borrow(|place| {
        let section = bytes.get(place.clone()).unwrap_or_default();
        EndianSlice::new(section, LittleEndian)
    })
}
