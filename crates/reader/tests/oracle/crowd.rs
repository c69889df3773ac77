//! Traces of many threads whose clocks show the same times: what comes first depends on how Go's reader sorts.

use std::fmt::Write as _;

use exectrace_format::text;
use exectrace_testkit::Random;

/// Threads that create tasks, and as many that start them: more than Go's sort leaves to insertion.
const PAIRS: u64 = 20;
/// Events of a thread.
const EVENTS: u64 = 12;

/// A trace of two generations in which tasks are often started before the time at which they are created, so that their threads
/// must wait for others.
pub(crate) fn trace(random: &mut Random) -> Vec<u8> {
    let mut trace = String::from("go 1.22 trace\n");
    let mut tasks = 0;
    for generation in 1..=2 {
        let begin = generation * 1000;
        tables(&mut trace, generation, begin, random);
        for pair in 0..PAIRS {
            let (creator, starter) = (2 * pair, 2 * pair + 1);
            for worker in [creator, starter] {
                let thread = 100 + worker;
                line(
                    &mut trace,
                    format_args!("EventBatch generation={generation} thread={thread} time={begin}"),
                );
                line(
                    &mut trace,
                    format_args!("ProcStatus dt=1 worker={worker} status=1"),
                );
                let mut task = tasks;
                for number in 0..EVENTS {
                    // Those who create are later.
                    let dt = random.below(if worker == creator { 5 } else { 2 });
                    if number % 3 != 0 {
                        let value = random.below(1000);
                        line(
                            &mut trace,
                            format_args!("HeapAlloc dt={dt} live_bytes={value}"),
                        );
                        continue;
                    }
                    task += 1;
                    if worker == creator {
                        line(&mut trace, format_args!("GoCreate dt={dt} task={task}"));
                    } else {
                        line(
                            &mut trace,
                            format_args!("GoStart dt={dt} task={task} seq=1"),
                        );
                        line(&mut trace, format_args!("GoDestroy dt=0"));
                    }
                }
            }
            tasks += EVENTS;
        }
    }
    text::parse(&trace).unwrap_or_else(|error| panic!("{error}:\n{trace}"))
}

/// The frequency, and CPU samples at few times.
fn tables(trace: &mut String, generation: u64, begin: u64, random: &mut Random) {
    line(
        trace,
        format_args!("EventBatch generation={generation} thread=-1 time={begin}"),
    );
    line(trace, format_args!("Frequency units_per_second=1000000000"));
    line(
        trace,
        format_args!("EventBatch generation={generation} thread=-1 time={begin}"),
    );
    line(trace, format_args!("CPUSamples"));
    for thread in 100..180 {
        let time = begin + random.below(30);
        line(
            trace,
            format_args!("CPUSample time={time} thread={thread} worker=-1 task=-1"),
        );
    }
}

fn line(trace: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(trace, "{text}");
}
