//! Where the parts of an ELF file lie: segments, sections, build id, debug link.
//!
//! Only what symbolising needs, only 64-bit little-endian files, and nothing borrowed: an [`Elf`] holds places in a file, so
//! that the file's mapping and what was found in it can live side by side. Every number in the file is taken for a lie until
//! a bounds check has passed it.

use std::ops::Range;

/// `e_type`, `e_phoff`, … of the file header: where each field lies.
mod header {
    pub(super) const SIZE: usize = 64;
    pub(super) const CLASS: usize = 4;
    pub(super) const DATA: usize = 5;
    pub(super) const SEGMENTS_AT: usize = 32;
    pub(super) const SECTIONS_AT: usize = 40;
    pub(super) const SEGMENT_COUNT: usize = 56;
    pub(super) const SECTION_COUNT: usize = 60;
    pub(super) const NAMES_SECTION: usize = 62;
}

const SEGMENT_SIZE: usize = 56;
const SECTION_SIZE: usize = 64;
const SEGMENT_LOAD: u32 = 1;
const SEGMENT_EXECUTABLE: u32 = 1;
const SECTION_NO_BITS: u32 = 8;
const SECTION_ALLOCATED: u64 = 2;
const SECTION_EXECUTABLE: u64 = 4;
const SECTION_COMPRESSED: u64 = 0x800;
const NOTE_BUILD_ID: u32 = 3;
/// `e_shnum` has 16 bits: a larger count stands in the first section's size.
const NAMES_SECTION_ELSEWHERE: usize = 0xffff;

/// The layout of one ELF file.
#[derive(Debug)]
pub(super) struct Elf {
    segments: Vec<Segment>,
    sections: Vec<Section>,
    names: Range<usize>,
}

/// A loadable segment.
#[derive(Debug)]
struct Segment {
    offset: u64,
    address: u64,
    /// In the file; a file with nothing but debug information keeps the segments, but none of their bytes.
    file_size: u64,
    memory_size: u64,
    executable: bool,
}

/// A section, with its place in the file.
#[derive(Debug, Clone)]
pub(super) struct Section {
    name: usize,
    kind: u32,
    flags: u64,
    /// The section of the strings of a symbol table.
    pub(super) link: usize,
    offset: u64,
    size: u64,
}

impl Elf {
    /// Reads the layout, or `None` if `bytes` is not a 64-bit little-endian ELF file.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < header::SIZE || !bytes.starts_with(b"\x7fELF") {
            return None;
        }
        if bytes[header::CLASS] != 2 || bytes[header::DATA] != 1 {
            return None;
        }
        let segments = segments(bytes).unwrap_or_default();
        // Without section headers the segments still turn addresses into link-time addresses.
        let (sections, names) = sections(bytes).unwrap_or_default();
        Some(Self {
            segments,
            sections,
            names,
        })
    }

    /// The link-time address of what lies at `offset` in the file.
    pub(super) fn address_of(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let inside = offset.checked_sub(segment.offset)?;
            (inside < segment.file_size).then(|| segment.address.wrapping_add(inside))
        })
    }

    /// From the lowest to the highest link-time address of code.
    pub(super) fn code(&self) -> Range<u64> {
        let code = self.segments.iter().filter(|segment| segment.executable);
        let start = code.clone().map(|segment| segment.address).min();
        let end = code.map(|segment| segment.address.saturating_add(segment.memory_size));
        start.unwrap_or(0)..end.max().unwrap_or(0)
    }

    /// The first section of this name.
    pub(super) fn section(&self, bytes: &[u8], name: &[u8]) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| string(bytes, &self.names, section.name) == Some(name))
    }

    /// The section at `index`.
    pub(super) fn section_at(&self, index: usize) -> Option<&Section> {
        self.sections.get(index)
    }

    /// Where the contents of the section of this name lie; empty if there are none that can be read.
    pub(super) fn contents(&self, bytes: &[u8], name: &[u8]) -> Range<usize> {
        self.section(bytes, name)
            .and_then(|section| section.place(bytes))
            .unwrap_or(0..0)
    }

    /// The GNU build id.
    pub(super) fn build_id<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let mut notes = &bytes[self.contents(bytes, b".note.gnu.build-id")];
        while notes.len() >= 12 {
            let name_size = u32_at(notes, 0)? as usize;
            let id_size = u32_at(notes, 4)? as usize;
            let id_at = 12usize.checked_add(name_size.checked_next_multiple_of(4)?)?;
            let end = id_at.checked_add(id_size)?;
            if u32_at(notes, 8)? == NOTE_BUILD_ID && notes.get(12..16) == Some(b"GNU\0") {
                return notes.get(id_at..end);
            }
            notes = notes.get(end.checked_next_multiple_of(4)?..)?;
        }
        None
    }

    /// The file name and the checksum of the separate file with the debug information.
    pub(super) fn debug_link<'b>(&self, bytes: &'b [u8]) -> Option<(&'b [u8], u32)> {
        let link = &bytes[self.contents(bytes, b".gnu_debuglink")];
        let end = link.iter().position(|byte| *byte == 0)?;
        let checksum = u32_at(link, (end + 1).next_multiple_of(4))?;
        Some((&link[..end], checksum))
    }
}

impl Section {
    /// Where its contents lie in the file, if they are there and not compressed.
    pub(super) fn place(&self, bytes: &[u8]) -> Option<Range<usize>> {
        if self.kind == SECTION_NO_BITS || self.flags & SECTION_COMPRESSED != 0 {
            return None;
        }
        place(bytes, self.offset, self.size)
    }

