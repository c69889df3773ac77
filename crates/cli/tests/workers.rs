//! `exectrace workers` on real files: what it prints, and how it exits.

mod support;

use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// Two workers: one is busy half of the time, the other for a moment.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000
        Gomaxprocs dt=0 workers=2 stack=0
        ProcStart dt=0 thread=7
        GoCreate dt=0 task=1 start_stack=0 stack=0
        GoStart dt=100 task=1 seq=1
        GoSched dt=500 stack=0
        ProcStop dt=400
        Batch worker=1 ticks=1700
        ProcStart dt=0 thread=8
        GoStart dt=0 task=1 seq=2
        GoSysCall dt=50 stack=0
        GoSysBlock dt=50
        ProcStop dt=0";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn each_worker_has_a_strip_and_its_numbers() {
    let output = feed(&["workers"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<Vec<&str>> = printed.lines().map(words).collect();
    assert_eq!(lines[0], words("standard input: 2 procs, 2 threads, 1.0ms"));
    assert_eq!(
        lines[2][..6],
        words("worker:0 50.0% 100.0% 1 1 0"),
        "{printed}"
    );
    assert_eq!(
        lines[3][..6],
        words("worker:1 10.0% 10.0% 1 1 1"),
        "{printed}"
    );
    let strip = printed
        .lines()
        .nth(2)
        .and_then(|line| Some(line.split_once('▕')?.1));
    let strip: Vec<char> = strip
        .and_then(|rest| Some(rest.split_once('▏')?.0))
        .expect("has a strip")
        .chars()
        .collect();
    assert!(strip.len() > 32, "{printed}");
    // Idle for a tenth, then busy for half.
    let at = |share: f64| strip[(strip.len() as f64 * share) as usize];
    assert_eq!((at(0.05), at(0.3), at(0.7)), (' ', '█', ' '));
    assert!(printed.contains("\nin system calls ▕"), "{printed}");
    assert!(
        lines.contains(&words("thread:7 50.0% 0.0% 1 0")),
        "{printed}"
    );
    assert!(
        lines.contains(&words("thread:8 10.0% 20.0% 1 1")),
        "{printed}"
    );
    let printed = text(&feed(&["workers", "--most", "1"], small()));
    assert!(
        printed.contains(" and 1 more: --most 0 prints all\n"),
        "{printed}"
    );
}

#[test]
fn json_has_all_numbers() {
    let output = feed(&["workers", "--json"], small());
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(
        (&line["schema"], &line["version"]),
        (&"exectrace.workers".into(), &1.into())
    );
    assert_eq!(
        (&line["total"], &line["truncated"]),
        (&2.into(), &false.into())
    );
    let first = &line["workers"][0];
    assert_eq!(
        (&first["id"], &first["busy_ns"], &first["parks"]),
        (&"worker:0".into(), &500_000.into(), &1.into())
    );
    let bucket_ns = line["bucket_ns"].as_f64().expect("a number");
    let busy = first["busy"].as_array().expect("an array");
    assert_eq!(
        busy.len(),
        line["in_syscalls"].as_array().expect("an array").len()
    );
    let busy_ns: f64 = busy.iter().filter_map(Value::as_f64).sum::<f64>() * bucket_ns;
    assert!((busy_ns - 500_000.0).abs() < 1.0, "{busy_ns}");
    assert_eq!(line["threads"][0]["id"], "thread:7");
}

#[test]
fn a_recording_of_ours_tells_names_of_threads() {
    let printed = text(&run(
        &["workers"],
        &[&shipped("recorded/exectrace/futures.trace.gz")],
    ));
    let head = printed.lines().next().unwrap_or_default();
    assert!(
        head.contains(" workers, ") || head.contains(" worker, "),
        "{printed}"
    );
    let names = printed
        .lines()
        .skip(2)
        .filter(|line| line.starts_with(" worker:"));
    assert!(
        names.clone().any(|line| !line.trim_end().ends_with('▏')),
        "{printed}"
    );
    let threads = printed.lines().filter(|line| line.starts_with(" thread:"));
    // The last of the numbers is how many system calls.
    assert!(
        threads
            .clone()
            .all(|line| !line.trim_end().ends_with(|end: char| end.is_ascii_digit())),
        "{printed}"
    );
    assert!(threads.count() > 0, "{printed}");
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let damaged = shipped("handmade/v2-type-137.trace");
    let output = run(&["workers"], &[&damaged]);
    check_code(&output, 3);
    assert!(
        error(&output).contains("lost 2 bytes"),
        "{}",
        error(&output)
    );
    check_code(&run(&["workers", "--allow-partial"], &[&damaged]), 0);
    check_code(
        &feed(&["workers"], read(&shipped("recorded/go1.19/deep.trace"))),
        0,
    );
    check_code(&run(&["workers"], &[]), 64);
}
