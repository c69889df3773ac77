//! What reading a trace takes, measured in a process that does nothing else, as that of Go's reader does nothing else.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use exectrace_reader::{Mode, Reader, Source, UnpackLimit};
use rustix::time::{ClockId, clock_gettime};

/// What reading a trace takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) events: u64,
    /// CPU time of the process, from opening the file to the last event.
    pub(crate) cpu_s: f64,
    /// The same by the clock on the wall.
    pub(crate) wall_s: f64,
    /// The most memory that the process had beside the file's bytes.
    pub(crate) peak_bytes: u64,
}

/// How the file comes to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// Mapped, as a user opens it.
    Mapped,
    /// The same, with a second thread that reads ahead.
    Ahead,
    /// Copied into memory first. The system knows the highest sum of all memory and no other: of a file that is mapped there is
    /// little in memory when the reader begins and all of it at the end, and nobody knows how much was there at the peak. A
    /// copy is all there from first to last, so that the peak less the file is exactly what the rest took.
    Copied,
}

impl Opened {
    fn flag(self) -> &'static str {
        match self {
            Self::Mapped => "--read-mapped",
            Self::Ahead => "--read-ahead",
            Self::Copied => "--read-copied",
        }
    }
}

impl Cost {
    /// Runs this program once more to read `path`.
    pub(crate) fn of(path: &Path, opened: Opened) -> Self {
        let program = std::env::current_exe().expect("a program knows where it is");
        let output = Command::new(program)
            .arg(opened.flag())
            .arg(path)
            .output()
            .expect("it can be run once more");
        let printed = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = printed
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let [events, cpu_s, wall_s, peak_bytes] = numbers[..] else {
            let said = String::from_utf8_lossy(&output.stderr);
            panic!("{} cannot be read: {said}", path.display());
        };
        Self {
            events: events as u64,
            cpu_s,
            wall_s,
            peak_bytes: peak_bytes as u64,
        }
    }

    /// In the process that was run for it: reads the file and prints what that took. False if it was run for something else.
    pub(crate) fn is_asked_for(arguments: &[String]) -> bool {
        let [flag, path] = arguments else {
            return false;
        };
        for opened in [Opened::Mapped, Opened::Ahead, Opened::Copied] {
            if flag == opened.flag() {
                let Self {
                    events,
                    cpu_s,
                    wall_s,
                    peak_bytes,
                } = Self::of_reading(Path::new(path), opened);
                println!("{events} {cpu_s} {wall_s} {peak_bytes}");
                return true;
            }
        }
        false
    }

    fn of_reading(path: &Path, opened: Opened) -> Self {
        let copy = match opened {
            Opened::Mapped | Opened::Ahead => Vec::new(),
            Opened::Copied => fs::read(path).expect("the file can be read"),
        };
        let (wall, begin) = (Instant::now(), cpu_s());
        let open = || Source::open(path, UnpackLimit::default()).expect("the file can be read");
        let events = match opened {
            Opened::Mapped => read(open().bytes()),
            Opened::Ahead => read_ahead(open().bytes()),
            Opened::Copied => read(&copy),
        };
        Self {
            events,
            cpu_s: cpu_s() - begin,
            wall_s: wall.elapsed().as_secs_f64(),
            peak_bytes: peak_bytes().saturating_sub(copy.len() as u64),
        }
    }
}

/// Puts all events in order, and counts them.
pub(crate) fn read(file: &[u8]) -> u64 {
    count(Reader::new(file).expect("a trace"))
}

/// The same with a second thread.
fn read_ahead(file: &[u8]) -> u64 {
    thread::scope(|scope| count(Reader::open_ahead(file, Mode::Strict, scope).expect("a trace")))
}

fn count(mut reader: Reader<'_>) -> u64 {
    let mut events = 0;
    while let Some(block) = reader.next_block().expect("a whole trace") {
        for event in block {
            black_box(event);
        }
        events += block.len() as u64;
    }
    events
}

/// CPU time of the process.
pub(crate) fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that the process had, all counted.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.expect("the system tells it in kB") << 10
}