    /// Whether it holds machine code.
    pub(super) fn is_code(&self) -> bool {
        self.flags & SECTION_ALLOCATED != 0 && self.flags & SECTION_EXECUTABLE != 0
    }
}

fn segments(bytes: &[u8]) -> Option<Vec<Segment>> {
    let count = u16_at(bytes, header::SEGMENT_COUNT)? as usize;
    let table = table(
        bytes,
        u64_at(bytes, header::SEGMENTS_AT)?,
        count,
        SEGMENT_SIZE,
    )?;
    let read = |raw: &[u8]| {
        Some(Segment {
            executable: u32_at(raw, 4)? & SEGMENT_EXECUTABLE != 0,
            offset: u64_at(raw, 8)?,
            address: u64_at(raw, 16)?,
            file_size: u64_at(raw, 32)?,
            memory_size: u64_at(raw, 40)?,
        })
    };
    table
        .chunks_exact(SEGMENT_SIZE)
        .filter(|raw| u32_at(raw, 0) == Some(SEGMENT_LOAD))
        .map(read)
        .collect()
}

fn sections(bytes: &[u8]) -> Option<(Vec<Section>, Range<usize>)> {
    let at = u64_at(bytes, header::SECTIONS_AT)?;
    if at == 0 {
        return None;
    }
    let first = section(table(bytes, at, 1, SECTION_SIZE)?)?;
    let count = match u16_at(bytes, header::SECTION_COUNT)? as usize {
        0 => usize::try_from(first.size).ok()?,
        count => count,
    };
    let names = match u16_at(bytes, header::NAMES_SECTION)? as usize {
        NAMES_SECTION_ELSEWHERE => first.link,
        names => names,
    };
    let sections: Vec<Section> = table(bytes, at, count, SECTION_SIZE)?
        .chunks_exact(SECTION_SIZE)
        .map(section)
        .collect::<Option<_>>()?;
    let names = sections.get(names)?.place(bytes)?;
    Some((sections, names))
}

fn section(raw: &[u8]) -> Option<Section> {
    Some(Section {
        name: u32_at(raw, 0)? as usize,
        kind: u32_at(raw, 4)?,
        flags: u64_at(raw, 8)?,
        offset: u64_at(raw, 24)?,
        size: u64_at(raw, 32)?,
        link: u32_at(raw, 40)? as usize,
    })
}

/// The string that begins at `at` in the string table at `table`.
pub(super) fn string<'b>(bytes: &'b [u8], table: &Range<usize>, at: usize) -> Option<&'b [u8]> {
    let strings = bytes.get(table.clone())?.get(at..)?;
    let end = strings.iter().position(|byte| *byte == 0)?;
    Some(&strings[..end])
}

fn table(bytes: &[u8], at: u64, count: usize, size: usize) -> Option<&[u8]> {
    let size = u64::try_from(count.checked_mul(size)?).ok()?;
    Some(&bytes[place(bytes, at, size)?])
}

fn place(bytes: &[u8], offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= bytes.len()).then_some(start..end)
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<u8> {
        std::fs::read("/proc/self/exe").expect("the test binary can be read")
    }

    #[test]
    fn own_binary_has_code_and_symbols() {
        let bytes = own();
        let elf = Elf::parse(&bytes).expect("the test binary is ELF");
        assert!(!elf.code().is_empty());
        assert!(!elf.contents(&bytes, b".symtab").is_empty());
        assert!(elf.section(&bytes, b".text").is_some_and(Section::is_code));
        assert!(elf.contents(&bytes, b".no.such.section").is_empty());
        assert!(
            elf.contents(&bytes, b".bss").is_empty(),
            "nothing of it is in the file"
        );
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Elf::parse(b"").is_none());
        assert!(Elf::parse(b"\x7fELF").is_none());
        assert!(Elf::parse(&[b'x'; 4096]).is_none());
        let mut small = own();
        small[header::CLASS] = 1;
        assert!(Elf::parse(&small).is_none(), "a 32-bit file");
    }

    #[test]
    fn a_file_without_section_headers_keeps_its_segments() {
        let mut bytes = own();
        let code = Elf::parse(&bytes).expect("the test binary is ELF").code();
        bytes[header::SECTIONS_AT..header::SECTIONS_AT + 8].fill(0);
        let elf = Elf::parse(&bytes).expect("it is still ELF");
        assert_eq!(elf.code(), code);
        assert!(elf.section(&bytes, b".text").is_none());
    }

    #[test]
    fn a_file_cut_anywhere_is_read_or_refused() {
        let bytes = own();
        for cut in (0..bytes.len()).step_by(bytes.len() / 300) {
            if let Some(elf) = Elf::parse(&bytes[..cut]) {
                let _ = elf.build_id(&bytes[..cut]);
                let _ = elf.debug_link(&bytes[..cut]);
                let _ = elf.address_of(u64::MAX);
            }
        }
    }

    #[test]
    fn notes_yield_the_build_id() {
        let note = b"\x04\0\0\0\x03\0\0\0\x01\0\0\0GNU\0abc\0\x04\0\0\0\x04\0\0\0\x03\0\0\0GNU\0\x01\x02\x03\x04";
        let elf = Elf {
            segments: Vec::new(),
            sections: vec![Section {
                name: 0,
                kind: 7,
                flags: 0,
                link: 0,
                offset: 0,
                size: note.len() as u64,
            }],
            names: note.len()..note.len() + 19,
        };
        let bytes = [&note[..], b".note.gnu.build-id\0"].concat();
        assert_eq!(elf.build_id(&bytes), Some(&[1, 2, 3, 4][..]));
    }
}
