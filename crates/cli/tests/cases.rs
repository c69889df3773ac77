//! What users of other tools stumbled over, as the command tells it: texts and exit codes.

mod support;

use exectrace_testkit::Corpus;

use support::{check_code, error, feed, read, run, shipped, text};

/// What other tools print for "none".
const NONE_AS_NUMBER: &str = "18446744073709551615";

/// The line with the verdict on bytes from the standard input.
#[track_caller]
fn verdict(file: &[u8], code: i32) -> String {
    let output = feed(&["info"], file.to_vec());
    check_code(&output, code);
    let printed = text(&output);
    let line = printed.lines().last().expect("prints something");
    line.trim_start().to_owned()
}

#[test]
fn tiny_files_are_told_what_they_lack() {
    for (file, code, expect) in [
        (
            &b"gotrace\0\xc3\x0200"[..],
            2,
            "verdict: refused: byte 0: not an execution trace",
        ),
        (
            b"gotrace\0\x020",
            2,
            "verdict: refused: byte 0: not an execution trace",
        ),
        (
            b"gotrace\0T00\0\x020",
            2,
            "verdict: refused: byte 0: not an execution trace",
        ),
        (
            b"go 1.26 tr",
            2,
            "verdict: refused: byte 10: the header is cut: 10 of 16 bytes",
        ),
        (
            b"",
            2,
            "verdict: refused: byte 0: the header is cut: 0 of 16 bytes",
        ),
        (
            b"go 1.26 trace\0\0\0",
            3,
            "verdict: empty: no generations: the trace is empty",
        ),
        (
            b"go 1.19 trace\0\0\0",
            3,
            "verdict: empty: byte 16: the trace is empty",
        ),
    ] {
        let told = verdict(file, code);
        assert!(told.starts_with(expect), "{told}");
    }
    // Decoding alone finds what is wrong here; nothing of it makes sense.
    let odd = b"go 1.22 trace\0\0\0\x01000\x85\0\x080001";
    for arguments in [&["info", "--strict"][..], &["events", "--strict"]] {
        let output = feed(arguments, odd.to_vec());
        check_code(&output, 2);
        let told = text(&output) + &error(&output);
        assert!(
            told.contains("a batch has an entry of type 48, at byte 24"),
            "{told}"
        );
    }
}

#[test]
fn a_process_that_died_before_the_first_flush_left_an_empty_trace() {
    let file = shipped("recorded/go1.19/no_stop.trace");
    let output = run(&["info"], &[&file]);
    check_code(&output, 3);
    let printed = text(&output);
    assert!(
        printed.contains("the program may have ended before the trace was stopped"),
        "{printed}"
    );
    check_code(&run(&["info", "--allow-partial"], &[&file]), 0);
    check_code(&run(&["events"], &[&file]), 3);
    check_code(&feed(&["validate"], read(&file)), 3);
}

#[test]
fn none_is_never_printed_as_a_number() {
    let traces = Corpus::shipped().traces();
    // By hand anything can be written.
    let recorded = traces
        .iter()
        .filter(|trace| trace.file().starts_with("recorded/"));
    for trace in recorded {
        for arguments in [
            &["events", "--stacks"][..],
            &["events", "--json"],
            &["info", "--json"],
        ] {
            let printed = text(&run(arguments, &[trace.path()]));
            assert!(
                !printed.contains(NONE_AS_NUMBER),
                "{} {arguments:?}",
                trace.file()
            );
        }
    }
}

#[test]
fn a_user_task_from_before_the_trace_is_known_by_its_number() {
    for by in ["go1.19", "go1.27"] {
        let file = shipped(&format!("recorded/{by}/early_task.trace"));
        let output = run(
            &["events", "--kind", "UserTaskBegin,UserTaskEnd,UserLog"],
            &[&file],
        );
        check_code(&output, 0);
        let printed = text(&output);
        let told: Vec<&str> = printed
            .lines()
            .filter_map(|line| Some(line.split_once(" kind=")?.1))
            .collect();
        assert_eq!(
            told,
            [
                "UserTaskBegin user_task=2 parent=1 name=\"child\"",
                "UserLog user_task=1 key=\"key\" message=\"of the parent\"",
                "UserTaskEnd user_task=2 parent=1 name=\"child\"",
                "UserTaskEnd user_task=1",
            ],
            "{by}"
        );
    }
}
