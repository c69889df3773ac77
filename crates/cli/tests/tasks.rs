//! `exectrace tasks` on real files: what it prints, and how it exits.

mod packed;
mod support;

use serde_json::Value;

use packed::{gzip, packed_by_zstd};
use support::{check_code, error, feed, read, run, shipped, text};

/// Three tasks that run two functions.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::serve\"
        String string=2 text=\"app::work\"
        String string=3 text=\"app.rs\"
        Stack stack=1 frame=0x10,1,3,5
        Stack stack=2 frame=0x20,2,3,9
        Gomaxprocs dt=1 workers=1 stack=0
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoCreate dt=1 task=2 start_stack=2 stack=0
        GoCreate dt=1 task=3 start_stack=2 stack=0
        GoStart dt=10 task=1 seq=1
        GoBlockRecv dt=30 stack=1
        GoStart dt=1 task=2 seq=1
        GoEnd dt=7
        GoStart dt=1 task=3 seq=1
        GoEnd dt=5";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn groups_are_printed_with_the_sums_of_their_tasks() {
    let output = feed(&["tasks"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "standard input: 3 goroutines");
    assert_eq!(
        words(lines[1])[..4],
        ["function", "goroutines", "life", "running"]
    );
    let work = "app::work 2 103.0ns 12.0ns 91.0ns - - - 49.0ns 54.0ns 54.0ns";
    let serve = "app::serve 1 56.0ns 30.0ns 12.0ns 14.0ns - - 56.0ns 56.0ns 56.0ns chan receive";
    assert_eq!(words(lines[2]), words(work), "{printed}");
    assert_eq!(words(lines[3]), words(serve), "{printed}");
    assert_eq!(lines.len(), 4);
}

#[test]
fn what_a_collector_did_stands_beside_the_states() {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1
        GCStart dt=10 seq=0
        GoStart dt=5 task=1 seq=1
        GCDone dt=20
        GCStart dt=100 seq=1
        GoEnd dt=7
        GoCreate dt=3 task=2
        GCDone dt=20
        GoStart dt=5 task=2 seq=1";
    let file = || exectrace_format::text::parse(lines).expect("is a trace");
    let output = feed(&["tasks", "--group", ""], file());
    check_code(&output, 0);
    let printed = text(&output);
    let beside = |task: &str| {
        let row = printed.lines().find(|line| line.trim().starts_with(task));
        words(row.expect("is told"))[2..9].join(" ")
    };
    // Life, running, runnable, blocked, syscall, unknown, and 25 ns of the first collection and 7 ns of the second.
    assert!(printed.contains("GC beside"), "{printed}");
    assert_eq!(beside("task:1"), "142.0ns 127.0ns 15.0ns - - - 32.0ns");
    assert_eq!(beside("task:2"), "25.0ns - 25.0ns - - - 20.0ns");
    let output = feed(&["tasks", "--json"], file());
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["groups"][0]["gc_ns"], 52);
    assert_eq!(printed["groups"][0]["life"]["sum_ns"], 167);
    let output = feed(
        &["tasks", "--json", "--from", "20ns", "--to", "30ns"],
        file(),
    );
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["groups"][0]["gc_ns"], 10);
}

#[test]
fn only_what_is_in_the_window_counts() {
    let sum_of_lives = |window: &[&str]| -> i64 {
        let arguments = [&["tasks", "--json"], window].concat();
        let output = feed(&arguments, small());
        check_code(&output, 0);
        let printed: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
        let groups = printed["groups"].as_array().expect("has groups").iter();
        groups
            .map(|group| group["life"]["sum_ns"].as_i64().expect("is a number"))
            .sum()
    };
    let whole = sum_of_lives(&[]);
    let first = sum_of_lives(&["--to", "20ns"]);
    let rest = sum_of_lives(&["--from", "20ns"]);
    // They begin 2, 3 and 4 ns after the first event.
    assert_eq!((whole, first, rest), (159, 18 + 17 + 16, 108));
    assert_eq!(sum_of_lives(&["--from", "1s"]), 0);
}

