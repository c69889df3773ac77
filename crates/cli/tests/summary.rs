//! `exectrace summary` on real files: what it prints, and how it exits.

mod support;

use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// One user task that waits for a lock, on a worker of its own.
const SMALL: &str = "go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    String string=1 text=\"main.serve\"
    String string=2 text=\"main.go\"
    String string=3 text=\"request\"
    Stack stack=1 frame=0x10,1,2,5
    Gomaxprocs dt=1 workers=2 stack=0
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=1 start_stack=1 stack=0
    GoStart dt=10 task=1 seq=1
    UserTaskCreate dt=10 user_task=8 parent=0 name=3 stack=1
    UserTaskEnd dt=40 user_task=8 stack=1
    GoBlockRecv dt=10 stack=1
    ProcStop dt=30";

fn small() -> Vec<u8> {
    exectrace_format::text::parse(SMALL).expect("is a trace")
}

#[test]
fn the_screen_says_whether_the_trace_is_whole_and_how_busy_the_program_was() {
    let output = feed(&["summary"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "standard input: whole, 102.0ns");
    assert!(
        lines[1].starts_with("The program is short of nothing"),
        "{printed}"
    );
    // It ran for 60 of 2 times 102 ns.
    assert!(lines[2].ends_with("29 % of 2 procs"), "{printed}");
    let request = lines
        .iter()
        .find(|line| line.contains("request"))
        .expect("is told");
    assert!(request.contains("40.0ns"), "{printed}");
    assert!(printed.contains("user:8  request at 0.000000"), "{printed}");
    assert!(
        printed.ends_with("nothing found that cost goroutines time\n"),
        "{printed}"
    );
}

#[test]
fn a_cut_trace_is_said_to_be_none_that_is_whole() {
    let whole = read(&shipped("recorded/go1.19/deep.trace"));
    let output = feed(&["summary"], whole[..whole.len() / 2].to_vec());
    check_code(&output, 3);
    let printed = text(&output);
    let first = printed.lines().next().expect("has a line");
    assert!(first.contains("not whole (lost: "), "{printed}");
    let output = feed(&["summary", "--json"], whole[..whole.len() / 2].to_vec());
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["is_whole"], false);
    let output = feed(&["summary"], b"no trace at all".to_vec());
    check_code(&output, 2);
    assert!(!error(&output).is_empty());
}

#[test]
fn json_has_the_same_numbers() {
    let output = feed(&["summary", "--json"], small());
    check_code(&output, 0);
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["is_whole"], true);
    assert_eq!(printed["short_of"], "nothing");
    assert_eq!(printed["load"]["workers"], 2);
    let running = printed["load"]["buckets"]
        .as_array()
        .expect("are there")
        .iter();
    let running: i64 = running
        .filter_map(|bucket| bucket["running_ns"].as_i64())
        .sum();
    assert_eq!(running, 60);
    assert_eq!(printed["longest"][0]["id"], "user:8");
    assert_eq!(printed["longest"][0]["ns"], 40);
    assert_eq!(printed["requests"][0]["spread"]["max_ns"], 40);
    assert_eq!(printed["findings_total"], 0);
}

#[test]
fn several_traces_come_one_after_the_other() {
    let files = [
        shipped("recorded/go1.19/deep.trace"),
        shipped("recorded/go1.27/blocked.trace"),
    ];
    let output = run(&["summary", "--json"], &[&files[0], &files[1]]);
    check_code(&output, 0);
    assert_eq!(text(&output).lines().count(), 2);
}
