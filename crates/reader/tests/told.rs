//! What events tell, on traces that are written as text: one file a rule, whose head says which.

use std::fs;
use std::path::Path;

use exectrace_format::role::{Range, State};
use exectrace_format::{TaskId, ThreadId, WorkerId, text};
use exectrace_reader::{Event, Kind, Reader, Tables};

/// Looks at all events of a file in `tests/traces`.
fn each(name: &str, mut look: impl FnMut(&Event, &Tables<'_>)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/traces")
        .join(name);
    let trace = fs::read_to_string(path).expect("the file is text");
    let bytes = text::parse(&trace).expect("the text is a trace");
    let mut reader = Reader::new(&bytes).expect("the trace has a header");
    while let Some(event) = reader.next() {
        look(&event.expect("the trace is good"), reader.tables());
    }
}

#[test]
fn a_start_address_is_a_stack_of_one_frame() {
    let mut starts = Vec::new();
    each("v1-start-address.txt", |event, tables| {
        if let Kind::TaskTransition {
            from: State::NotExist,
            stack,
            ..
        } = event.kind
        {
            starts.extend(tables.frames(stack).map(|frame| frame.pc));
            let own: Vec<u64> = tables.frames(event.stack).map(|frame| frame.pc).collect();
            assert_eq!(own, [0x402005]);
        }
    });
    // As in other frames, the address is that behind a call.
    assert_eq!(starts, [0x401001]);
}

#[test]
fn each_stop_of_the_world_ends_with_its_reason() {
    let mut ends = Vec::new();
    each("v1-side-by-side-stops.txt", |event, tables| {
        if let Kind::RangeEnd {
            range: Range::StopTheWorld,
            reason,
            ..
        } = event.kind
        {
            ends.push((event.worker, tables.text(reason).into_owned()));
        }
    });
    let reason = || String::from("GC mark termination");
    assert_eq!(ends, [(WorkerId(0), reason()), (WorkerId(1), reason())]);
}

#[test]
fn recordings_of_rust_programs_have_words_of_rust() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/v1-words-of-rust.txt");
    let of_rust = fs::read_to_string(path).expect("the file is text");
    let of_go = of_rust.replace("exectrace.writer", "no such key");
    for (trace, words) in [
        (of_rust, ["receive", "send", "notify", "yield", "sync"]),
        (
            of_go,
            [
                "chan receive",
                "chan send",
                "sync.(*Cond).Wait",
                "runtime.Gosched",
                "sync",
            ],
        ),
    ] {
        let bytes = text::parse(&trace).expect("the text is a trace");
        let mut reader = Reader::new(&bytes).expect("the trace has a header");
        let mut reasons = Vec::new();
        while let Some(event) = reader.next() {
            let event = event.expect("the trace is good");
            if let Kind::TaskTransition { reason, .. } = event.kind {
                reasons.push(reader.tables().text(reason).into_owned());
            }
        }
        reasons.retain(|reason| !reason.is_empty());
        assert_eq!(reasons, words);
    }
}

#[test]
fn a_status_of_another_thread_is_told_as_of_that_thread() {
    let mut statuses = Vec::new();
    each("v2-syscall-through-generations.txt", |event, _| {
        if let Kind::TaskTransition {
            task: TaskId(2),
            from,
            ..
        } = event.kind
        {
            statuses.push((event.thread, event.task, from));
        }
    });
    // At first nobody knows what the thread runs.
    let wanted = [
        (ThreadId(60), TaskId(0), State::Undetermined),
        (ThreadId(60), TaskId(2), State::Syscall),
    ];
    assert_eq!(statuses, wanted);
}
