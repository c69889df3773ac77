//! How fast whole files are read, in order and checked: CPU time of one thread, beside decoding alone in the same rounds.
//!
//! `cargo bench -p exectrace-reader -- FILE…` reads each file some times over and prints events a second, median and best.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

use exectrace_format::go_v2::{BatchKind, Item, Items};
use exectrace_format::{Format, Version, go_v1};
use exectrace_reader::Reader;
use rustix::time::{ClockId, clock_gettime};

/// Rounds; odd, so that the median is one of them.
const ROUNDS: usize = 5;

fn main() {
    let files = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    for path in files {
        let file = std::fs::read(&path).expect("the file can be read");
        let mut events = 0;
        let (mut ordered, mut decoded) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let begin = cpu_s();
            decode(&file);
            let middle = cpu_s();
            events = read(&file);
            let end = cpu_s();
            decoded.push(events as f64 / (middle - begin) / 1e6);
            ordered.push(events as f64 / (end - middle) / 1e6);
        }
        for rates in [&mut ordered, &mut decoded] {
            rates.sort_by(f64::total_cmp);
        }
        println!(
            "{path}: {events} events, {:.1} M/s, best {:.1}; decoded alone {:.1} M/s, best {:.1}",
            ordered[ROUNDS / 2],
            ordered[ROUNDS - 1],
            decoded[ROUNDS / 2],
            decoded[ROUNDS - 1],
        );
    }
}

/// Puts all events in order, and counts them.
fn read(file: &[u8]) -> u64 {
    let mut reader = Reader::new(file).expect("a trace");
    let mut events = 0;
    while let Some(block) = reader.next_block().expect("a whole trace") {
        for event in block {
            std::hint::black_box(event);
        }
        events += block.len() as u64;
    }
    events
}

/// Decodes all records, and does nothing with them.
fn decode(file: &[u8]) {
    match Version::of(file).expect("a trace").format() {
        Format::V1 => {
            for record in go_v1::Records::of_file(file).expect("a trace") {
                std::hint::black_box(&record);
            }
        }
        Format::V2 => {
            let items = Items::of_file(file).expect("a trace");
            let version = items.version();
            for item in items {
                if let Ok(Item::Batch(batch)) = item
                    && batch.kind(version) == BatchKind::Events
                {
                    for event in batch.events() {
                        std::hint::black_box(&event);
                    }
                }
            }
        }
    }
}

/// CPU time of the thread.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
