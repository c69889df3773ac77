//! What counting the heap costs: an allocation and a free through the traced allocator, beyond the same through the system's.
//!
//! The two are interleaved in rounds, and the figures are medians of the rounds' differences. Pieces of 16 to 1,039 bytes are
//! kept for 512 turns, so that balances leave their bounds as they do in programs.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(unsafe_code, reason = "calls of allocators by hand")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::time::Instant;

use exectrace::TracingAllocator;
use exectrace::hook::{BlockReason, Task};

/// Allocations and frees of a round.
const TURNS: usize = 4_096;
/// Rounds of a row.
const ROUNDS: usize = 801;
/// Pieces that are live at a time.
const LIVE: usize = 512;

static TRACED: TracingAllocator = TracingAllocator::system();

fn main() {
    say("heap_wrapper", &measure(), "no session");
    let session = exectrace::start(std::io::sink()).expect("the only session");
    let task = Task::new(std::ptr::dangling());
    // The thread has a lane from here on, so that it writes events itself.
    let run = task.start();
    say("heap_wrapper_on", &measure(), "a session running");
    run.block(BlockReason::Net);
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    println!("{} events of the heap", statistics.events.of("HeapAlloc"));
}

/// Nanoseconds of an allocation and a free.
struct Figures {
    system: f64,
    traced: f64,
    added: f64,
}

fn measure() -> Figures {
    let mut pieces = Pieces::new();
    let (mut system, mut traced, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let plain = pieces.round(&System);
        let counted = pieces.round(&TRACED);
        system.push(plain);
        traced.push(counted);
        added.push(counted - plain);
    }
    Figures {
        system: median(system),
        traced: median(traced),
        added: median(added),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn say(row: &str, figures: &Figures, when: &str) {
    println!(
        "bench\t{row}\t{:.2}\tns\tsystem {:.1} ns, traced {:.1} ns, {when}",
        figures.added, figures.system, figures.traced
    );
}

/// Sizes in a fixed order without one, and the pieces of a round.
struct Pieces {
    layouts: Vec<Layout>,
    live: [*mut u8; LIVE],
}

impl Pieces {
    fn new() -> Self {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let layouts = (0..TURNS).map(|_| {
            // Marsaglia's xorshift.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let size_bytes = 16 + (random % 1_024) as usize;
            Layout::from_size_align(size_bytes, 8).expect("a small layout")
        });
        Self {
            layouts: layouts.collect(),
            live: [std::ptr::null_mut(); LIVE],
        }
    }

    /// Nanoseconds of an allocation and a free with `allocator`, on average.
    #[inline(never)]
    fn round(&mut self, allocator: &impl GlobalAlloc) -> f64 {
        let start = Instant::now();
        for turn in 0..TURNS + LIVE {
            let place = &mut self.live[turn % LIVE];
            if let Some(former) = turn.checked_sub(LIVE) {
                // SAFETY: allocated LIVE turns ago with this layout, by this allocator.
                unsafe { allocator.dealloc(black_box(*place), self.layouts[former]) };
            }
            if turn < TURNS {
                // SAFETY: the layout has a size.
                *place = black_box(unsafe { allocator.alloc(self.layouts[turn]) });
                assert!(!place.is_null());
            }
        }
        start.elapsed().as_nanos() as f64 / TURNS as f64
    }
}
