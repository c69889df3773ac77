//! One ELF file: its symbols and its debug information.

use std::fs::File;
use std::path::Path;

use super::Frame;
use super::debug_info::DebugInfo;
use super::elf::Elf;
use super::mapped_file::MappedFile;
use super::names::Names;
use super::symbol_table::SymbolTable;
use crate::demangle::{Body, symbol_name};

/// An ELF file with what was found in it.
#[derive(Debug)]
pub(super) struct ObjectFile {
    image: Image,
    elf: Elf,
    symbols: SymbolTable,
    debug_info: Option<DebugInfo>,
}

/// Its bytes.
#[derive(Debug)]
pub(super) enum Image {
    File(MappedFile),
    Memory(Vec<u8>),
}

impl ObjectFile {
    /// Opens the file at `path`; `None` if it cannot be read or is no ELF file.
    pub(super) fn open(path: &Path) -> Option<Self> {
        // Opening a device or a pipe may have effects or wait.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        Self::read(Image::File(MappedFile::map(&file)?))
    }

    /// Finds out what is in the file.
    pub(super) fn read(image: Image) -> Option<Self> {
        let bytes = image.bytes();
        let elf = Elf::parse(bytes)?;
        let symbols = SymbolTable::read(&elf, bytes);
        let debug_info = DebugInfo::read(&elf, bytes);
        Some(Self {
            image,
            elf,
            symbols,
            debug_info,
        })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.image.bytes()
    }

    pub(super) fn elf(&self) -> &Elf {
        &self.elf
    }

    pub(super) fn has_debug_info(&self) -> bool {
        self.debug_info.is_some()
    }

    /// The link-time address of what lies at `offset` in the file.
    pub(super) fn address_of(&self, offset: u64) -> Option<u64> {
        self.elf.address_of(offset)
    }

    /// Appends the frames at the link-time address, innermost first; without debug information the function alone.
    pub(super) fn frames(&mut self, address: u64, names: &mut Names, frames: &mut Vec<Frame>) {
        let bytes = self.image.bytes();
        let before = frames.len();
        let symbol = self.symbols.find(bytes, address);
        if let Some(debug_info) = &mut self.debug_info {
            debug_info.frames(bytes, address, symbol, names, frames);
        }
        if let Some(symbol) = symbol.filter(|_| frames.len() == before) {
            let function = names.intern(&symbol_name(symbol, Body::Other));
            frames.push(Frame::without_place(function));
        }
    }

    pub(super) fn release_pages(&self) {
        if let Image::File(file) = &self.image {
            file.release_pages();
        }
    }
}

impl Image {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::File(file) => file.bytes(),
            Self::Memory(bytes) => bytes,
        }
    }
}
