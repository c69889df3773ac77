//! The process's code, as a signal handler may look at it.
//!
//! ```text
//!  handler ──► stretches of code, by address ──► table of unwinding rules
//!                   │ wanted                           ▲ published once, never freed
//!                   └────────► CodeMap ────────────────┘
//! ```
//!
//! A table is made when a thread was first seen in its code. Until then, and where there is none, stacks are followed by
//! frame pointers alone.
#![expect(
    unsafe_code,
    reason = "tables are published by address and never freed"
)]

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use super::call_frames::CallFrames;
use super::rule_cache::RuleCache;
use super::safe_read;
use super::table_maker::{Progress, TableMaker};
use super::unwind_rule::UnwindRule;
use super::unwind_table::UnwindTable;

/// Stretches of code that are known: a program with more has the rest unknown.
const STRETCHES_MAX: usize = 512;

/// Memory of all tables: 500,000 rules, those of a program of some 50 MB.
const TABLES_BYTES_MAX: usize = 4 << 20;

/// Code to look at: the process's, or a test's.
pub(super) trait Code {
    /// How to get to the caller of the function at `address`; `None` if there is no code.
    ///
    /// # Signal safety
    /// Safe.
    fn rule_at(&mut self, address: u64) -> Option<UnwindRule>;

    /// Copies bytes from `address` on; false if they are not all there.
    ///
    /// # Signal safety
    /// Safe; may change `errno`.
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool;
}

/// A stretch of code.
///
/// While the list is stored anew a handler may see parts of two stretches. That is a wrong guess at worst: memory is only read
/// safely, and a table knows its own bounds.
#[derive(Debug)]
struct Stretch {
    start: AtomicUsize,
    end: AtomicUsize,
    table: AtomicPtr<UnwindTable>,
    /// A thread was seen here, and there was no table.
    is_wanted: AtomicBool,
}

/// The code of the process, for handlers.
#[derive(Debug)]
pub(super) struct ProcessCode {
    /// Raised at each change of the list.
    epoch: AtomicU64,
    count: AtomicUsize,
    stretches: [Stretch; STRETCHES_MAX],
    /// A table is wanted somewhere.
    is_wanted: AtomicBool,
    /// A thread ran where no code is known.
    is_missed: AtomicBool,
}

static CODE: ProcessCode = ProcessCode::new();

/// The code of this process.
pub(super) fn of_process() -> &'static ProcessCode {
    &CODE
}

impl ProcessCode {
    const fn new() -> Self {
        Self {
            epoch: AtomicU64::new(0),
            count: AtomicUsize::new(0),
            stretches: [const {
                Stretch {
                    start: AtomicUsize::new(0),
                    end: AtomicUsize::new(0),
                    table: AtomicPtr::new(std::ptr::null_mut()),
                    is_wanted: AtomicBool::new(false),
                }
            }; STRETCHES_MAX],
            is_wanted: AtomicBool::new(false),
            is_missed: AtomicBool::new(false),
        }
    }

    /// Takes note of where a thread runs: a table that is not there is made soon, and code that came later than the last look
    /// is looked for.
    ///
    /// # Signal safety
    /// Atomic loads and stores.
    pub(super) fn note_running(&self, pc: u64) {
        match self.stretch_of(pc) {
            // Relaxed: hints.
            None => self.is_missed.store(true, Ordering::Relaxed),
            Some(stretch) => self.want_table(stretch),
        }
    }

    /// How to get to the caller of the function at `address`; `None` if there is no code.
    ///
    /// # Signal safety
    /// Atomic loads and stores.
    fn rule_at(&self, address: u64) -> Option<UnwindRule> {
        let stretch = self.stretch_of(address)?;
        // Acquire: shows the table; pairs with the Release in `store_table`.
        let table = stretch.table.load(Ordering::Acquire);
        // SAFETY: tables are never freed.
        if let Some(table) = unsafe { table.as_ref() } {
            return Some(table.rule_at(address));
        }
        self.want_table(stretch);
        Some(UnwindRule::UNKNOWN)
    }

    fn want_table(&self, stretch: &Stretch) {
        // Relaxed: hints.
        if stretch.table.load(Ordering::Relaxed).is_null() {
            // Relaxed: as above.
            stretch.is_wanted.store(true, Ordering::Relaxed);
            // Relaxed: as above.
            self.is_wanted.store(true, Ordering::Relaxed);
        }
    }

    fn stretch_of(&self, address: u64) -> Option<&Stretch> {
        let address = usize::try_from(address).ok()?;
        // Acquire: pairs with the Release in `CodeMap::publish`.
        let count = self.count.load(Ordering::Acquire).min(STRETCHES_MAX);
        let stretches = &self.stretches[..count];
        // Relaxed: see the type.
        let starts_before = |stretch: &Stretch| stretch.start.load(Ordering::Relaxed) <= address;
        let after = stretches.partition_point(starts_before);
        let stretch = stretches.get(after.checked_sub(1)?)?;
        // Relaxed: see the type.
        (address < stretch.end.load(Ordering::Relaxed)).then_some(stretch)
    }
}

