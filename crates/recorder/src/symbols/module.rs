//! A program or library that is mapped into this process.

use std::path::PathBuf;

use super::Frame;
use super::debug_file;
use super::mappings::{Mapping, read_memory};
use super::names::Names;
use super::object_file::{Image, ObjectFile};

const OWN_PROGRAM: &str = "/proc/self/exe";
const VDSO: &[u8] = b"[vdso]";
/// How much of a file's start is compared with memory to know it again: the headers, and as a rule the build id.
const START_LEN: usize = 4096;

/// What is known of one program or library.
#[derive(Debug)]
pub(super) struct Module {
    own: ObjectFile,
    /// The file with the debug information, if it is another one.
    debug: Option<ObjectFile>,
}

impl Module {
    /// Opens what is behind `mapping`; `start` is where the file's start is mapped.
    pub(super) fn open(mapping: &Mapping, start: Option<u64>) -> Option<Self> {
        if *mapping.name == *VDSO {
            let len = usize::try_from(mapping.end - mapping.start).ok()?;
            let own = ObjectFile::read(Image::Memory(read_memory(mapping.start, len)?))?;
            return Some(Self { own, debug: None });
        }
        if mapping.inode == 0 {
            return None;
        }
        let in_memory = start.and_then(|start| read_memory(start, START_LEN));
        let is_it = |object: &ObjectFile| match &in_memory {
            Some(memory) => object.bytes().starts_with(memory),
            None => !mapping.is_deleted(),
        };
        let own = candidates(mapping)
            .into_iter()
            .filter_map(|path| ObjectFile::open(&path))
            .find(is_it)?;
        let debug = debug_file::find(&own, mapping.path());
        Some(Self { own, debug })
    }

    /// Appends the frames at `offset` of the file, innermost first. If there are none, returns the link-time address.
    pub(super) fn frames(
        &mut self,
        offset: u64,
        names: &mut Names,
        frames: &mut Vec<Frame>,
    ) -> Option<u64> {
        let address = self.own.address_of(offset)?;
        let before = frames.len();
        for object in self.debug.iter_mut().chain([&mut self.own]) {
            object.frames(address, names, frames);
            if frames.len() > before {
                break;
            }
        }
        Some(address)
    }

    /// Gives the mapped pages back to the kernel.
    pub(super) fn release_pages(&self) {
        for object in self.debug.iter().chain([&self.own]) {
            object.release_pages();
        }
    }
}

/// Where the file might be found. A deleted program is still behind the link to it, a deleted library behind the link of
/// its mapping, which takes a privilege to follow. At the path there may be another file by now.
fn candidates(mapping: &Mapping) -> Vec<PathBuf> {
    let mut candidates = Vec::with_capacity(3);
    let program = std::fs::read_link(OWN_PROGRAM);
    if program.is_ok_and(|program| program.as_os_str().as_encoded_bytes() == &*mapping.name) {
        candidates.push(OWN_PROGRAM.into());
    }
    candidates.push(mapping.path().to_owned());
    let (start, end) = (mapping.start, mapping.end);
    candidates.push(format!("/proc/self/map_files/{start:x}-{end:x}").into());
    candidates
}
