//! The functions of a symbol table, ordered by address.

use std::cmp::Reverse;
use std::ops::Range;

use super::elf::{Elf, Section, string, u16_at, u32_at, u64_at};

const SYMBOL_SIZE: usize = 24;
const KIND_NONE: u8 = 0;
const KIND_FUNCTION: u8 = 2;
const KIND_INDIRECT_FUNCTION: u8 = 10;
const BINDING_LOCAL: u8 = 0;
const BINDING_GLOBAL: u8 = 1;
/// How far a symbol without a size reaches: hand-written entry points such as `_start` are far shorter.
const REACH_WITHOUT_SIZE: u64 = 4096;
/// How many symbols before an address are asked whether they hold it: labels may stand inside of a function.
const LOOK_BACK: usize = 16;

/// Finds the function that holds an address, by name.
///
/// Eight bytes a function: the names and sizes stay in the file.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    /// By address, one entry an address.
    entries: Box<[Entry]>,
    base: u64,
    symbols: Range<usize>,
    strings: Range<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The address, less the table's base.
    address: u32,
    symbol: u32,
}

impl SymbolTable {
    /// Reads the full symbol table, or the dynamic one of a stripped file.
    ///
    /// A dynamic table names exported functions only, so a symbol in it counts only within its size: what follows an
    /// exported function is most likely a local one that it does not know.
    pub(super) fn read(elf: &Elf, bytes: &[u8]) -> Self {
        Self::read_section(elf, bytes, b".symtab", true)
            .or_else(|| Self::read_section(elf, bytes, b".dynsym", false))
            .unwrap_or_default()
    }

    fn read_section(elf: &Elf, bytes: &[u8], name: &[u8], complete: bool) -> Option<Self> {
        let section = elf.section(bytes, name)?;
        let mut table = Self {
            entries: Box::default(),
            base: elf.code().start,
            symbols: section.place(bytes)?,
            strings: elf.section_at(section.link)?.place(bytes)?,
        };
        table.fill(bytes, |symbol| match symbol.kind {
            KIND_FUNCTION | KIND_INDIRECT_FUNCTION => {
                symbol.section != 0 && (complete || symbol.size > 0)
            }
            KIND_NONE => {
                let section = elf.section_at(symbol.section);
                complete && section.is_some_and(Section::is_code)
            }
            _ => false,
        });
        Some(table)
    }

    fn fill(&mut self, bytes: &[u8], wanted: impl Fn(&Symbol) -> bool) {
        let mut entries = Vec::new();
        for index in 0..(self.symbols.len() / SYMBOL_SIZE) as u32 {
            let Some(symbol) = self.symbol(bytes, index) else {
                break;
            };
            let address = symbol.address.checked_sub(self.base);
            let address = address.and_then(|address| u32::try_from(address).ok());
            if let Some(address) = address
                && wanted(&symbol)
                && self.is_name(bytes, &symbol)
            {
                entries.push(Entry {
                    address,
                    symbol: index,
                });
            }
        }
        // A rank reads the file, and few addresses have two names.
        entries.sort_unstable_by(|a, b| {
            let by_address = a.address.cmp(&b.address);
            by_address.then_with(|| self.rank(bytes, *a).cmp(&self.rank(bytes, *b)))
        });
        entries.dedup_by_key(|entry| entry.address);
        self.entries = entries.into_boxed_slice();
    }

    /// Of several names of one address: a function before a label, global before weak before local, then the plainest.
    fn rank(&self, bytes: &[u8], entry: Entry) -> impl Ord + use<> {
        let symbol = self.symbol(bytes, entry.symbol).unwrap_or_default();
        let name = self.name(bytes, &symbol).unwrap_or_default();
        let underscores = name.iter().take_while(|byte| **byte == b'_').count();
        let binding = match symbol.binding {
            BINDING_GLOBAL => 0,
            BINDING_LOCAL => 2,
            _ => 1,
        };
        (
            symbol.kind == KIND_NONE,
            Reverse(symbol.size > 0),
            binding,
            underscores,
            name.len(),
            entry.symbol,
        )
    }

