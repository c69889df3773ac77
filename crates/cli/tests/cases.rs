//! What users of other tools stumbled over, as the command tells it: texts and exit codes.

mod support;

use exectrace_testkit::{Corpus, Random};
use serde_json::Value;

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
            "verdict: empty: no batches: the trace is empty",
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
fn a_process_that_died_later_left_its_whole_generations() {
    let file = shipped("recorded/go1.27/no_stop.trace");
    for command in ["info", "events", "validate"] {
        let output = run(&[command], &[&file]);
        check_code(&output, 3);
        let told = text(&output) + &error(&output);
        let fault = "generation 2: the file ends before the generation does";
        assert!(told.contains(fault), "{command}: {told}");
        assert!(
            told.contains("stop the trace before the program ends"),
            "{told}"
        );
        check_code(&run(&[command, "--allow-partial"], &[&file]), 0);
        // Go's readers take it for whole.
        if command != "validate" {
            check_code(&run(&[command, "--strict"], &[&file]), 0);
        }
    }
}

/// The begin of a recording of ours; with its end when it was stopped.
fn recording(is_stopped: bool) -> Vec<u8> {
    let end = if is_stopped {
        "String string=2 text=\"exectrace.cpu\"
        UserLog dt=1 key=2 message=\"seconds=0.5\""
    } else {
        ""
    };
    let lines = format!(
        "go 1.19 trace
        Batch worker=900001 ticks=1000
        String string=1 text=\"exectrace.writer\"
        UserLog dt=1 key=1 message=\"exectrace 9.9.9\"
        {end}
        Frequency ticks_per_second=1000"
    );
    exectrace_format::text::parse(&lines).expect("is a trace")
}

#[test]
fn a_recording_that_was_not_stopped_lacks_its_end() {
    for command in ["info", "events", "validate"] {
        let output = feed(&[command], recording(false));
        check_code(&output, 3);
        let told = text(&output) + &error(&output);
        let lost = "  lost: the end of the recording: the program ended without stopping it";
        assert!(told.contains(lost), "{command}: {told}");
        check_code(&feed(&[command, "--allow-partial"], recording(false)), 0);
        check_code(&feed(&[command, "--strict"], recording(false)), 0);
        check_code(&feed(&[command], recording(true)), 0);
    }
    let line = text(&feed(&["info", "--json"], recording(false)));
    let line: Value = serde_json::from_str(&line).expect("is JSON");
    assert_eq!(
        (&line["verdict"], &line["loss"]["lacks_end"]),
        (&"partial".into(), &true.into())
    );
}

#[test]
fn frames_without_names_are_addresses_and_said_to_be() {
    let file = "go 1.5 trace
        Batch worker=0 sequence=0 ticks=100
        GoCreate sequence=1 dt=0 task=1 start_stack=0x401000 stack=1
        ProcStart sequence=1 dt=1 thread=7
        GoStart sequence=1 dt=1 task=1
        Stack stack=1 frame=0x402005
        Frequency ticks_per_second=1000000000 sequence=0";
    let file = exectrace_format::text::parse(file).expect("is a trace");
    let output = feed(&["info"], file.clone());
    check_code(&output, 0);
    let row = "\n  stacks         1, of addresses alone: the names are in the program\n";
    assert!(text(&output).contains(row), "{}", text(&output));
    let printed = text(&feed(&["events", "--stacks"], file));
    assert!(printed.contains("stack=0x402005,\"\",\"\",0"), "{printed}");
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

/// Three generations of format v2, cut in the second one, or damaged in the middle.
fn damaged() -> [Vec<u8>; 2] {
    let file = Corpus::shipped()
        .trace("recorded/go1.27/generations.trace")
        .bytes();
    let cut = file[..file.len() * 56 / 100].to_vec();
    let mut random = Random::new(56);
    let mut scratched = file;
    let half = scratched.len() / 2;
    for byte in &mut scratched[half..half + 100] {
        *byte = random.below(256) as u8;
    }
    [cut, scratched]
}

#[test]
fn what_is_lost_is_told_in_bytes_events_and_time() {
    for file in damaged() {
        let output = feed(&["info"], file.clone());
        check_code(&output, 3);
        let printed = text(&output);
        let lost = printed.lines().find(|line| line.starts_with("  lost: "));
        let lost = lost.unwrap_or_else(|| panic!("{printed}"));
        for part in [" bytes, at least ", " events, ", "s: ", "generation 2"] {
            assert!(lost.contains(part), "{part}: {lost}");
        }
        assert!(printed.contains("\n  verdict: partial: "), "{printed}");
        let line = text(&feed(&["info", "--json"], file));
        let line: Value = serde_json::from_str(&line).expect("is JSON");
        assert_eq!(line["verdict"], "partial");
        let loss = &line["loss"];
        let number = |key: &str| {
            loss[key]
                .as_i64()
                .unwrap_or_else(|| panic!("{key}: {loss}"))
        };
        assert!(number("bytes") > 0 && number("events") > 0, "{loss}");
        let (from, to) = (number("from_ns"), number("to_ns"));
        assert!(from <= to, "{loss}");
        let span = Some(0)..line["end_ns"].as_i64();
        assert!(
            span.contains(&Some(from)) && span.contains(&Some(to)),
            "{line}"
        );
    }
}

#[test]
fn what_is_lost_shows_in_the_exit_code_of_every_command() {
    for file in damaged() {
        for command in ["info", "events", "validate"] {
            let output = feed(&[command], file.clone());
            check_code(&output, 3);
            let told = text(&output) + &error(&output);
            assert!(told.contains("lost"), "{command}");
            check_code(&feed(&[command, "--allow-partial"], file.clone()), 0);
        }
    }
    let whole = shipped("recorded/go1.27/generations.trace.gz");
    for command in ["info", "events", "validate"] {
        check_code(&run(&[command], &[&whole]), 0);
    }
}

#[test]
fn what_is_repaired_shows_in_the_exit_code_of_every_command() {
    let file = shipped("recorded/go1.27/ended_twice_inside.trace");
    for command in ["info", "events", "validate"] {
        let output = run(&[command], &[&file]);
        check_code(&output, 3);
        let told = text(&output) + &error(&output);
        assert!(
            told.contains("begins of regions inferred"),
            "{command}: {told}"
        );
        check_code(&run(&[command, "--allow-partial"], &[&file]), 0);
    }
}
