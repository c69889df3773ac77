//! How fast whole files are read, in order and checked, and with how much memory.
//!
//! - `cargo xtask bench exectrace-reader` measures the rows of the budget's table, ours beside Go's reader; with `--big` also
//!   the memory for traces of 500 MB and more.
//! - `cargo bench -p exectrace-reader -- FILE…` reads each file some times over, beside decoding alone in the same rounds, and
//!   prints events a second, median and best.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench reports on standard output, and says what it cannot measure"
)]

#[path = "read_trace/cost.rs"]
mod cost;
#[path = "read_trace/rows.rs"]
mod rows;

use std::path::PathBuf;

use cost::{Cost, cpu_s, read};
use exectrace_format::go_v2::{BatchKind, Item, Items};
use exectrace_format::{Format, Version, go_v1};
use rows::Rows;

/// Rounds; odd, so that the median is one of them.
const ROUNDS: usize = 5;

/// Where `cargo xtask bigtrace` puts traces, unless cargo's target directory is another; then xtask says where.
const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bigtrace");

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        // Cargo's own word to benches.
        .filter(|argument| argument != "--bench")
        .collect();
    if Cost::is_asked_for(&arguments) {
        return;
    }
    let (flags, files): (Vec<String>, Vec<String>) = arguments
        .into_iter()
        .partition(|argument| argument.starts_with("--"));
    for path in &files {
        read_often(path);
    }
    if files.is_empty() {
        let named = flags.iter().find_map(|flag| flag.strip_prefix("--traces="));
        let rows = Rows {
            directory: PathBuf::from(named.unwrap_or(TRACES)),
            has_big: flags.iter().any(|flag| flag == "--big"),
        };
        rows.print();
    }
}

/// Reads a file some times over.
fn read_often(path: &str) {
    let file = std::fs::read(path).expect("the file can be read");
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