    /// The raw name of the function that holds the link-time address.
    pub(super) fn find<'b>(&self, bytes: &'b [u8], address: u64) -> Option<&'b [u8]> {
        let relative = u32::try_from(address.checked_sub(self.base)?).ok()?;
        let after = self
            .entries
            .partition_point(|entry| entry.address <= relative);
        let mut nearest = None;
        for entry in self.entries[..after].iter().rev().take(LOOK_BACK) {
            let symbol = self.symbol(bytes, entry.symbol)?;
            let distance = u64::from(relative - entry.address);
            if distance < symbol.size {
                return self.name(bytes, &symbol);
            }
            // A function of known size ends here: a label before it does not reach over it.
            if symbol.size > 0 {
                break;
            }
            if distance < REACH_WITHOUT_SIZE && nearest.is_none() {
                nearest = Some(symbol);
            }
        }
        self.name(bytes, &nearest?)
    }

    fn name<'b>(&self, bytes: &'b [u8], symbol: &Symbol) -> Option<&'b [u8]> {
        string(bytes, &self.strings, symbol.name).filter(|name| !name.is_empty())
    }

    /// Marks such as `$x` on AArch64 name nothing.
    fn is_name(&self, bytes: &[u8], symbol: &Symbol) -> bool {
        let strings = bytes.get(self.strings.clone()).unwrap_or_default();
        let first = strings.get(symbol.name);
        symbol.name != 0 && first.is_some_and(|first| !matches!(first, 0 | b'$'))
    }

    fn symbol(&self, bytes: &[u8], index: u32) -> Option<Symbol> {
        let at = (index as usize).checked_mul(SYMBOL_SIZE)?;
        Symbol::read(bytes.get(self.symbols.clone())?.get(at..)?)
    }
}

#[derive(Debug, Default)]
struct Symbol {
    name: usize,
    kind: u8,
    binding: u8,
    section: usize,
    address: u64,
    size: u64,
}

impl Symbol {
    fn read(raw: &[u8]) -> Option<Self> {
        let info = *raw.get(4)?;
        Some(Self {
            name: u32_at(raw, 0)? as usize,
            kind: info & 0xf,
            binding: info >> 4,
            section: u16_at(raw, 6)? as usize,
            address: u64_at(raw, 8)?,
            size: u64_at(raw, 16)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of (name, kind, binding, address, size) over code that begins at 0x1000.
    fn table(symbols: &[(&str, u8, u8, u64, u64)]) -> (SymbolTable, Vec<u8>) {
        let mut strings = vec![0];
        let mut raw = Vec::new();
        for (name, kind, binding, address, size) in symbols {
            raw.extend((strings.len() as u32).to_le_bytes());
            raw.extend([binding << 4 | kind, 0, 1, 0]);
            raw.extend(address.to_le_bytes());
            raw.extend(size.to_le_bytes());
            strings.extend(name.as_bytes());
            strings.push(0);
        }
        let bytes = [raw.clone(), strings].concat();
        let mut table = SymbolTable {
            entries: Box::default(),
            base: 0x1000,
            symbols: 0..raw.len(),
            strings: raw.len()..bytes.len(),
        };
        table.fill(&bytes, |_| true);
        (table, bytes)
    }

    #[track_caller]
    fn check(symbols: &[(&str, u8, u8, u64, u64)], address: u64, expect: Option<&str>) {
        let (table, bytes) = table(symbols);
        let found = table.find(&bytes, address);
        assert_eq!(found, expect.map(str::as_bytes));
    }

    #[test]
    fn an_address_belongs_to_the_function_around_it() {
        let two = [("f", 2, 1, 0x1000, 16), ("g", 2, 1, 0x1020, 16)];
        check(&two, 0xfff, None);
        check(&two, 0x1000, Some("f"));
        check(&two, 0x100f, Some("f"));
        check(&two, 0x1010, None);
        check(&two, 0x102f, Some("g"));
        check(&two, 0x1030, None);
        check(&two, u64::MAX, None);
    }

    #[test]
    fn a_label_inside_of_a_function_does_not_end_it() {
        let label = [("f", 2, 1, 0x1000, 64), ("label", 0, 0, 0x1010, 0)];
        check(&label, 0x1020, Some("f"));
        check(&label, 0x1050, Some("label"));
        check(&label, 0x1010 + REACH_WITHOUT_SIZE, None);
    }

    #[test]
    fn the_plainest_global_name_wins() {
        let aliases = [
            ("__read", 2, 1, 0x1000, 8),
            ("read", 2, 2, 0x1000, 8),
            ("x", 2, 0, 0x1000, 8),
            ("_read", 2, 1, 0x1000, 8),
        ];
        check(&aliases, 0x1004, Some("_read"));
    }
}
