//! What tracing a Tokio program costs, beside plain Tokio and beside the crate without a session.
//!
//! Every workload runs on one worker, by turns with plain Tokio, with the crate and no session, and with one: round after
//! round, so that a machine that is busy for a while is busy for all. What counts is CPU time, user and system, of the whole
//! process: the recorder's own threads too. Costs are medians of each round's difference to plain Tokio. Beside them stands
//! what the quickest stretches say, of some microseconds of the worker's time: without the recorder's threads, but without what else
//! the machine does.
//!
//! | row | one operation |
//! | --- | --- |
//! | `tokio_poll` | a poll that wakes itself and ends: start and stop are two events |
//! | `tokio_yield` | a poll that ends by `yield_now`, whose clone of the waker is looked at |
//! | `tokio_poll_wake` | a wake by another task with its stack, start and stop; the waker is kept from poll to poll |
//! | `tokio_poll_stacks` | the same through a channel, some calls deep: with the stack where it waits |
//! | `tokio_spawn_join` | an empty task, spawned and awaited |
//! | `tcp_echo` | a message to and fro on one of 64 connections; of the throughput of a worker, what is lost to tracing |
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "tokio_overhead/echo.rs"]
mod echo;
#[path = "tokio_overhead/lap.rs"]
mod lap;
#[path = "tokio_overhead/one_worker.rs"]
mod one_worker;
#[path = "tokio_overhead/workload.rs"]
mod workload;

use rustix::time::{ClockId, clock_gettime};
use workload::{Contender, Cost, WORKLOADS, Workload};

/// Rounds; odd, so that the median is one of them.
const ROUNDS: usize = 11;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_wanted = |row: &str| wanted.is_empty() || wanted.iter().any(|name| name == row);
    for workload in WORKLOADS {
        if is_wanted(workload.row) {
            report(workload);
        }
    }
    if is_wanted(ECHO_ROW) {
        report_echo();
    }
}

const ECHO_ROW: &str = "tcp_echo";

fn report_echo() {
    let loss = echo::measure();
    let [low, median, high] = loss.quartiles;
    println!(
        "bench\t{ECHO_ROW}\t{median:.2}\t%\tCPU of the worker, pairs of stretches, quartiles {low:.2} and {high:.2}; of it the recorder's threads {:.2}; plain {:.0} ns a message\t{:.2}",
        loss.recorder, loss.plain_ns, loss.quickest
    );
}

/// What an operation costs in each round.
#[derive(Default)]
struct Figures {
    plain: Vec<Cost>,
    off: Vec<Cost>,
    on: Vec<Cost>,
    bytes: Vec<f64>,
}

fn report(workload: &Workload) {
    // The first recording looks up the program's functions.
    measure(workload, true);
    let mut figures = Figures::default();
    for _ in 0..ROUNDS {
        figures
            .plain
            .push((workload.run)(Contender::Plain, workload.operations));
        figures.off.push(measure(workload, false).0);
        let (on, bytes) = measure(workload, true);
        figures.on.push(on);
        figures.bytes.push(bytes);
    }
    let plain = median(figures.plain.iter().map(|cost| cost.cpu_ns).collect());
    let plain_quickest = quickest(&figures.plain);
    let [on, off] = [&figures.on, &figures.off].map(|ours| added(ours, &figures.plain));
    let [on_quickest, off_quickest] =
        [&figures.on, &figures.off].map(|ours| quickest(ours) - plain_quickest);
    let bytes = median(figures.bytes);
    let row = workload.row;
    println!(
        "bench\t{row}\t{on:.1}\tns\tplain {plain:.1} ns (quickest {plain_quickest:.1}), without a session {off:+.1} ns ({off_quickest:+.1}), bytes {bytes:.1}\t{on_quickest:.1}"
    );
    if let Some(row) = workload.bytes_row {
        println!("bench\t{row}\t{bytes:.1}\tB\tof {}", workload.row);
    }
}

/// The cost and the bytes of an operation, with a session or without.
fn measure(workload: &Workload, with_session: bool) -> (Cost, f64) {
    if !with_session {
        return ((workload.run)(Contender::Traced, workload.operations), 0.0);
    }
    let session = exectrace::start(std::io::sink()).expect("the only session");
    let cost = (workload.run)(Contender::Traced, workload.operations);
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    (
        cost,
        statistics.bytes_written as f64 / workload.operations as f64,
    )
}

/// The median of what each round adds to plain Tokio's.
fn added(ours: &[Cost], plain: &[Cost]) -> f64 {
    median(
        ours.iter()
            .zip(plain)
            .map(|(ours, plain)| ours.cpu_ns - plain.cpu_ns)
            .collect(),
    )
}

/// What the quickest stretch of all rounds says.
fn quickest(costs: &[Cost]) -> f64 {
    costs
        .iter()
        .map(|cost| cost.quickest_ns)
        .fold(f64::INFINITY, f64::min)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// CPU time of the process.
fn process_cpu_ns() -> f64 {
    cpu_ns(ClockId::ProcessCPUTime)
}

/// CPU time of the calling thread.
fn thread_cpu_ns() -> f64 {
    cpu_ns(ClockId::ThreadCPUTime)
}

fn cpu_ns(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
