//! What is mapped where in this process, from `/proc/self/maps`.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Reads of the list that a burst of unknown addresses may cause; it takes 50 µs to some milliseconds.
const BURST: u32 = 8;
/// How long until one more read is allowed.
const REFILL: Duration = Duration::from_millis(100);
const DELETED: &[u8] = b" (deleted)";

/// The mappings of the process as they were when last read.
#[derive(Debug, Default)]
pub(super) struct Mappings {
    /// By address, without overlap.
    list: Vec<Mapping>,
    reads_left: u32,
    last_read: Option<Instant>,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// It may be run.
    pub(super) is_code: bool,
    /// 0 if no file is behind it.
    pub(super) inode: u64,
    /// A path, `[heap]` and the like, or nothing.
    pub(super) name: Arc<[u8]>,
}

impl Mappings {
    /// The mapping that holds `address`. If there is none, the list is read again, but not for every address of a flood of
    /// garbage: stacks of programs without frame pointers are full of it.
    pub(super) fn find(&mut self, address: u64) -> Option<&Mapping> {
        let mut found = self.position(address);
        if found.is_none() && self.may_read() {
            self.list =
                std::fs::read("/proc/self/maps").map_or_else(|_| Vec::new(), |raw| parse(&raw));
            found = self.position(address);
        }
        found.map(|index| &self.list[index])
    }

    /// Where the start of the file behind `mapping` is mapped.
    pub(super) fn start_of_file(&self, mapping: &Mapping) -> Option<u64> {
        let same = |other: &&Mapping| other.inode == mapping.inode && other.name == mapping.name;
        let before = self
            .list
            .partition_point(|other| other.start <= mapping.start);
        let mut own = self.list[..before].iter().rev().filter(same);
        own.find(|other| other.offset == 0).map(|other| other.start)
    }

    fn position(&self, address: u64) -> Option<usize> {
        let after = self
            .list
            .partition_point(|mapping| mapping.start <= address);
        let index = after.checked_sub(1)?;
        (address < self.list[index].end).then_some(index)
    }

    fn may_read(&mut self) -> bool {
        let now = Instant::now();
        let refills = match self.last_read {
            Some(last) => (now - last).as_millis() / REFILL.as_millis(),
            None => u128::from(BURST),
        };
        if refills > 0 {
            let refills = u32::try_from(refills).unwrap_or(BURST);
            self.reads_left = self.reads_left.saturating_add(refills).min(BURST);
            self.last_read = Some(now);
        }
        let may = self.reads_left > 0;
        self.reads_left = self.reads_left.saturating_sub(1);
        may
    }
}

impl Mapping {
    /// The path of the file behind it, without the mark of a deleted one.
    pub(super) fn path(&self) -> &Path {
        let name = self.name.strip_suffix(DELETED).unwrap_or(&self.name);
        Path::new(OsStr::from_bytes(name))
    }

    /// Whether the file was deleted or replaced after it was mapped.
    pub(super) fn is_deleted(&self) -> bool {
        self.name.ends_with(DELETED)
    }

    /// What stands before `+0x…` where nothing better is known: the file's name, `[heap]`, `[anon]`.
    pub(super) fn label(&self) -> String {
        match self.path().file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => "[anon]".to_owned(),
        }
    }
}

/// Copies `len` bytes of this process's memory; `None` if they are not all mapped.
///
/// Through the kernel, so that a library unloaded at this moment is an error, not a crash.
pub(super) fn read_memory(start: u64, len: usize) -> Option<Vec<u8>> {
    let memory = File::open("/proc/self/mem").ok()?;
    let mut bytes = vec![0; len];
    memory.read_exact_at(&mut bytes, start).ok()?;
    Some(bytes)
}

