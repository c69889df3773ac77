//! What a session costs beside time: bytes of a poll, memory, the pause of other threads when it starts or stops, and the
//! crates that a user's program gets.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use exectrace::hook::{Task, TaskRef, heap_live};
use exectrace::{Recorder, Statistics};

/// Polls in all, of tasks that live as long as those of a connection or so: sequence numbers of up to two bytes.
const POLLS: u64 = 200_000;
const POLLS_OF_A_TASK: u64 = 1_000;
/// Live tasks when a session is started and stopped.
const LIVE_TASKS: usize = 20_000;
const RESTARTS: usize = 100;

fn main() {
    bytes_of_polls();
    memory();
    pause_of_other_threads();
    crates();
}

fn entry() {}

fn new_task() -> Task {
    Task::new(entry as fn() as *const ())
}

fn report(row: &str, value: f64, unit: &str, reference: &str) {
    println!("bench\t{row}\t{value:.2}\t{unit}\t{reference}");
}

/// Bytes that a poll takes in the file: start and stop of a task that yields, and of one that is woken from outside.
fn bytes_of_polls() {
    let record = |poll: fn(&Task, &TaskRef)| -> Statistics {
        let session = Recorder::new()
            .without_cpu_samples()
            .start(std::io::sink())
            .expect("one session");
        for _ in 0..POLLS / POLLS_OF_A_TASK {
            let task = new_task();
            let waker = task.reference();
            task.start().wait(&[]);
            for _ in 0..POLLS_OF_A_TASK {
                poll(&task, &waker);
            }
        }
        session.stop()
    };
    let yields = record(|task, waker| {
        let run = task.start();
        waker.wake();
        run.wait(&[]);
    });
    let woken = record(|task, waker| {
        waker.wake();
        task.start().wait(&[]);
    });
    for (row, statistics) in [("poll_bytes", yields), ("poll_wake_bytes", woken)] {
        let bytes = statistics.bytes_written as f64 / POLLS as f64;
        let events = statistics.events.total() as f64 / POLLS as f64;
        report(
            row,
            bytes,
            "B",
            &format!("{events:.2} events, without compression"),
        );
    }
}

/// Resident memory that is not a mapped file's, in bytes.
fn anonymous_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Memory of a session with many tasks and stacks, beside its batches.
fn memory() {
    let before = anonymous_bytes();
    let session = exectrace::start(std::io::sink()).expect("one session");
    for depth in 0..200 {
        deepen(depth % 60, &mut || {
            let task = new_task();
            task.start().block(exectrace::hook::BlockReason::Net);
            task.reference().wake();
        });
    }
    for _ in 0..POLLS {
        heap_live(1);
    }
    // So that symbols are resolved before the look.
    std::thread::sleep(Duration::from_millis(300));
    let used = anonymous_bytes().saturating_sub(before);
    let statistics = session.stop();
    let beside = used.saturating_sub(statistics.batch_bytes_max as u64) as f64 / 1e6;
    let reference = format!(
        "{:.1} MB of batches, {} stacks resolved",
        statistics.batch_bytes_max as f64 / 1e6,
        statistics.stacks
    );
    report("memory", beside, "MB", &reference);
}

#[inline(never)]
fn deepen(depth: usize, work: &mut dyn FnMut()) {
    if depth == 0 {
        return work();
    }
    deepen(depth - 1, work);
    std::hint::black_box(depth);
}

/// How often the calling thread has lost its processor.
fn switches() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let counts = status.lines().filter_map(|line| {
        let count = line.split_once("ctxt_switches:")?.1;
        count.trim().parse::<u64>().ok()
    });
    counts.sum()
}

/// The longest time between two hooks of a thread that does nothing else, in a stretch in which a session starts and stops, over
/// that in a stretch as long in which none does: medians of many, since a machine with neighbours stops everybody now and then.
/// Times in which the thread lost its processor do not count: that is the system's doing.
fn pause_of_other_threads() {
    let tasks: Vec<Task> = (0..LIVE_TASKS).map(|_| new_task()).collect();
    let end = AtomicBool::new(false);
    let longest_ns = AtomicU64::new(0);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| watch_for_gaps(&end, &longest_ns));
        for _ in 0..RESTARTS {
            longest_ns.store(0, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
            without.push(longest_ns.swap(0, Ordering::Relaxed));
            let session = Recorder::new()
                .without_cpu_samples()
                .start(std::io::sink())
                .expect("one session");
            std::thread::sleep(Duration::from_millis(20));
            let statistics = session.stop();
            with.push(longest_ns.swap(0, Ordering::Relaxed));
            assert!(
                statistics.events.of("GoCreate") >= LIVE_TASKS as u64,
                "{statistics}"
            );
        }
        end.store(true, Ordering::Relaxed);
    });
    drop(tasks);
    let (with, without) = (median_us(with), median_us(without));
    let reference = format!(
        "longest {with:.1} µs, {without:.1} µs while nothing starts or stops, medians of {RESTARTS}"
    );
    report("session_pause", (with - without).max(0.0), "µs", &reference);
}

fn watch_for_gaps(end: &AtomicBool, longest_ns: &AtomicU64) {
    let mut switched = switches();
    let mut last = Instant::now();
    while !end.load(Ordering::Relaxed) {
        heap_live(1);
        let gap_ns = last.elapsed().as_nanos() as u64;
        if gap_ns > longest_ns.load(Ordering::Relaxed) {
            let switches = switches();
            if switches == switched {
                longest_ns.fetch_max(gap_ns, Ordering::Relaxed);
            }
            switched = switches;
        }
        last = Instant::now();
    }
}

fn median_us(mut times_ns: Vec<u64>) -> f64 {
    times_ns.sort_unstable();
    times_ns[times_ns.len() / 2] as f64 / 1e3
}

/// Crates that a program gets with the Tokio adapter, Tokio's own not counted.
fn crates() {
    let tree = |package: &str| -> BTreeSet<String> {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "-e", "normal", "--prefix", "none", "-p", package])
            .output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let names = text.lines().filter_map(|line| line.split(' ').next());
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let ours = tree("exectrace-tokio");
    let tokio = tree("tokio");
    let added: Vec<&String> = ours.difference(&tokio).collect();
    let names: Vec<&str> = added.iter().map(|name| name.as_str()).collect();
    report("crates", added.len() as f64, "", &names.join(", "));
}
