//! `exectrace blockers` on real files: what it prints, and how it exits.

mod support;

use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// A task that sleeps, waits for another one's lock, and waits to the end.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"main.serve\"
        String string=2 text=\"sync.(*Mutex).Lock\"
        String string=3 text=\"main.work\"
        String string=4 text=\"/home/me/app/main.go\"
        Stack stack=1 frame=0x10,1,4,5
        Stack stack=2 frame=0x20,2,0,9 frame=0x11,1,4,6
        Stack stack=3 frame=0x30,3,4,7
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1
        GoCreate dt=1 task=2 start_stack=3
        GoStart dt=10 task=1 seq=1
        GoBlockSync dt=10 stack=2
        GoStart dt=1 task=2 seq=1
        GoUnblock dt=39 task=1 seq=2 stack=3
        GoBlockRecv dt=10 stack=3
        GoStart dt=1 task=1 seq=3
        GoSleep dt=9 stack=1
        GoUnblock dt=20 task=1 seq=4
        GoStart dt=1 task=1 seq=5
        GoEnd dt=10";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn those_who_made_others_wait_are_printed() {
    let output = feed(&["blockers"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    let head = "standard input: 60.0ns lost in 2 waits that ended; 41.0ns in 1 that went on";
    assert_eq!(lines[0], head);
    let header = "lost waits longest of waited for woken by waited at";
    assert_eq!(words(lines[1]), words(header));
    let lock = "40.0ns 1 40.0ns task:1 sync main.work main.go:7 main.serve main.go:6";
    assert_eq!(words(lines[2]), words(lock), "{printed}");
    let sleep = "20.0ns 1 20.0ns task:1 sleep (a timer) main.serve main.go:5";
    assert_eq!(words(lines[3]), words(sleep), "{printed}");
    assert_eq!(lines.len(), 4);
    let output = feed(&["blockers", "--most", "1", "--stacks"], small());
    let expect = "    woken by   main.work /home/me/app/main.go:7
    waited at  sync.(*Mutex).Lock :9
               main.serve /home/me/app/main.go:6
 and 1 more: --most 0 prints all
";
    assert!(text(&output).ends_with(expect), "{}", text(&output));
    let output = feed(&["blockers", "--group", "main.work"], small());
    let none = "standard input: - lost in 0 waits that ended; 41.0ns in 1 that went on\n";
    assert_eq!(text(&output), none);
}

#[test]
fn json_has_stacks_and_the_longest_wait() {
    let output = feed(&["blockers", "--json", "--most", "1"], small());
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    let head = (&line["schema"], &line["version"]);
    assert_eq!(head, (&"exectrace.blockers".into(), &1.into()));
    let sums = ["count", "ns", "open_count", "open_ns", "total"].map(|key| &line[key]);
    assert_eq!(sums, [2, 60, 1, 41, 2]);
    assert_eq!(line["truncated"], true);
    let blockers = line["blockers"].as_array().expect("an array");
    assert_eq!(blockers.len(), 1);
    let lock = &blockers[0];
    assert_eq!(
        (&lock["waker"], &lock["reason"]),
        (&"code".into(), &"sync".into())
    );
    let longest = &lock["longest"];
    assert_eq!(longest["task"], "task:1");
    assert_eq!(
        (&longest["begin_ns"], &longest["ns"]),
        (&22.into(), &40.into())
    );
    assert_eq!(lock["waker_stack"][0]["function"], "main.work");
    assert_eq!(lock["stack"][1]["line"], 6);
}

#[test]
fn a_window_cuts_waits() {
    let output = feed(
        &["blockers", "--json", "--from", "30ns", "--to", "50ns"],
        small(),
    );
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    // Its end lies behind the window.
    assert_eq!((&line["count"], &line["open_ns"]), (&0.into(), &20.into()));
    let output = feed(
        &["blockers", "--json", "--from", "50ns", "--to", "70ns"],
        small(),
    );
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!((&line["count"], &line["ns"]), (&1.into(), &12.into()));
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let whole = shipped("recorded/go1.19/deep.trace");
    let damaged = shipped("handmade/v2-type-137.trace");
    check_code(&run(&["blockers"], &[&whole]), 0);
    check_code(&feed(&["blockers"], read(&whole)), 0);
    let output = run(&["blockers"], &[&damaged, &whole]);
    check_code(&output, 3);
    assert!(error(&output).contains("v2-type-137.trace: lost 2 bytes"));
    check_code(&run(&["blockers", "--strict"], &[&damaged]), 2);
    check_code(
        &run(&["blockers"], &[&shipped("handmade/v1-bad-magic.trace")]),
        2,
    );
    check_code(&run(&["blockers"], &[]), 64);
    check_code(&run(&["blockers", "--json", "--stacks"], &[&whole]), 64);
}