fn parse(raw: &[u8]) -> Vec<Mapping> {
    let mut list: Vec<Mapping> = Vec::new();
    for line in raw.split(|byte| *byte == b'\n') {
        let last = list.last().map(|mapping| &mapping.name);
        if let Some(mapping) = parse_line(line, last) {
            list.push(mapping);
        }
    }
    // The kernel lists by address; a list read in pieces while it changes might not be.
    list.sort_by_key(|mapping| mapping.start);
    list
}

/// `start-end rwxp offset major:minor inode    name`. The name is often that of the line before.
fn parse_line(line: &[u8], last: Option<&Arc<[u8]>>) -> Option<Mapping> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let mut field = || str::from_utf8(fields.next()?).ok();
    let (start, end) = field()?.split_once('-')?;
    let is_code = field()?.contains('x');
    let offset = field()?;
    let _device = field()?;
    let inode = field()?;
    let name = fields.next().unwrap_or_default().trim_ascii_start();
    Some(Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        is_code,
        offset: u64::from_str_radix(offset, 16).ok()?,
        inode: inode.parse().ok()?,
        name: match last {
            Some(last) if **last == *name => Arc::clone(last),
            _ => name.into(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
55d0c0000000-55d0c0002000 r--p 00000000 fe:00 1234                       /opt/my app/server
55d0c0002000-55d0c0008000 r-xp 00002000 fe:00 1234                       /opt/my app/server
55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000001000 rwxp 00000000 00:00 0 
7f0000002000-7f0000003000 r-xp 00001000 fe:00 99                         /opt/lib/libold.so.1 (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
";

    fn mappings() -> Mappings {
        Mappings {
            list: parse(LIST.as_bytes()),
            reads_left: 0,
            last_read: Some(Instant::now()),
        }
    }

    #[track_caller]
    fn check(address: u64, label: Option<&str>, start_of_file: Option<u64>) {
        let mut mappings = mappings();
        let found = mappings.find(address).cloned();
        assert_eq!(found.as_ref().map(Mapping::label).as_deref(), label);
        let start = found.and_then(|mapping| mappings.start_of_file(&mapping));
        assert_eq!(start, start_of_file);
    }

    #[test]
    fn an_address_has_one_mapping() {
        let (program, anonymous) = (0x55d0_c000_0000, 0x7f00_0000_0000);
        check(program, Some("server"), Some(program));
        check(program + 0x7fff, Some("server"), Some(program));
        check(program + 0x8000, None, None);
        check(program - 1, None, None);
        check(0x55d0_c100_0000, Some("[heap]"), Some(0x55d0_c100_0000));
        check(anonymous, Some("[anon]"), Some(anonymous));
        check(anonymous + 0x2000, Some("libold.so.1"), None);
        check(0, None, None);
        check(u64::MAX, None, None);
    }

    #[test]
    fn a_path_may_hold_spaces_and_loses_the_mark_of_deletion() {
        let list = parse(LIST.as_bytes());
        assert_eq!(list.len(), 6);
        assert_eq!(list[1].path(), Path::new("/opt/my app/server"));
        assert_eq!(list[4].path(), Path::new("/opt/lib/libold.so.1"));
    }

    #[test]
    fn lines_that_are_none_are_skipped() {
        assert!(parse(b"\n-\nx-y r-xp 0 0 0\n1-2\n\xff\xff").is_empty());
    }

    #[test]
    fn a_flood_of_garbage_reads_the_list_a_few_times() {
        let mut mappings = Mappings::default();
        let reads = (0..1000).filter(|_| mappings.may_read()).count();
        // On a machine that stalls, a refill or two may come in between.
        assert!(
            (BURST as usize..BURST as usize + 20).contains(&reads),
            "{reads}"
        );
    }

    #[test]
    fn memory_is_read_or_refused() {
        let here = *b"some bytes of the stack";
        let read = read_memory(here.as_ptr() as u64, here.len());
        assert_eq!(read.as_deref(), Some(&here[..]));
        assert_eq!(read_memory(0, 16), None);
        assert_eq!(read_memory(u64::MAX - 100, 16), None);
    }
}
