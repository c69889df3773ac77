//! `exectrace gc` on real files: what it prints, and how it exits.

mod support;

use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// A collection with two stops and an assist.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000
        String string=1 text=\"app::work\"
        Stack stack=1 frame=0x10,1,0,5
        Gomaxprocs dt=0 workers=2 stack=0
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoStart dt=1 task=1 seq=1
        HeapAlloc dt=5 live_bytes=4096
        HeapGoal dt=5 goal_bytes=8192
        GCSTWStart dt=7 kind=1
        GCStart dt=0 seq=0 stack=0
        GCSTWDone dt=10
        GCMarkAssistStart dt=10 stack=1
        GCMarkAssistDone dt=40
        GCSTWStart dt=100 kind=0
        GCDone dt=5
        GCSTWDone dt=15
        HeapAlloc dt=800 live_bytes=2048";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn collections_stops_assists_and_the_heap_are_printed() {
    let output = feed(&["gc"], small());
    check_code(&output, 0);
    let printed = text(&output);
    assert!(
        printed.starts_with("standard input: 1 collection, 2 stops of the world\n"),
        "{printed}"
    );
    let lines: Vec<Vec<&str>> = printed.lines().map(words).collect();
    for expect in [
        "0.000020000s 165.0µs 30.0µs 1 40.0µs 4.0 KiB 4.0 KiB 8.0 KiB",
        "GC mark termination 1 20.0µs 20.0µs 20.0µs 20.0µs",
        "0.000180000s 20.0µs GC mark termination task:1",
        "assists: 1, 40.0µs in all, p50 40.0µs, p99 40.0µs, max 40.0µs",
        "app::work 1 40.0µs",
        // Two stops of 30 in 1000, and the assist on one of two workers.
        "1.0ms 97.0% 95.0% 95.0% 93.0% 0.000000000s",
    ] {
        assert!(lines.contains(&words(expect)), "{expect}:\n{printed}");
    }
    assert!(
        printed.contains("most 4.0 KiB\n") && printed.contains("most 8.0 KiB\n"),
        "{printed}"
    );
    assert!(printed.contains('█'), "{printed}");
    let printed = text(&feed(&["gc", "--most", "1"], small()));
    assert!(
        printed.contains(" and 1 more: --most 0 prints all\n"),
        "{printed}"
    );
}

#[test]
fn json_has_all_numbers() {
    let output = feed(&["gc", "--json", "--most", "1"], small());
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(
        (&line["schema"], &line["version"]),
        (&"exectrace.gc".into(), &1.into())
    );
    assert_eq!(
        (&line["total"], &line["truncated"]),
        (&1.into(), &true.into())
    );
    assert_eq!(line["cycles"][0]["stopped_ns"], 30_000);
    assert_eq!(
        (&line["stops"][0]["reason"], &line["stops_total"]),
        (&"GC mark termination".into(), &2.into())
    );
    assert_eq!(line["assist_functions"][0]["sum_ns"], 40_000);
    assert_eq!(line["heap"]["points"][4]["goal_bytes"], 8192);
    let curves = line["utilization"].as_array().expect("an array");
    assert_eq!(curves.len(), 4);
    let least = |curve: usize, point: usize| curves[curve]["points"][point]["utilization"].as_f64();
    // A microsecond within a stop.
    assert_eq!((least(0, 0), least(3, 0)), (Some(0.0), Some(0.0)));
    assert_eq!(curves[3]["by_worker"], true);
    assert_eq!(curves[3]["points"][9]["worst"][0]["worker"], "worker:0");
}

#[test]
fn a_recording_of_ours_has_its_heap_and_no_collections() {
    let output = run(&["gc"], &[&shipped("recorded/exectrace/futures.trace.gz")]);
    let printed = text(&output);
    assert!(
        printed.contains(": 0 collections, 0 stops of the world\n"),
        "{printed}"
    );
    assert!(!printed.contains("the least that is left"), "{printed}");
}

#[test]
fn a_collection_that_runs_when_the_trace_begins_began_before() {
    let printed = text(&run(
        &["gc"],
        &[&shipped("recorded/go1.27/start_in_gc.trace.gz")],
    ));
    let row = printed
        .lines()
        .find(|line| line.contains("before 0.000000000s "))
        .unwrap_or_else(|| panic!("{printed}"));
    assert!(row.contains("at least "), "{row}");
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let damaged = shipped("handmade/v2-type-137.trace");
    let output = run(&["gc"], &[&damaged]);
    check_code(&output, 3);
    assert!(
        error(&output).contains("lost 2 bytes"),
        "{}",
        error(&output)
    );
    check_code(&run(&["gc", "--allow-partial"], &[&damaged]), 0);
    check_code(
        &feed(&["gc"], read(&shipped("recorded/go1.19/deep.trace"))),
        0,
    );
    check_code(&run(&["gc"], &[]), 64);
    check_code(&run(&["gc"], &[&shipped("handmade/v1-bad-magic.trace")]), 2);
}
