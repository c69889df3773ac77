//! From program counters to functions, files and lines.
//!
//! ```text
//!  pc ──► Mappings ──► Module ──┬─► SymbolTable ──► function        ─┐
//!         (maps)      (file)    └─► DebugInfo ──► inlined, file, line ┴─► demangle ──► Frame
//! ```
//!
//! The collector thread calls this for each address of a new stack, once; a hook or a signal handler never does: it allocates,
//! opens files and takes milliseconds for the first address of a large program.
//!
//! | what is known of an address | frames |
//! | --- | --- |
//! | debug information, in the file or installed beside it | each inlined call and its caller: function, file, line |
//! | a symbol table | the function |
//! | exported symbols only | the function if the address lies within one, else `libc.so.6+0x1234` |
//! | the mapping | `[anon]+0x1234`: code made at run time, counted from the start of its mapping |
//! | nothing | `0x7f0123456789` |
//!
//! Files are mapped, not read, and what is kept of them is small: some bytes a function, each name once. Limits: 64-bit
//! little-endian ELF; compressed and split debug information (`.dwo`, `.dwp`) counts as none; code that was unloaded before its
//! address came here is unknown, or mistaken for what took its place.

use std::collections::HashMap;
use std::sync::Arc;

use self::mappings::Mappings;
use self::module::Module;
pub(crate) use self::names::NameId;
use self::names::Names;

mod debug_file;
mod debug_info;
mod elf;
mod entry;
mod line_program;
mod mapped_file;
mod mappings;
mod module;
mod names;
mod object_file;
mod ranges;
mod source_path;
mod symbol_table;
mod unit;
mod unit_index;
mod unit_map;

/// Names made for addresses of which nothing is known: garbage has no end. 1 MB or so; then they are one name.
const UNKNOWN_MAX: u32 = 16_384;
const UNKNOWN: &str = "[unknown]";

/// Resolves program counters of this process.
///
/// It reads nothing until the first address comes.
#[derive(Debug)]
pub(crate) struct Symboliser {
    mappings: Mappings,
    /// By name and inode; `None` for a file that cannot be read.
    modules: HashMap<(Arc<[u8]>, u64), Option<Module>>,
    names: Names,
    /// Where in `frames` those of an address are.
    known: HashMap<u64, (u32, u32)>,
    frames: Vec<Frame>,
    unknown: u32,
}

/// A function at a line: one of the calls that an address stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    /// The function's readable name, never empty.
    pub(crate) function: NameId,
    /// The path of its source; [`NameId::EMPTY`] if unknown.
    pub(crate) file: NameId,
    /// The line in it; 0 if unknown.
    pub(crate) line: u32,
}

impl Symboliser {
    pub(crate) fn new() -> Self {
        Self {
            mappings: Mappings::default(),
            modules: HashMap::new(),
            names: Names::new(),
            known: HashMap::new(),
            frames: Vec::new(),
            unknown: 0,
        }
    }

    /// Appends the frames at `pc`, innermost first: what is inlined there, then the function itself. At least one.
    ///
    /// A return address from a stack walk lies behind the call, maybe in the next line or function: pass the address less 1.
    /// The interrupted address of a signal is passed as it is.
    pub(crate) fn resolve(&mut self, pc: u64, frames: &mut Vec<Frame>) {
        if let Some((start, end)) = self.known.get(&pc) {
            frames.extend_from_slice(&self.frames[*start as usize..*end as usize]);
            return;
        }
        let before = frames.len();
        let is_final = self.look_up(pc, frames);
        assert!(frames.len() > before, "each address has a frame");
        // Beyond 2^32 frames nothing more is remembered; no program has as many.
        let start = u32::try_from(self.frames.len());
        let end = u32::try_from(self.frames.len() + frames.len() - before);
        if let (true, Ok(start), Ok(end)) = (is_final, start, end) {
            self.frames.extend_from_slice(&frames[before..]);
            self.known.insert(pc, (start, end));
        }
    }

    /// Whether code lies at `pc`, as far as the process's mappings tell.
    pub(crate) fn is_code(&mut self, pc: u64) -> bool {
        self.mappings
            .find(pc)
            .is_some_and(|mapping| mapping.is_code)
    }

    /// The text of a frame's function or file.
    pub(crate) fn name(&self, id: NameId) -> &str {
        self.names.text(id)
    }

    /// Gives the pages of mapped files back to the kernel. To be called after a burst of addresses: the next look-up in a
    /// file that is still in the page cache costs some microseconds more.
    pub(crate) fn release_pages(&self) {
        for module in self.modules.values().flatten() {
            module.release_pages();
        }
    }

    /// Appends the frames at `pc`, and whether they will be the same next time.
    fn look_up(&mut self, pc: u64, frames: &mut Vec<Frame>) -> bool {
        let Some(mapping) = self.mappings.find(pc).cloned() else {
            // It may be loaded later.
            self.push_unknown(format!("{pc:#x}"), frames);
            return false;
        };
        let before = frames.len();
        let offset = (pc - mapping.start).saturating_add(mapping.offset);
        let start = self.mappings.start_of_file(&mapping);
        let module = self
            .modules
            .entry((Arc::clone(&mapping.name), mapping.inode));
        let module = module.or_insert_with(|| Module::open(&mapping, start));
        let mut place = None;
        if let Some(module) = module {
            place = module.frames(offset, &mut self.names, frames);
        }
        if frames.len() == before {
            let place = place.unwrap_or(offset);
            self.push_unknown(format!("{}+{place:#x}", mapping.label()), frames);
        }
        true
    }

    fn push_unknown(&mut self, name: String, frames: &mut Vec<Frame>) {
        self.unknown = self.unknown.saturating_add(1);
        let name = if self.unknown <= UNKNOWN_MAX {
            &name
        } else {
            UNKNOWN
        };
        frames.push(Frame::without_place(self.names.intern(name)));
    }
}

impl Frame {
    fn without_place(function: NameId) -> Self {
        Self {
            function,
            file: NameId::EMPTY,
            line: 0,
        }
    }
}

#[cfg(test)]
mod tests;
