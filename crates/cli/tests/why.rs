//! `exectrace why`, end to end.

mod support;

use exectrace_testkit::Corpus;
use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// A recording of a Rust program: task 1 waits for a lock that task 2 holds while it sleeps; then it ends user task 9.
fn lock_and_sleep() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=900001 ticks=1000
        UserLog dt=0 key=6 message=\"exectrace 0.1.0\"
        UserLog dt=0 key=7 message=\"seconds=0\"
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::serve\"
        String string=2 text=\"app::keep\"
        String string=3 text=\"app::lock\"
        String string=4 text=\"app.rs\"
        String string=5 text=\"request\"
        String string=6 text=\"exectrace.writer\"
        String string=7 text=\"exectrace.cpu\"
        Stack stack=1 frame=0x10,1,4,5
        Stack stack=2 frame=0x20,2,4,9
        Stack stack=3 frame=0x30,3,4,70 frame=0x11,1,4,6
        Stack stack=4 frame=0x21,2,4,10
        Stack stack=5 frame=0x31,3,4,80 frame=0x22,2,4,11
        Gomaxprocs dt=0 workers=1 stack=0
        ProcStart dt=0 thread=7
        GoCreate dt=2 task=1 start_stack=1 stack=0
        GoCreate dt=1 task=2 start_stack=2 stack=0
        GoStart dt=2 task=1 seq=1
        UserTaskCreate dt=1 user_task=9 parent=0 name=5 stack=0
        GoBlockSync dt=4 stack=3
        GoStart dt=1 task=2 seq=1
        GoSleep dt=9 stack=4
        GoUnblock dt=100 task=2 seq=2 stack=0
        GoStart dt=1 task=2 seq=3
        GoUnblock dt=9 task=1 seq=2 stack=5
        GoEnd dt=1
        GoStart dt=9 task=1 seq=3
        UserTaskEnd dt=5 user_task=9 stack=0
        GoEnd dt=5";
    exectrace_format::text::parse(lines).expect("is a trace")
}

#[test]
fn people_see_where_the_time_went_and_who_waited_for_whom() {
    let output = feed(&["why", "task:1"], lock_and_sleep());
    check_code(&output, 0);
    let expect = "\
standard input: task:1 app::serve took 148.0ns, from 0.000000002s to 0.000000150s

where the time went
 100.0ns 68 % #################### blocked (sleep) another: app::keep
";
    let printed: Vec<String> = text(&output).lines().map(in_one_blank).collect();
    let expected: Vec<String> = expect.lines().map(in_one_blank).collect();
    assert_eq!(printed[..4], expected, "{}", text(&output));
    let chain = "\
who waited for whom
  task:1 app::serve was blocked (sync) for 120.0ns, from 0.000000010s on
      app::lock app.rs:70
      app::serve app.rs:6
  it was woken by task:2
      app::lock app.rs:80
      app::keep app.rs:11
  task:2 app::keep, which meanwhile was blocked (sleep) for 100.0ns, from 0.000000020s on
      app::keep app.rs:10
  a timer woke it
";
    assert!(text(&output).ends_with(chain), "{}", text(&output));
}

fn in_one_blank(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(arguments: &[&str]) -> Value {
    let output = feed(&[&["why", "--json"], arguments].concat(), lock_and_sleep());
    check_code(&output, 0);
    serde_json::from_str(&text(&output)).expect("is JSON")
}

#[test]
fn programs_get_the_same_with_stacks() {
    let line = json(&["user:9", "--most", "2"]);
    assert_eq!(
        (&line["id"], &line["name"]),
        (&"user:9".into(), &"request".into())
    );
    assert_eq!(line["duration_ns"], 139);
    assert_eq!(
        (&line["truncated"], &line["total"]),
        (&true.into(), &5.into())
    );
    assert_eq!(line["path"][0]["ns"], 100);
    assert_eq!(line["path"][0]["is_own"], false);
    assert_eq!(line["chain"][0]["woken_by"], "task:2");
    assert_eq!(line["chain"][0]["waker_stack"][0]["line"], 80);
    assert_eq!(line["chain"][1]["woken_by"], Value::Null);
    assert_eq!(line["chain_end"], "timer");
    // The moment at which one state ends is the next one's.
    let line = json(&["task:1", "--at", "10ns"]);
    assert_eq!(line["chain"][0]["state"], "blocked");
    let line = json(&["task:1", "--at", "132ns"]);
    assert_eq!(line["chain"][0]["state"], "runnable");
    assert_eq!(line["chain_end"], "not blocked");
    let line = json(&["task:1", "--to", "50ns"]);
    assert_eq!(
        (&line["end_ns"], &line["is_open_right"]),
        (&50.into(), &true.into())
    );
    assert_eq!(line["chain_end"], "still blocked");
}

#[test]
fn what_is_not_there_is_told() {
    let output = feed(&["why", "task:7"], lock_and_sleep());
    check_code(&output, 1);
    assert!(
        error(&output).contains("there is no task:7"),
        "{}",
        error(&output)
    );
    check_code(&feed(&["why", "task:1", "--at", "1s"], lock_and_sleep()), 1);
    check_code(&feed(&["why", "7"], lock_and_sleep()), 64);
    check_code(&feed(&["why", "worker:1"], lock_and_sleep()), 64);
    let unreadable = read(&shipped("handmade/v1-bad-magic.trace"));
    check_code(&feed(&["why", "task:1"], unreadable), 2);
}

#[test]
fn all_requests_of_a_real_trace_have_a_path() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let trace = corpus.trace("recorded/go1.27/annot.trace");
    let output = run(&["why", "--json", "task:1"], &[trace.path()]);
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    let parts = line["path"].as_array().expect("is a list");
    let sum: i64 = parts.iter().filter_map(|part| part["ns"].as_i64()).sum();
    assert_eq!(sum, line["duration_ns"].as_i64().expect("is a number"));
}