/// The code of the process, with what a handler remembers of it.
pub(super) struct RememberedCode<'cache> {
    code: &'static ProcessCode,
    cache: &'cache mut RuleCache,
}

impl<'cache> RememberedCode<'cache> {
    /// # Signal safety
    /// An atomic load; stores if the code has changed.
    pub(super) fn new(code: &'static ProcessCode, cache: &'cache mut RuleCache) -> Self {
        // Acquire: the stretches are at least as new; pairs with the Release in `publish`.
        cache.keep_for(code.epoch.load(Ordering::Acquire));
        Self { code, cache }
    }
}

impl Code for RememberedCode<'_> {
    fn rule_at(&mut self, address: u64) -> Option<UnwindRule> {
        self.cache.get_or(address, || self.code.rule_at(address))
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        usize::try_from(address).is_ok_and(|address| safe_read::read(address, bytes) == bytes.len())
    }
}

/// What the sampler knows of the process's code, and hands to handlers. There is one in a process.
#[derive(Debug)]
pub(super) struct CodeMap {
    code: &'static ProcessCode,
    files: Vec<MappedCode>,
    tables_bytes: usize,
    /// The table in the making, and where its code starts.
    making: Option<(u64, TableMaker)>,
}

/// A mapping with code.
#[derive(Clone, Debug)]
struct MappedCode {
    start: u64,
    end: u64,
    /// What is mapped there: device, inode and name.
    file: String,
    /// Where the file's first byte is mapped.
    base: Option<u64>,
    table: Table,
}

#[derive(Clone, Copy, Debug)]
enum Table {
    NotTried,
    /// There is none, or it is in the making.
    None,
    Some(&'static UnwindTable),
}

impl CodeMap {
    pub(super) fn new(code: &'static ProcessCode) -> Self {
        Self {
            code,
            files: Vec::new(),
            tables_bytes: 0,
            making: None,
        }
    }

    /// Looks at the list of mappings if a thread ran where no code was known; answers whether it did.
    pub(super) fn refresh_if_missed(&mut self) -> bool {
        // Relaxed: a hint.
        let is_missed = self.code.is_missed.swap(false, Ordering::Relaxed);
        if is_missed {
            self.refresh();
        }
        is_missed
    }

    /// Looks at the list of mappings. Takes 50 µs to a millisecond.
    pub(super) fn refresh(&mut self) {
        let Ok(list) = std::fs::read("/proc/self/maps") else {
            return;
        };
        let mut files = mapped_code(&String::from_utf8_lossy(&list));
        for file in &mut files {
            let known = self.files.iter().find(|known| known.is_same(file));
            if let Some(known) = known {
                file.table = known.table;
            }
        }
        files.truncate(STRETCHES_MAX);
        let is_same = |(one, other): (&MappedCode, &MappedCode)| one.is_same(other);
        let has_changed =
            files.len() != self.files.len() || !files.iter().zip(&self.files).all(is_same);
        self.files = files;
        if has_changed {
            self.publish();
        }
    }

    fn publish(&self) {
        for (file, stretch) in self.files.iter().zip(&self.code.stretches) {
            stretch.start.store(file.start as usize, Ordering::Relaxed); // Relaxed: see the type.
            stretch.end.store(file.end as usize, Ordering::Relaxed); // Relaxed: as above.
            stretch.store_table(file.table);
        }
        // Release: shows the stretches; pairs with the Acquire in `stretch_of`.
        self.code.count.store(self.files.len(), Ordering::Release);
        // Release: as above; pairs with the Acquire in `RememberedCode::new`.
        self.code.epoch.fetch_add(1, Ordering::Release);
    }

    /// Whether a table is not finished.
    pub(super) fn is_making(&self) -> bool {
        self.making.is_some()
    }

    /// Goes on with the tables that are wanted, until `deadline`.
    pub(super) fn make_wanted(&mut self, deadline: Instant) {
        while self.making.is_some() || self.begin_wanted() {
            let Some((start, maker)) = self.making.take() else {
                continue;
            };
            match maker.go_on(deadline) {
                Progress::More(maker) => {
                    self.making = Some((start, maker));
                    return;
                }
                Progress::Done(table) => self.finish(start, table),
            }
        }
    }

    /// Begins the next table that is wanted; false if there is none. A program comes last: it has frame pointers as a rule,
    /// and libraries are mapped above it.
    fn begin_wanted(&mut self) -> bool {
        // Relaxed: a hint.
        if !self.code.is_wanted.load(Ordering::Relaxed) {
            return false;
        }
        for (file, stretch) in self.files.iter_mut().zip(&self.code.stretches).rev() {
            // Relaxed: as above.
            let is_wanted = stretch.is_wanted.swap(false, Ordering::Relaxed);
            if is_wanted && matches!(file.table, Table::NotTried) {
                file.table = Table::None;
                let left = TABLES_BYTES_MAX.saturating_sub(self.tables_bytes);
                let frames = file.base.and_then(CallFrames::of_file_at);
                self.making = frames.map(|frames| {
                    let maker = TableMaker::new((file.start, file.end), frames, left);
                    (file.start, maker)
                });
                return true;
            }
        }
        // Relaxed: as above; what is wanted from now on sets it again.
        self.code.is_wanted.store(false, Ordering::Relaxed);
        false
    }

