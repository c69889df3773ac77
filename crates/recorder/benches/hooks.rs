//! What a hook costs: with no session, and with one; without a stack, and with stacks of 10 and 30 frames seen before.
//!
//! Beside each stands its reference in the same run, interleaved with it: reading the clock that stamps events. Figures are
//! medians of many short rounds, so that a round that was interrupted does not count. Last come the floors: what the machine
//! alone charges for what the hooks of a row cannot do without.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "hooks/floor.rs"]
mod floor;

use std::hint::black_box;
use std::time::{Duration, Instant};

use exectrace::hook::{BlockReason, Task, heap_live, short_syscall};
use floor::Floor;

/// Events of a round.
const EVENTS: u32 = 1_000;
/// Rounds of a row; their median counts.
const ROUNDS: usize = 1_001;

fn main() {
    let task = Task::new(bench_task as fn() as *const ());
    let waker = task.reference();
    // Parked, so that its wakes write nothing but are hooks.
    report("hook_off", rows(|| waker.wake()), "of TaskRef::wake");
    let off = rows(|| {
        task.start().wait(&[]);
    });
    say("poll_off", off, "start and stop, no session");

    let session = exectrace::start(std::io::sink()).expect("the only session");
    report(
        "event",
        rows(|| heap_live(black_box(100_000))),
        "of hook::heap_live",
    );
    let run = task.start();
    for (row, depth) in [("event_stack_10", 10), ("event_stack_30", 30)] {
        // The frames of main, of the start-up code and of the round are there already.
        let depth = depth - frames_below();
        report(
            row,
            descend(depth, &mut || rows(short_syscall)),
            "of hook::short_syscall",
        );
    }
    run.block(BlockReason::Net);
    let poll = rows(|| {
        task.start().wait(&[]);
    });
    say("poll", poll, "start and stop, two events, no leaves");
    let woken = rows(|| {
        waker.wake();
        task.start().wait(&[]);
    });
    say("poll_wake", woken, "wake with stack, start, stop");
    let spawn = rows(|| drop(black_box(Task::new(bench_task as fn() as *const ()))));
    say("spawn", spawn, "new and dropped unrun: three events");
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    let bytes = statistics.bytes_written as f64 / statistics.events.total() as f64;
    println!(
        "{} events, {bytes:.2} bytes an event",
        statistics.events.total()
    );
    for (row, floor, what) in FLOORS {
        let Floor {
            events,
            swaps,
            frames,
        } = floor;
        println!(
            "bench\tfloor of {row}\t{:.1}\tns\t{events} gates with a reading of the clock, {swaps} swaps, {frames} frames: {what}",
            floor.measure_ns()
        );
    }
    let echo = ECHO.measure_amid_messages().expect("a connection");
    println!(
        "bench\tfloor of tcp_echo\t{:.1}\tns\t{} gates with a reading of the clock, {} swaps, {} frames amid a message's three system calls, which take {:.0} ns; in the nearest cache {:.1} ns\t{:.1}",
        echo.median_ns,
        ECHO.events,
        ECHO.swaps,
        ECHO.frames,
        echo.message_ns,
        ECHO.measure_ns(),
        echo.quickest_ns
    );
}

/// What the rows of the table cannot do without: events, swaps, frames as Tokio's stacks have them there.
const FLOORS: &[(&str, Floor, &str)] = &[
    ("event", floor(1, 0, 0), "an event"),
    ("event_stack_10", floor(1, 0, 10), "an event"),
    ("event_stack_30", floor(1, 0, 30), "an event"),
    ("tokio_poll", floor(2, 0, 0), "start, stop"),
    ("tokio_poll_wake", floor(3, 2, 3), "wake, start, stop"),
    ("tokio_poll_stacks", floor(3, 2, 10), "wake, start, stop"),
    (
        "tokio_spawn_join",
        floor(6, 3, 17),
        "create, start, end; who waits: stop, wake, start; the last reference",
    ),
];

/// What a message of an echo cannot do without: of the swaps two are the task's, one is the count of the waker that is spent.
const ECHO: Floor = floor(3, 3, 18);

const fn floor(events: u8, swaps: u8, frames: usize) -> Floor {
    Floor {
        events,
        swaps,
        frames,
    }
}

fn bench_task() {}

/// Frames below a call of `descend(0, …)` in this program.
fn frames_below() -> usize {
    // closure, rows, descend(0), main, call_once, begin_short_backtrace, lang_start closure, catch_unwind's two,
    // lang_start, main, two of the C library's start.
    9
}

/// Calls `work` so many frames further down.
#[inline(never)]
fn descend(depth: usize, work: &mut dyn FnMut() -> Figures) -> Figures {
    if depth == 0 {
        return work();
    }
    black_box(descend(depth - 1, work))
}

/// Nanoseconds of one call of `hook`, and of one reading of the clock.
fn rows(mut hook: impl FnMut()) -> Figures {
    let (mut hooks, mut clocks) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..EVENTS {
            hook();
        }
        hooks.push(start.elapsed());
        let start = Instant::now();
        for _ in 0..EVENTS {
            black_box(read_clock());
        }
        clocks.push(start.elapsed());
    }
    Figures {
        hook: Spread::of(hooks),
        clock: Spread::of(clocks),
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the reference is the processor's counter")]
fn read_clock() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn read_clock() -> Instant {
    Instant::now()
}

/// What one call cost, and what reading the clock cost in the same run, in nanoseconds.
#[derive(Clone, Copy)]
struct Figures {
    hook: Spread,
    clock: Spread,
}

#[derive(Clone, Copy)]
struct Spread {
    median: f64,
    /// The quickest round: on a machine with much else to do it tells more than the median.
    quickest: f64,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let each = |time: Duration| time.as_nanos() as f64 / f64::from(EVENTS);
        Self {
            median: each(times[times.len() / 2]),
            quickest: each(times[0]),
        }
    }
}

impl Figures {
    fn reference(self, what: &str) -> String {
        format!(
            "{what}; clock {:.1}, quickest {:.1}",
            self.clock.median, self.clock.quickest
        )
    }
}

fn report(row: &str, figures: Figures, what: &str) {
    let reference = figures.reference(what);
    println!(
        "bench\t{row}\t{:.2}\tns\t{reference}\t{:.2}",
        figures.hook.median, figures.hook.quickest
    );
}

fn say(what: &str, figures: Figures, note: &str) {
    let reference = figures.reference(note);
    println!(
        "{what}: {:.2} ns, quickest {:.2} ({reference})",
        figures.hook.median, figures.hook.quickest
    );
}
