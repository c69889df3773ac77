//! What CPU sampling costs and finds: `cargo xtask bench`, or by itself.
//!
//! With and without samples in turns, both in a recording, so that all else is the same.
//!
//! - The CPU time that samples add is too little to see in the time of some work. It is seen in the gaps between looks at the
//!   clock: a thread that looks at it all the time is interrupted by the kernel's ticks, and with samples by signals too. To
//!   that comes what the collector's thread uses more. Thirty calls deep, as programs are.
//! - A thread's start is that of the standard library, with its join.
//! - Found of expected: samples in the recording against the CPU time of a thread by the kernel's account, half of it in
//!   system calls.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant};

use exectrace::{Recorder, Statistics};

fn main() {
    println!("{}", sampling_cpu());
    println!("{}", thread_start());
    println!("{}", samples_found());
}

fn recorder(with_samples: bool) -> Recorder {
    if with_samples {
        Recorder::new()
    } else {
        Recorder::new().without_cpu_samples()
    }
}

fn record<R>(with_samples: bool, work: impl FnOnce() -> R) -> (R, Statistics) {
    let session = recorder(with_samples).start(std::io::sink());
    let session = session.expect("the session starts");
    // What a session does at its start is not what it costs.
    std::thread::sleep(Duration::from_millis(20));
    let result = work();
    (result, session.stop())
}

/// Percent of a busy thread's time.
fn sampling_cpu() -> String {
    const ROUNDS: usize = 40;
    // Symbols and unwinding tables are made once in a process.
    record(true, || gaps(Duration::from_millis(500)));
    let mut parts = [const { [const { Vec::new() }; 2] }; 2];
    for round in 0..2 * ROUNDS {
        let with_samples = round % 2 == 1;
        let (round_parts, _) = record(with_samples, || {
            let (before, begin) = (collector_cpu_ns(), Instant::now());
            let (gaps_ns, looked_ns) = deep(30, &|| gaps(Duration::from_millis(200)));
            let collector_ns = collector_cpu_ns() - before;
            [
                percent(gaps_ns, looked_ns),
                percent(collector_ns, begin.elapsed().as_nanos() as u64),
            ]
        });
        for (rounds, part) in parts[usize::from(with_samples)].iter_mut().zip(round_parts) {
            rounds.push(part);
        }
    }
    // The quieter half: in the others the machine did something else.
    let [without, with] = parts.map(|parts| parts.map(|rounds| quantile(rounds, 0.25)));
    let [signals, collector] = [with[0] - without[0], with[1] - without[1]];
    format!(
        "bench\tsampling_cpu\t{:.3}\t%\t{signals:.3} in signals, {collector:.3} in the collector; the kernel's ticks {:.3}",
        signals + collector,
        without[0]
    )
}

fn percent(part_ns: u64, whole_ns: u64) -> f64 {
    part_ns as f64 / whole_ns as f64 * 100.0
}

/// Calls itself so often, then works.
#[inline(never)]
fn deep<R>(depth: u32, work: &dyn Fn() -> R) -> R {
    let result = if depth == 0 {
        work()
    } else {
        deep(depth - 1, work)
    };
    black_box(depth);
    result
}

/// Looks at the clock for so long; answers the time in gaps that an interrupt makes, and the time that was the thread's own.
fn gaps(time: Duration) -> (u64, u64) {
    /// Two looks are not so far apart.
    const INTERRUPTED_NS: u64 = 400;
    /// The thread had lost its processor.
    const SUSPENDED_NS: u64 = 60_000;
    let begin = Instant::now();
    let (mut gaps_ns, mut suspended_ns, mut last_ns) = (0, 0, 0);
    loop {
        let now_ns = begin.elapsed().as_nanos() as u64;
        let gap_ns = now_ns - last_ns;
        last_ns = now_ns;
        if gap_ns > SUSPENDED_NS {
            suspended_ns += gap_ns;
        } else if gap_ns > INTERRUPTED_NS {
            gaps_ns += gap_ns;
        }
        if now_ns - suspended_ns > time.as_nanos() as u64 {
            return (gaps_ns, now_ns - suspended_ns);
        }
    }
}

/// CPU time of the recorder's own thread.
fn collector_cpu_ns() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux");
    let named = threads.flatten().map(|entry| entry.path()).find(|path| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "exectrace")
    });
    named.map_or(0, |path| cpu_ns(path.join("schedstat")))
}

fn cpu_ns(schedstat: impl AsRef<std::path::Path>) -> u64 {
    let text = std::fs::read_to_string(schedstat).expect("the kernel tells");
    let ns = text.split(' ').next().and_then(|ns| ns.parse().ok());
    ns.expect("a number comes first")
}

/// The time of a thread's start and join, with samples over without.
fn thread_start() -> String {
    const ROUNDS: usize = 20;
    const THREADS: usize = 300;
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..2 * ROUNDS {
        let with_samples = round % 2 == 1;
        let (round_times, _) = record(with_samples, || {
            let mut round_times = Vec::with_capacity(THREADS);
            for _ in 0..THREADS {
                let begin = Instant::now();
                std::thread::spawn(|| ()).join().expect("no panic");
                round_times.push(begin.elapsed().as_nanos() as f64 / 1000.0);
            }
            round_times
        });
        times[usize::from(with_samples)].extend(round_times);
    }
    let [without_us, with_us] = times.map(|times| quantile(times, 0.5));
    format!(
        "bench\tthread_start\t{:.3}\t×\t{with_us:.1} µs with samples, {without_us:.1} without",
        with_us / without_us
    )
}

fn quantile(mut figures: Vec<f64>, share: f64) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[(figures.len() as f64 * share) as usize]
}

/// Percent of the samples that the CPU time promises.
fn samples_found() -> String {
    const HALF: Duration = Duration::from_secs(2);
    let (cpu_ns, statistics) = record(true, || {
        let busy = std::thread::spawn(|| {
            let before = cpu_ns("/proc/thread-self/schedstat");
            gaps(HALF);
            read_zeros(HALF);
            cpu_ns("/proc/thread-self/schedstat") - before
        });
        busy.join().expect("no panic")
    });
    let samples = statistics.cpu_samples.expect("samples are taken");
    let expected = cpu_ns as f64 / 1e9 * f64::from(samples.effective_hz);
    format!(
        "bench\tsamples_found\t{:.1}\t%\t{} samples, {expected:.1} expected of {:.2} s at {} Hz",
        samples.written as f64 / expected * 100.0,
        samples.written,
        cpu_ns as f64 / 1e9,
        samples.effective_hz
    )
}

fn read_zeros(time: Duration) {
    let mut zeros = std::fs::File::open("/dev/zero").expect("every Linux has it");
    let mut bytes = [1_u8; 512];
    let begin = Instant::now();
    while begin.elapsed() < time {
        for _ in 0..100 {
            let _ = black_box(zeros.read(&mut bytes));
        }
    }
}
