//! The oracle on tiny traces, whose events are known.

mod trace_bytes;

use exectrace_testkit::{LineStream, Oracle, Scratch};

use trace_bytes::{TraceBytes, two_tasks};

/// All lines, in one text.
fn text(mut lines: LineStream) -> String {
    let mut text = String::new();
    while let Some(line) = lines.next_line().expect("the oracle runs") {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text
}

/// Worker 0 creates task 1, whose stack has a name with a quote in it, and starts it.
fn one_task() -> Vec<u8> {
    TraceBytes::new()
        .string(1, "f\"")
        .long(3, &[1, 1, 0x40, 1, 0, 7])
        .long(13, &[1, 1, 1, 0])
        .short(5, &[1, 9])
        .short(14, &[1, 1, 1])
        .short(2, &[1_000_000_000])
        .bytes()
}

#[test]
fn events_come_with_their_fields() {
    let scratch = Scratch::new("oracle");
    let trace = scratch.file("one.trace", &one_task());
    if let Some(oracle) = Oracle::v1_19() {
        let lines = text(oracle.events(&trace).expect("the oracle starts"));
        let hash = "958d03607425622a";
        let wanted = format!(
            "stack {hash} 40 \"f\\x22\" \"\" 7\n\
             0 GoCreate at=32 g=0 p=0 task=1 start={hash}\n\
             1 ProcStart at=38 g=0 p=0 m=9\n\
             2 GoStart at=41 g=1 p=0 task=1 stack={hash}\n\
             end\n"
        );
        assert_eq!(lines, wanted);
    }
    if let Some(oracle) = Oracle::v1_27() {
        let lines = text(oracle.records(&trace).expect("the oracle starts"));
        assert!(lines.contains("\n1 ProcStart g=0 p=0 m=9\n"), "{lines}");
        let lines = text(oracle.events(&trace).expect("the oracle starts"));
        assert!(
            lines.contains(" of_g=1 from=Undetermined to=Running\n"),
            "{lines}"
        );
    }
}

#[test]
fn reading_is_measured() {
    let scratch = Scratch::new("count");
    let trace = scratch.file("two.trace", &two_tasks().bytes());
    if let Some(oracle) = Oracle::v1_19() {
        let count = oracle.count(&trace).expect("the trace is good");
        assert_eq!(count.events, 17);
        assert!(count.peak_bytes > 100_000, "{count:?}");
    }
    if let Some(oracle) = Oracle::v1_27() {
        // Events of format v2, with a sync at either end.
        let count = oracle.count(&trace).expect("the trace is good");
        let lines = text(oracle.events(&trace).expect("the oracle starts"));
        let events = lines.lines().filter(|line| !line.starts_with("stack "));
        assert_eq!(count.events, events.count() as u64 - 1, "{lines}");
    }
}

#[test]
fn a_refusal_is_the_last_line() {
    let scratch = Scratch::new("refused");
    let trace = scratch.file("text.trace", b"this is no trace at all");
    for oracle in [Oracle::v1_19(), Oracle::v1_27()].into_iter().flatten() {
        let lines = text(oracle.events(&trace).expect("the oracle starts"));
        assert!(lines.starts_with("error \""), "{lines}");
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(oracle.count(&trace).is_err());
    }
}
