//! The program's code, as a signal handler may look at it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::safe_read;

/// Stretches of code that are known: a program with more has the rest unknown.
const STRETCHES_MAX: usize = 512;

/// Code to look at: the process's, or a test's.
pub(super) trait Code {
    /// Whether `address` is in code.
    ///
    /// # Signal safety
    /// Safe.
    fn contains(&self, address: u64) -> bool;

    /// Whether `address` is in code of the program itself, which is built with frame pointers, not in a library's.
    ///
    /// # Signal safety
    /// Safe.
    fn is_programs(&self, address: u64) -> bool;

    /// Copies bytes from `address` on; false if they are not all there.
    ///
    /// # Signal safety
    /// Safe; may change `errno`.
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool;
}

/// The code of this process, as it was when last looked at.
///
/// Bounds are only a first sieve for words that might be return addresses, so that a handler that reads them while they are
/// stored anew does no harm: the bytes themselves are read safely.
pub(super) struct ProcessCode {
    /// A thread ran where no code is known.
    missed: AtomicBool,
    count: AtomicUsize,
    starts: [AtomicUsize; STRETCHES_MAX],
    /// The lowest bit tells that the stretch is the program's own.
    ends: [AtomicUsize; STRETCHES_MAX],
}

static CODE: ProcessCode = ProcessCode {
    missed: AtomicBool::new(false),
    count: AtomicUsize::new(0),
    starts: [const { AtomicUsize::new(0) }; STRETCHES_MAX],
    ends: [const { AtomicUsize::new(0) }; STRETCHES_MAX],
};

/// The code of this process.
pub(super) fn of_process() -> &'static ProcessCode {
    &CODE
}

impl ProcessCode {
    /// Looks at the list of mappings. Not for handlers; by one thread at a time.
    pub(super) fn refresh(&self) {
        let Ok(list) = std::fs::read_to_string("/proc/self/maps") else {
            return;
        };
        let program = std::fs::read_link("/proc/self/exe");
        let program = program
            .ok()
            .and_then(|path| path.into_os_string().into_string().ok());
        let stretches = list
            .lines()
            .filter_map(|line| stretch(line, program.as_deref()));
        let mut count = 0;
        for ((start, end), (to_start, to_end)) in stretches.zip(self.starts.iter().zip(&self.ends))
        {
            // Relaxed: see the type.
            to_start.store(start, Ordering::Relaxed);
            // Relaxed: as above.
            to_end.store(end, Ordering::Relaxed);
            count += 1;
        }
        // Release: shows the stretches; pairs with the Acquire in `stretch_of`.
        self.count.store(count, Ordering::Release);
    }

    /// Takes note of where a thread runs: code that came later than the last look is looked for soon.
    ///
    /// # Signal safety
    /// Atomic loads, and a store.
    pub(super) fn note_running(&self, pc: u64) {
        if !self.contains(pc) {
            // Relaxed: a hint.
            self.missed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a thread ran where no code was known, since the last call.
    pub(super) fn take_missed(&self) -> bool {
        // Relaxed: a hint.
        self.missed.swap(false, Ordering::Relaxed)
    }

    /// The marked end of the stretch that holds `address`.
    fn stretch_of(&self, address: u64) -> Option<usize> {
        let address = usize::try_from(address).ok()?;
        // Acquire: pairs with the Release in `refresh`.
        let count = self.count.load(Ordering::Acquire).min(STRETCHES_MAX);
        // Relaxed: see the type.
        let after =
            self.starts[..count].partition_point(|start| start.load(Ordering::Relaxed) <= address);
        // Relaxed: as above.
        let end = self.ends[after.checked_sub(1)?].load(Ordering::Relaxed);
        (address < end & !1).then_some(end)
    }
}

impl Code for ProcessCode {
    fn contains(&self, address: u64) -> bool {
        self.stretch_of(address).is_some()
    }

    fn is_programs(&self, address: u64) -> bool {
        self.stretch_of(address).is_some_and(|end| end & 1 == 1)
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        usize::try_from(address).is_ok_and(|address| safe_read::read(address, bytes) == bytes.len())
    }
}

/// Start and marked end of the code in a line of the list: `start-end r-xp offset device inode  name`.
fn stretch(line: &str, program: Option<&str>) -> Option<(usize, usize)> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    if fields.next()?.as_bytes().get(2) != Some(&b'x') {
        return None;
    }
    let name = fields.nth(3).unwrap_or_default().trim_start();
    let is_programs = program == Some(name);
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    Some((start, end | usize::from(is_programs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_data_and_the_programs_from_a_librarys() {
        let code = of_process();
        code.refresh();
        let own = code_is_told_from_data_and_the_programs_from_a_librarys as fn() as usize as u64;
        assert!(code.contains(own) && code.is_programs(own));
        let library = libc::getpid as *const () as u64;
        assert!(code.contains(library));
        let data = [0_u64; 1];
        assert!(!code.contains(data.as_ptr() as u64));
        assert!(!code.contains(0) && !code.contains(u64::MAX));
    }

    #[test]
    fn lines_of_code_alone_are_taken() {
        let line =
            "55d0c0002000-55d0c0008000 r-xp 00002000 fe:00 1234                       /opt/my app";
        let (start, end) = (0x55d0_c000_2000, 0x55d0_c000_8000);
        assert_eq!(stretch(line, Some("/opt/my app")), Some((start, end | 1)));
        assert_eq!(stretch(line, None), Some((start, end)));
        let data = line.replace("r-xp", "rw-p");
        assert_eq!(stretch(&data, None), None);
        assert_eq!(stretch("", None), None);
        let vdso = "ffff1000-ffff3000 r-xp 00000000 00:00 0          [vdso]";
        assert_eq!(stretch(vdso, Some("[x]")), Some((0xffff_1000, 0xffff_3000)));
    }
}