#[test]
fn the_tasks_of_a_group_are_printed_one_by_one() {
    let output = feed(&["tasks", "--group", "app::work"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let (spreads, tasks) = printed.split_once("\n\n").expect("two tables");
    let lines: Vec<&str> = tasks.lines().collect();
    assert_eq!(
        words(lines[1])[..3],
        ["task:3", "0.000000004s", "54.0ns"],
        "{printed}"
    );
    assert_eq!(
        words(lines[2])[..3],
        ["task:2", "0.000000003s", "49.0ns"],
        "{printed}"
    );
    assert!(lines[1].ends_with("in the trace"), "{printed}");
    // In all, the least, the mean, the percentiles and the most.
    let life = spreads
        .lines()
        .find(|line| line.trim_start().starts_with("life"));
    assert_eq!(
        words(life.expect("is told")),
        [
            "life", "103.0ns", "49.0ns", "52.0ns", "49.0ns", "54.0ns", "54.0ns", "54.0ns"
        ],
        "{printed}"
    );
    let output = feed(&["tasks", "--group", "app::work", "--most", "1"], small());
    assert!(text(&output).ends_with("\n and 1 more: --most 0 prints all\n"));
    let output = feed(&["tasks", "--group", "nobody"], small());
    check_code(&output, 0);
    assert_eq!(text(&output).lines().count(), 2);
}

#[test]
fn json_has_all_numbers() {
    let output = feed(&["tasks", "--json"], small());
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(
        (&line["schema"], &line["version"]),
        (&"exectrace.tasks".into(), &1.into())
    );
    assert_eq!(
        (&line["total"], &line["truncated"]),
        (&2.into(), &false.into())
    );
    let work = &line["groups"][0];
    assert_eq!(work["life"]["sum_ns"], 103);
    assert_eq!(work["life"]["mean_ns"], 51.5);
    assert_eq!(
        (&work["life"]["p50_ns"], &work["life"]["max_ns"]),
        (&49.into(), &54.into())
    );
    let serve = &line["groups"][1];
    assert_eq!(serve["blocked_by_reason_ns"]["chan receive"], 14);
    assert_eq!(serve["blocked_by_reason"]["chan receive"]["p99_ns"], 14);
    let output = feed(
        &["tasks", "--json", "--group", "app::work", "--most", "1"],
        small(),
    );
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(line["tasks"][0]["id"], "task:3");
    assert_eq!(
        (&line["total"], &line["truncated"]),
        (&2.into(), &true.into())
    );
    assert!(line.get("groups").is_none());
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let whole = shipped("recorded/go1.19/deep.trace");
    check_code(&run(&["tasks"], &[&whole]), 0);
    let damaged = shipped("handmade/v2-type-137.trace");
    let output = run(&["tasks"], &[&damaged, &whole]);
    check_code(&output, 3);
    assert!(
        error(&output).contains("v2-type-137.trace: lost 2 bytes"),
        "{}",
        error(&output)
    );
    check_code(&run(&["tasks", "--allow-partial"], &[&damaged]), 0);
    check_code(&run(&["tasks", "--strict"], &[&damaged]), 2);
    check_code(
        &run(&["tasks"], &[&shipped("handmade/v1-header-only.trace")]),
        3,
    );
    check_code(
        &run(&["tasks"], &[&shipped("handmade/v1-bad-magic.trace")]),
        2,
    );
    check_code(&run(&["tasks"], &[]), 64);
    check_code(&run(&["tasks"], &[&packed_by_zstd()]), 0);
    let packed = gzip(&read(&whole));
    let cut = || packed[..packed.len() - 1].to_vec();
    check_code(&feed(&["tasks", "--strict"], cut()), 2);
    let output = feed(&["tasks"], cut());
    check_code(&output, 3);
    assert!(text(&output).lines().count() > 2);
}

#[test]
fn filters_choose_tasks_and_groups_are_made_of_those() {
    let tasks = |filter: &str| {
        let output = feed(&["tasks", "--json", "--where", filter], small());
        check_code(&output, 0);
        let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
        line
    };
    let line = tasks(r#"task.function == "app::work" && running > 5ns"#);
    assert_eq!(
        (&line["total"], &line["tasks_total"]),
        (&1.into(), &1.into())
    );
    let group = &line["groups"][0];
    assert_eq!(
        (&group["function"], &group["tasks"]),
        (&"app::work".into(), &1.into())
    );
    assert_eq!(group["running"]["sum_ns"], 7);
    assert_eq!(tasks("task == task:1 || task == 3")["total"], 2);
    assert_eq!(tasks("begin >= 1s")["total"], 0);
    let output = feed(&["tasks", "--where", "runing > 5ns"], small());
    check_code(&output, 64);
    let error = error(&output);
    assert!(
        error.contains("column 1: there is no such field; tasks have task, "),
        "{error}"
    );
}

#[test]
fn one_task_is_told_state_by_state() {
    let output = feed(&["tasks", "task:1"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    let head = "standard input: task:1 app::serve, 56.0ns from 0.000000002s to 0.000000058s";
    assert_eq!(lines[0], head, "{printed}");
    assert_eq!(words(lines[1])[..4], ["begin", "duration", "state", "proc"]);
    assert_eq!(
        words(lines[2]),
        words("0.000000002s 12.0ns runnable app::serve app.rs:5")
    );
    assert_eq!(
        words(lines[3]),
        words("0.000000014s 30.0ns running 0 app::serve app.rs:5")
    );
    assert_eq!(
        words(lines[4]),
        words("0.000000044s 14.0ns blocked (chan receive) app::serve app.rs:5")
    );
    let output = feed(&["tasks", "--json", "--most", "2", "task:1"], small());
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!((&line["id"], &line["total"]), (&"task:1".into(), &3.into()));
    assert_eq!(line["truncated"], true);
    let intervals = &line["lives"][0]["intervals"];
    assert_eq!(intervals[1]["worker"], "worker:0");
    assert_eq!(intervals[1]["stack"][0]["line"], 5);
    assert_eq!(intervals[2], Value::Null);
    check_code(&feed(&["tasks", "task:9"], small()), 1);
    check_code(&feed(&["tasks", "--group", "x", "task:1"], small()), 64);
    check_code(&run(&["tasks", "task:1"], &[]), 2);
}
