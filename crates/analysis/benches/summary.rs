//! What commands take for a large trace: `exectrace summary` with all of its analyses in one pass, `exectrace gc` with its curves, and
//! `exectrace why` about the first task, which is there all the time.
//!
//! - `cargo xtask bench exectrace-analysis` measures the rows of the budget's table.
//! - `cargo bench -p exectrace-analysis -- FILE…` prints the same for any trace.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench reports on standard output, and says what it cannot measure"
)]

use std::convert::Infallible;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use exectrace_analysis::{
    Analysis, Findings, Gc, Id, Load, MutatorUtilization, Pass, Requests, SubjectSearch, Why,
    Window,
};
use exectrace_reader::{Reader, TaskId};
use rustix::time::{ClockId, clock_gettime};

/// Rounds; odd, so that the median is one of them.
const ROUNDS: usize = 3;

/// Where `cargo xtask bigtrace` puts traces, unless cargo's target directory is another; then xtask says where.
const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bigtrace");

/// A command that is measured.
struct Measured {
    /// What has this bench do it for one trace and say what that took.
    flag: &'static str,
    name: &'static str,
    run: fn(&[u8]),
}

const MEASURED: [Measured; 3] = [
    Measured {
        flag: "--summarise",
        name: "summary",
        run: summarise,
    },
    Measured {
        flag: "--collect",
        name: "gc",
        run: collect,
    },
    Measured {
        flag: "--explain",
        name: "why",
        run: explain,
    },
];

/// CPU time, and the most memory that the process had beside the file's bytes.
struct Cost {
    cpu_s: f64,
    peak_bytes: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        // Cargo's own word to benches.
        .filter(|argument| argument != "--bench")
        .collect();
    if let [flag, path] = &arguments[..]
        && let Some(measured) = MEASURED.iter().find(|it| it.flag == flag)
    {
        let cost = cost(measured, Path::new(path));
        println!("{} {}", cost.cpu_s, cost.peak_bytes);
        return;
    }
    let (flags, files): (Vec<String>, Vec<String>) = arguments
        .into_iter()
        .partition(|argument| argument.starts_with("--"));
    for file in &files {
        for measured in &MEASURED {
            let Cost { cpu_s, peak_bytes } = median(measured, Path::new(file));
            let name = measured.name;
            println!(
                "{name} {file}: {cpu_s:.2} s CPU, {:.0} MB",
                peak_bytes / 1e6
            );
        }
    }
    if files.is_empty() {
        let named = flags.iter().find_map(|flag| flag.strip_prefix("--traces="));
        rows(&PathBuf::from(named.unwrap_or(TRACES)).join("v2-mix-100MB.trace"));
    }
}

/// The rows of the budget's table.
fn rows(path: &Path) {
    if !path.exists() {
        eprintln!("no {}: cargo xtask bigtrace makes it", path.display());
        return;
    }
    for measured in &MEASURED {
        let Cost { cpu_s, peak_bytes } = median(measured, path);
        let name = measured.name;
        println!("bench\t{name}_v2_mix\t{cpu_s:.2}\ts\tone thread");
        println!(
            "bench\t{name}_v2_mix_memory\t{:.0}\tMB\tbeside the file",
            peak_bytes / 1e6
        );
    }
}

/// The median of some rounds, each in a process of its own.
fn median(measured: &Measured, path: &Path) -> Cost {
    let mut costs: Vec<Cost> = (0..ROUNDS).map(|_| of_child(measured, path)).collect();
    costs.sort_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s));
    costs.swap_remove(ROUNDS / 2)
}

fn of_child(measured: &Measured, path: &Path) -> Cost {
    let program = std::env::current_exe().expect("a program knows where it is");
    let output = Command::new(program)
        .arg(measured.flag)
        .arg(path)
        .output()
        .expect("it can be run once more");
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = printed
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let [cpu_s, peak_bytes] = numbers[..] else {
        let said = String::from_utf8_lossy(&output.stderr);
        panic!("{} cannot be read: {said}", path.display());
    };
    Cost { cpu_s, peak_bytes }
}

/// Takes a trace through an analysis, in the window that is looked at.
fn take<A: Analysis>(file: &[u8], window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::tolerant(file).expect("is a trace");
    let prepare = |_| Ok::<_, Infallible>((window, analysis));
    let Ok(passed) = Pass::over(&mut reader, prepare, |_, _| {});
    passed.report.expect("has events")
}

fn summarise(file: &[u8]) {
    let analyses = (Load::default(), Requests::default(), Findings::default());
    black_box(take(file, Window::WHOLE, analyses));
}

fn collect(file: &[u8]) {
    let analyses = (Gc::new(10), MutatorUtilization::default());
    black_box(take(file, Window::WHOLE, analyses));
}

fn explain(file: &[u8]) {
    let search = SubjectSearch::new(Id::Task(TaskId(1)), None);
    let subject = take(file, Window::WHOLE, search).expect("the first task is there");
    black_box(take(file, subject.window(), Why::new(subject)));
}

/// What a command takes for a trace. It is copied first, so that it is all in memory from first to last, and the peak less the file
/// is what the rest took.
fn cost(measured: &Measured, path: &Path) -> Cost {
    let file = fs::read(path).expect("the file can be read");
    let begin = cpu_s();
    (measured.run)(&file);
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    let peak_bytes = kib.expect("the system tells it in kB") * 1024.0;
    Cost {
        cpu_s: cpu_s() - begin,
        peak_bytes: (peak_bytes - file.len() as f64).max(0.0),
    }
}

/// CPU time of the process.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
