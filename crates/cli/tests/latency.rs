//! `exectrace latency` on real files: what it prints, and how it exits.

mod support;

use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// Three requests, one of them open, with parts and logs; and a region that ends twice.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"request\"
        String string=2 text=\"query\"
        String string=3 text=\"rows\"
        String string=4 text=\"app::serve\"
        String string=5 text=\"app.rs\"
        Stack stack=1 frame=0x10,4,5,7
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoStart dt=1 task=1 seq=1
        UserTaskCreate dt=10 user_task=2 parent=1 name=1 stack=1
        UserTaskCreate dt=10 user_task=3 parent=2 name=2 stack=1
        UserLog dt=5 user_task=3 key=3 message=\"17\"
        UserTaskEnd dt=100 user_task=3 stack=0
        UserTaskEnd dt=1000 user_task=2 stack=0
        UserTaskCreate dt=10 user_task=4 parent=0 name=1 stack=1
        UserRegion dt=10 user_task=4 mode=0 name=2 stack=1
        UserRegion dt=30 user_task=4 mode=1 name=2 stack=1
        UserRegion dt=1 user_task=4 mode=1 name=2 stack=1
        UserTaskEnd dt=9 user_task=4 stack=0
        UserTaskCreate dt=100 user_task=5 parent=0 name=1 stack=1
        UserLog dt=200 user_task=1 key=3 message=\"of before\"";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn names_are_printed_with_the_spread_of_what_is_closed() {
    let output = feed(&["latency"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "standard input: 5 user tasks, 1 region");
    let expect = [
        "name kind closed open min mean p50 p90 p99 max",
        "\"request\" user task 2 1 50.0ns 583.0ns 50.0ns 1.1µs 1.1µs 1.1µs",
        "\"query\" user task 1 0 105.0ns 105.0ns 105.0ns 105.0ns 105.0ns 105.0ns",
        "(began before the trace) user task 0 1",
        "\"query\" region 1 0 30.0ns 30.0ns 30.0ns 30.0ns 30.0ns 30.0ns",
    ];
    for (line, expect) in lines[1..].iter().zip(expect) {
        assert_eq!(words(line), words(expect), "{printed}");
    }
    assert_eq!(
        lines[7],
        "ends that end nothing: what they name has ended before, or is not open"
    );
    assert_eq!(lines[8], "  region \"query\" by task:1 at 0.000001178s");
    assert_eq!(lines.len(), 9, "{printed}");
}

#[test]
fn the_longest_of_a_name_are_printed_with_their_parts() {
    let output = feed(&["latency", "request"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "standard input: user task \"request\": 2 closed");
    assert_eq!(
        lines[2],
        "  and 1 that had not ended: the longest took at least 200.0ns"
    );
    let longest = lines.iter().position(|line| *line == "  the longest");
    let longest = &lines[longest.expect("has the longest") + 1..];
    assert_eq!(
        longest,
        [
            "  1.1µs  user:2 task:1 at 0.000000012s in app::serve, part of user task 1 (began before the trace)",
            "      105.0ns  +10.0ns  user task 3 \"query\", task:1",
            "  at least 200.0ns  user:5 task:1 at 0.000001287s in app::serve",
            "  50.0ns  user:4 task:1 at 0.000001137s in app::serve",
            "      30.0ns  +10.0ns  region \"query\", task:1",
        ]
    );
    // A bar is as long as most in a bin.
    let bars = lines.iter().filter(|line| line.contains('█'));
    assert_eq!(bars.clone().count(), 2, "{printed}");
    assert!(bars.clone().all(|line| words(line)[2] == "1"), "{printed}");
    let output = feed(&["latency", "request", "--most", "1"], small());
    assert!(text(&output).ends_with(" and 2 more: --most 0 prints all\n"));
}

#[test]
fn user_tasks_and_regions_of_a_name_are_both_printed() {
    let printed = text(&feed(&["latency", "query"], small()));
    assert!(
        printed.contains("user task \"query\": 1 closed"),
        "{printed}"
    );
    assert!(printed.contains("region \"query\": 1 closed"), "{printed}");
    assert!(
        printed.contains("      log  +5.0ns  task:1  \"rows\": \"17\""),
        "{printed}"
    );
    let printed = text(&feed(&["latency", "nobody"], small()));
    assert_eq!(
        printed,
        "standard input: no user task or region \"nobody\"\n"
    );
}

#[test]
fn a_window_has_what_ends_in_it_and_what_is_open_then() {
    let printed = text(&feed(
        &["latency", "query", "--from", "100ns", "--to", "1us"],
        small(),
    ));
    assert!(
        printed.contains("user task \"query\": 1 closed\n  min 105.0ns"),
        "{printed}"
    );
    let printed = text(&feed(&["latency", "--to", "100ns"], small()));
    let lines: Vec<Vec<&str>> = printed.lines().map(words).collect();
    assert!(
        lines.contains(&words("\"request\" user task 0 1")),
        "{printed}"
    );
    assert!(!printed.contains("region \"query\""), "{printed}");
}

#[test]
fn json_has_all_numbers() {
    let line = |arguments: &[&str]| -> Value {
        let output = feed(arguments, small());
        check_code(&output, 0);
        serde_json::from_str(&text(&output)).expect("is JSON")
    };
    let names = line(&["latency", "--json", "--most", "2"]);
    assert_eq!(names["schema"], "exectrace.latency");
    assert_eq!((&names["version"], &names["total"]), (&1.into(), &4.into()));
    assert_eq!(names["truncated"], true);
    assert_eq!(names["groups"].as_array().map(Vec::len), Some(2));
    let request = &names["groups"][0];
    assert_eq!(
        (&request["kind"], &request["name"]),
        (&"user_task".into(), &"request".into())
    );
    assert_eq!(
        (&request["count"], &request["closed"]["sum_ns"]),
        (&3.into(), &1165.into())
    );
    assert_eq!(request["open_right"]["at_least_ns"], 200);
    assert!(request.get("worst").is_none());
    assert_eq!(names["stray_ends"][0]["name"], "query");
    let one = line(&["latency", "request", "--json"]);
    let worst = &one["groups"][0]["worst"][0];
    assert_eq!(
        (&worst["user_task"], &worst["ns"]),
        (&"user:2".into(), &1115.into())
    );
    assert_eq!(worst["parent"]["user_task"], "user:1");
    assert_eq!(worst["parent"]["name"], Value::Null);
    assert_eq!(worst["parts"][0]["user_task"], "user:3");
    let counts = one["groups"][0]["histogram"].as_array().expect("an array");
    let count: i64 = counts.iter().filter_map(|bin| bin["count"].as_i64()).sum();
    assert_eq!(count, 2);
}

#[test]
fn a_parent_from_before_the_trace_has_a_place_holder() {
    for by in ["go1.19", "go1.27"] {
        let file = shipped(&format!("recorded/{by}/early_task.trace"));
        for arguments in [
            &["latency", "child"][..],
            &["latency", "child", "--json"],
            &["latency", "--names"],
        ] {
            let printed = text(&run(arguments, &[&file]));
            assert!(!printed.contains("18446744073709551615"), "{printed}");
        }
        let printed = text(&run(&["latency", "child"], &[&file]));
        assert!(
            printed.contains("part of user task 1 (began before the trace)"),
            "{printed}"
        );
    }
}

#[test]
fn names_that_do_harm_are_quoted_and_cut() {
    let name = format!("\\x1b[31m{}", "n".repeat(2000));
    let lines = format!(
        "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"{name}\"
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=0 stack=0
        GoStart dt=1 task=1 seq=1
        UserTaskCreate dt=10 user_task=2 parent=0 name=1 stack=0
        UserTaskEnd dt=10 user_task=2 stack=0"
    );
    let file = exectrace_format::text::parse(&lines).expect("is a trace");
    let printed = text(&feed(&["latency"], file));
    assert!(
        !printed.contains('\u{1b}') && printed.contains("\\x1b[31mnnn"),
        "{printed}"
    );
    assert!(
        printed.lines().all(|line| line.chars().count() < 250),
        "{printed}"
    );
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let damaged = shipped("handmade/v2-type-137.trace");
    let output = run(&["latency"], &[&damaged]);
    check_code(&output, 3);
    assert!(
        error(&output).contains("lost 2 bytes"),
        "{}",
        error(&output)
    );
    check_code(&run(&["latency", "--allow-partial"], &[&damaged]), 0);
    let whole = shipped("recorded/go1.19/left_open.trace");
    check_code(&run(&["latency", "--names"], &[&whole, &whole]), 0);
    check_code(&feed(&["latency", "open"], read(&whole)), 0);
    check_code(&run(&["latency"], &[]), 64);
    check_code(
        &run(&["latency"], &[&shipped("handmade/v1-bad-magic.trace")]),
        2,
    );
}