    fn finish(&mut self, start: u64, table: Option<UnwindTable>) {
        let Some(table) = table else {
            return;
        };
        let mut places = self.files.iter_mut().zip(&self.code.stretches);
        // If the code is not there any more, neither is the table.
        if let Some((file, stretch)) =
            places.find(|(file, _)| file.start == start && matches!(file.table, Table::None))
        {
            self.tables_bytes += table.size_bytes();
            file.table = Table::Some(Box::leak(Box::new(table)));
            stretch.store_table(file.table);
        }
    }
}

impl Stretch {
    fn store_table(&self, table: Table) {
        let pointer = match table {
            Table::Some(table) => std::ptr::from_ref(table).cast_mut(),
            Table::None | Table::NotTried => std::ptr::null_mut(),
        };
        // Release: publishes the table; pairs with the Acquire in `ProcessCode::rule_at`.
        self.table.store(pointer, Ordering::Release);
    }
}

impl MappedCode {
    fn is_same(&self, other: &Self) -> bool {
        (self.start, self.end, self.base) == (other.start, other.end, other.base)
            && self.file == other.file
    }
}

/// The code in a list of mappings, a line each: `start-end r-xp offset device inode   name`.
fn mapped_code(list: &str) -> Vec<MappedCode> {
    let mut base = None;
    let mut code = Vec::new();
    for line in list.lines() {
        let mut fields = line.splitn(4, ' ');
        let mut field = || fields.next().unwrap_or_default();
        let (bounds, rights, offset, file) = (field(), field(), field(), field());
        let Some((start, end)) = bounds.split_once('-') else {
            continue;
        };
        let (Ok(start), Ok(end)) = (u64::from_str_radix(start, 16), u64::from_str_radix(end, 16))
        else {
            continue;
        };
        // A file's mappings follow each other.
        if offset.bytes().all(|digit| digit == b'0') {
            base = Some((file, start));
        }
        if rights.as_bytes().get(2) == Some(&b'x') {
            code.push(MappedCode {
                start,
                end,
                file: file.to_owned(),
                base: base.filter(|&(of, _)| of == file).map(|(_, start)| start),
                table: Table::NotTried,
            });
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::unwind_rule::Unwind;
    use std::time::Duration;

    #[test]
    fn code_is_told_from_data_and_a_table_comes_where_it_is_wanted() {
        safe_read::prepare();
        let code: &'static ProcessCode = Box::leak(Box::new(ProcessCode::new()));
        let mut map = CodeMap::new(code);
        map.refresh();
        let own =
            code_is_told_from_data_and_a_table_comes_where_it_is_wanted as fn() as usize as u64;
        let library = libc::qsort as *const () as u64;
        let data = [0_u64; 1];
        for address in [own, library] {
            assert_eq!(code.rule_at(address), Some(UnwindRule::UNKNOWN));
        }
        for address in [data.as_ptr() as u64, 0, u64::MAX] {
            assert_eq!(code.rule_at(address), None);
        }
        code.note_running(library);
        map.make_wanted(Instant::now() + Duration::from_secs(60));
        // At a function's first instruction the return address stands on top of the stack, or in its register.
        let at_start = code.rule_at(library).map(UnwindRule::get);
        assert!(
            matches!(
                at_start,
                Some(Unwind::Frame {
                    offset_bytes: 0 | 8,
                    ..
                })
            ),
            "{at_start:?}"
        );
    }

    #[test]
    fn code_alone_is_listed_with_the_start_of_its_file() {
        let list = "\
55d0c0000000-55d0c0002000 r--p 00000000 fe:00 12    /opt/my app
55d0c0002000-55d0c0008000 r-xp 00002000 fe:00 12    /opt/my app
55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0     [heap]
7f0000000000-7f0000001000 rwxp 00000000 00:00 0 
7f0000002000-7f0000003000 r-xp 00001000 fe:00 99    /lib/x.so
7f0000004000-7f0000005000 r-xp 00000000 00:00 0     [vdso]
nonsense
";
        let code = mapped_code(list);
        let found: Vec<_> = code.iter().map(|it| (it.start, it.base)).collect();
        assert_eq!(
            found,
            [
                (0x55d0_c000_2000, Some(0x55d0_c000_0000)),
                (0x7f00_0000_0000, Some(0x7f00_0000_0000)),
                (0x7f00_0000_2000, None),
                (0x7f00_0000_4000, Some(0x7f00_0000_4000)),
            ]
        );
        assert!(code[0].is_same(&mapped_code(list)[0]));
        assert!(!code[0].is_same(&code[1]));
    }
}
