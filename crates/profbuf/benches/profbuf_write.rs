//! What a write costs: at three depths of stack, and into a full buffer.
//!
//! Beside each write stands its reference in the same run, interleaved with it: copying as many
//! words into a plain ring of the same length, or, where nothing is copied, the one atomic
//! read-modify-write that counting a loss takes. Figures are medians of many short rounds, so
//! that a round that was interrupted does not count.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use exectrace_profbuf::{Mode, Read, Reader, Sizes, Writer, buffer};

/// As the sampler has it.
const SIZES: Sizes = Sizes {
    header_words: 2,
    data_words: 1 << 14,
    tags: 1 << 10,
};

/// Words of a record that are not stack.
const RECORD_WORDS: usize = 2 + SIZES.header_words;

/// Rounds per row; their median counts.
const ROUNDS: usize = 4_001;

fn main() {
    for depth in [1, 32, 128] {
        let (write, copy) = write(depth);
        println!(
            "profbuf write, depth {depth}: {write:.1} ns (memory copy {copy:.1} ns, ratio {:.2})",
            write / copy
        );
    }
    let (lost, add) = write_full();
    println!(
        "profbuf write into a full buffer: {lost:.1} ns (atomic add {add:.1} ns, ratio {:.2})",
        lost / add
    );
}

/// Nanoseconds of a write, and of a copy of as many words.
fn write(depth: usize) -> (f64, f64) {
    let (mut writer, mut reader) = sampler_buffer();
    let stack: Vec<u64> = (1..=depth as u64).collect();
    let mut plain = PlainRing::new();
    let words = vec![1; RECORD_WORDS + depth];
    // A third of the ring, so that every round begins elsewhere and none wakes anybody.
    let writes = (SIZES.data_words / 3 / words.len()).min(SIZES.tags / 3);

    let (mut write_times, mut copy_times) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        let start = Instant::now();
        for time in 0..writes as u64 {
            let header = [round | 1, time];
            let written = writer.write(Some(()), time, black_box(&header), black_box(&stack));
            assert!(written.is_ok());
        }
        write_times.push(start.elapsed());
        drain(&mut reader);

        let start = Instant::now();
        for _ in 0..writes {
            plain.copy(black_box(&words));
        }
        copy_times.push(start.elapsed());
    }
    (
        median_ns(write_times, writes),
        median_ns(copy_times, writes),
    )
}

/// Nanoseconds of a write that is lost, and of an atomic addition.
fn write_full() -> (f64, f64) {
    let (mut writer, _reader) = sampler_buffer();
    let (header, stack) = (black_box([1, 2]), black_box([7; 32]));
    while writer.write(Some(()), 0, &header, &stack).is_ok() {}
    let count = AtomicU64::new(0);

    let writes = 1_000;
    let (mut write_times, mut add_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for time in 0..writes as u64 {
            let lost = writer.write(Some(()), time, &header, &stack);
            assert!(lost.is_err());
        }
        write_times.push(start.elapsed());

        let start = Instant::now();
        for _ in 0..writes {
            black_box(&count).fetch_add(1, Ordering::Relaxed);
        }
        add_times.push(start.elapsed());
    }
    (median_ns(write_times, writes), median_ns(add_times, writes))
}

fn sampler_buffer() -> (Writer<()>, Reader<()>) {
    buffer(SIZES).expect("the sizes are within the limits")
}

/// Reads until there is nothing, and once more to give everything back.
fn drain(reader: &mut Reader<()>) {
    while let Read::Records(records) = reader.read(Mode::NonBlocking) {
        black_box(records.len());
    }
}

fn median_ns(mut times: Vec<Duration>, operations: usize) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_nanos() as f64 / operations as f64
}

/// The least that a write has to do: words go to the next place of a ring.
struct PlainRing {
    words: Vec<u64>,
    at: usize,
}

impl PlainRing {
    fn new() -> Self {
        Self {
            words: vec![1; SIZES.data_words],
            at: 0,
        }
    }

    fn copy(&mut self, words: &[u64]) {
        if self.at + words.len() > self.words.len() {
            self.at = 0;
        }
        self.words[self.at..][..words.len()].copy_from_slice(words);
        self.at += words.len();
        black_box(&mut self.words);
    }
}
