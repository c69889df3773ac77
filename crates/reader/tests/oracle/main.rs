//! The events of every trace of the corpus against those of Go's own readers, field by field and in their order.
//!
//! Both sides write an event as a line; a stack is in it as the hash of its frames, and the frames of both are told where lines
//! differ. What Go tells of an event and we do not: the numbers by which events are put in order, and a generation's clock
//! snapshot. Format v1 says of an event whose goroutine's it is; we say which one ran before, and the listing here turns the one
//! into the other.

mod comparison;
mod corpus;
mod crowd;
mod listing;
mod v1_listing;
mod v2_listing;

use exectrace_testkit::{Corpus, Oracle, Random, Scratch};

use corpus::Trace;
use v1_listing::Teller;

/// Compares the chosen traces.
fn compare(
    is_chosen: impl Fn(&Trace) -> bool,
    compare: impl Fn(&Trace, &[u8]) -> Result<u64, String>,
) {
    let (mut events, mut files, mut faults) = (0, 0, Vec::new());
    let scratch = Scratch::new("traces");
    for trace in corpus::traces(&scratch).filter(is_chosen) {
        files += 1;
        match compare(&trace, &trace.bytes) {
            Ok(count) => events += count,
            Err(fault) => faults.push(format!("{}: {fault}", trace.name)),
        }
    }
    let number = faults.len();
    assert_eq!(number, 0, "files that differ:\n{}", faults.join("\n"));
    // Each corpus has traces of every version, which are not empty.
    assert!(files > 2 && events > 10, "{events} events of {files} files");
}

#[test]
fn format_v2_reads_as_by_go_1_27() {
    let Some(go) = Oracle::v1_27() else { return };
    // Also those that are refused have events up to the fault.
    compare(
        |trace| trace.format == "v2",
        |trace, bytes| comparison::in_order(go.events(&trace.path), bytes),
    );
}

#[test]
fn many_events_of_one_time_come_as_by_go_1_27() {
    let Some(go) = Oracle::v1_27() else { return };
    let scratch = Scratch::new("crowd");
    for seed in 0..20 {
        let bytes = crowd::trace(&mut Random::new(seed));
        let path = scratch.file("crowd.trace", &bytes);
        match comparison::in_order(go.events(&path), &bytes) {
            Ok(events) => assert!(events > 1000, "seed {seed}: {events} events"),
            Err(fault) => panic!("seed {seed}: {fault}"),
        }
    }
}

#[test]
fn format_v1_reads_as_by_go_1_19() {
    let Some(go) = Oracle::v1_19() else { return };
    compare(
        |trace| trace.is_accepted_v1() && trace.header != "1.21",
        |trace, bytes| comparison::by_tick(go.events(&trace.path), Teller::Go1_19, bytes),
    );
}

#[test]
fn version_1_21_reads_as_by_go_1_27() {
    let Some(go) = Oracle::v1_27() else { return };
    compare(
        |trace| trace.is_accepted_v1() && trace.header == "1.21",
        |trace, bytes| comparison::by_tick(go.records(&trace.path), Teller::Go1_27, bytes),
    );
}

#[test]
fn another_trace_s_events_are_told_apart() {
    let (Some(old), Some(new)) = (Oracle::v1_19(), Oracle::v1_27()) else {
        return;
    };
    let [v1, other_v1, v2, other_v2] = [
        "recorded/go1.19/empty.trace",
        "recorded/go1.19/deep.trace",
        "recorded/go1.25/empty.trace",
        "recorded/go1.27/empty.trace",
    ]
    .map(|file| Corpus::shipped().trace(file));
    let fault = comparison::by_tick(old.events(v1.path()), Teller::Go1_19, &other_v1.bytes())
        .expect_err("the traces are not the same");
    assert!(fault.starts_with("event "), "{fault}");
    let fault = comparison::in_order(new.events(v2.path()), &other_v2.bytes())
        .expect_err("the traces are not the same");
    assert!(fault.starts_with("event 1 differs"), "{fault}");
}

#[test]
fn an_early_end_is_told() {
    let Some(go) = Oracle::v1_27() else { return };
    let trace = Corpus::shipped().trace("recorded/go1.25/empty.trace");
    let fault =
        comparison::in_order(go.events(trace.path()), b"no trace").expect_err("Go reads a trace");
    assert!(
        fault.starts_with("after 0 events we end with a fault"),
        "{fault}"
    );
}
