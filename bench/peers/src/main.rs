//! What other tracers of Tokio programs cost, measured as ours is.
//!
//! Every contender runs every workload in a process of its own, on one worker thread, and reports the CPU time, user and
//! system, of the whole process: a tracer's own threads count. Contenders take turns, round after round, and the median
//! counts, so that a machine that is busy for a while is busy for all. The costs are differences to plain Tokio.
//!
//! `cargo run --release` prints lines that `cargo xtask bench` understands: the word `bench`, a key, nanoseconds for one
//! operation, and plain Tokio's time in the same run.

mod contender;
mod workload;

use std::env;
use std::process::{Command, ExitCode};

use contender::{CONTENDERS, Contender};
use workload::{WORKLOADS, Workload};

/// Rounds; odd, so that the median is one of them.
const ROUNDS: usize = 9;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => measure_all(),
        // What a parent asks its child for.
        [contender, workload] => {
            let contender = CONTENDERS.iter().find(|it| it.name == contender);
            let workload = WORKLOADS.iter().find(|it| it.name == workload);
            let (Some(contender), Some(workload)) = (contender, workload) else {
                eprintln!("no such contender or workload: {arguments:?}");
                return ExitCode::FAILURE;
            };
            println!("{}", workload.cpu_ns(contender));
        }
        _ => {
            eprintln!("usage: exectrace-peers [CONTENDER WORKLOAD]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn measure_all() {
    for workload in WORKLOADS {
        let mut times = vec![Vec::new(); CONTENDERS.len()];
        for _ in 0..ROUNDS {
            for (contender, times) in CONTENDERS.iter().zip(&mut times) {
                times.push(in_a_child(contender, workload));
            }
        }
        let per_operation: Vec<f64> = times
            .iter_mut()
            .map(|times| median(times) / workload.operations as f64)
            .collect();
        // The first contender is plain Tokio.
        let plain = per_operation[0];
        for (contender, ns) in CONTENDERS.iter().zip(&per_operation).skip(1) {
            println!(
                "bench\t{}_{}\t{:.1}\tns\tplain Tokio {plain:.1} ns",
                contender.name,
                workload.name,
                ns - plain
            );
        }
    }
}

fn in_a_child(contender: &Contender, workload: &Workload) -> f64 {
    let output = env::current_exe()
        .and_then(|own| {
            Command::new(own)
                .args([contender.name, workload.name])
                .output()
        })
        .expect("a program can run itself");
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().unwrap_or_else(|_| {
        panic!(
            "{} on {}: {}",
            contender.name,
            workload.name,
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
