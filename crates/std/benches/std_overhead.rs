//! What tracing adds to locks, channels and threads: the standard library's, ours with no session, and with one.
//!
//! The three are measured in turns, by the CPU time of the threads that take part; the least of each counts,
//! since all that others do on the machine adds to it.
#![expect(clippy::print_stdout, reason = "a bench reports by lines")]

use std::fs;
use std::hint::black_box;

const ROUNDS: usize = 9;

/// Nanoseconds an operation of one library.
type Measure = fn() -> f64;

/// The operations with one of the two libraries.
macro_rules! operations {
    ($module:ident, $library:ident) => {
        mod $module {
            use $library::sync::mpsc::{channel, sync_channel};
            use $library::sync::{Barrier, Mutex, OnceLock, RwLock};
            use $library::thread;

            use super::{black_box, cpu_ns, per_operation};

            pub(super) fn mutex() -> f64 {
                let mutex = Mutex::new(0_u64);
                per_operation(3_000_000, || *black_box(&mutex).lock().unwrap() += 1)
            }

            pub(super) fn read() -> f64 {
                let lock = RwLock::new(0_u64);
                per_operation(3_000_000, || *black_box(&lock).read().unwrap())
            }

            pub(super) fn cell() -> f64 {
                let cell = OnceLock::new();
                per_operation(30_000_000, || *black_box(&cell).get_or_init(|| 1_u64))
            }

            pub(super) fn message() -> f64 {
                let (sender, receiver) = channel();
                per_operation(600_000, || {
                    sender.send(1_u64).unwrap();
                    receiver.recv().unwrap()
                })
            }

            pub(super) fn thread() -> f64 {
                const THREADS: u32 = 200;
                let mut spent = 0;
                let own = per_operation(THREADS, || spent += thread::spawn(cpu_ns).join().unwrap());
                own + spent as f64 / f64::from(THREADS)
            }

            /// Two waits, each ended by the other thread.
            pub(super) fn round_trip() -> f64 {
                const TRIPS: u32 = 3_000;
                let (there, inbox) = sync_channel(1);
                let (back, answers) = sync_channel(1);
                let ready = &Barrier::new(2);
                let spent: u64 = thread::scope(|scope| {
                    let other = scope.spawn(move || {
                        ready.wait();
                        let begin = cpu_ns();
                        for message in inbox.iter().take(TRIPS as usize) {
                            back.send(message).unwrap();
                        }
                        cpu_ns() - begin
                    });
                    ready.wait();
                    let begin = cpu_ns();
                    for number in 0..TRIPS {
                        there.send(number).unwrap();
                        answers.recv().unwrap();
                    }
                    cpu_ns() - begin + other.join().unwrap()
                });
                spent as f64 / f64::from(TRIPS)
            }
        }
    };
}

operations!(standard, std);
operations!(traced, exectrace_std);

fn per_operation<R>(count: u32, mut operation: impl FnMut() -> R) -> f64 {
    let begin = cpu_ns();
    for _ in 0..count {
        black_box(operation());
    }
    (cpu_ns() - begin) as f64 / f64::from(count)
}

/// CPU time of the calling thread; 0 where the system does not say.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next();
    first.and_then(|time| time.parse().ok()).unwrap_or(0)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn main() {
    let operations: [(&str, Measure, Measure); 6] = [
        ("std mutex, free", standard::mutex, traced::mutex),
        ("std read lock, free", standard::read, traced::read),
        ("std cell, made", standard::cell, traced::cell),
        ("std message, there", standard::message, traced::message),
        (
            "std thread, spawn and join, CPU",
            standard::thread,
            traced::thread,
        ),
        (
            "std round trip, CPU",
            standard::round_trip,
            traced::round_trip,
        ),
    ];
    for (name, standard, traced) in operations {
        let (mut base, mut off, mut on) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            base.push(standard());
            off.push(traced());
            let session = exectrace::Recorder::new()
                .without_cpu_samples()
                .start(std::io::sink())
                .expect("one session at a time");
            on.push(traced());
            drop(session);
        }
        let (base, off, on) = (least(&base), least(&off), least(&on));
        println!("{name}: {on:.1} ns (std {base:.1} ns, with no session {off:.1} ns)");
    }
}
