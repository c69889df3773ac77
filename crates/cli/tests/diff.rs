//! `exectrace diff` and `exectrace check --baseline`: what changed between two traces, in all forms, and how they exit.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use exectrace_testkit::Scratch;
use serde_json::Value;

use support::{check_code, command, error, feed, read, run, shipped, text};

/// User tasks of a name, one after another, each of which takes about so long.
fn requests(name: &str, count: u64, mean_ns: u64) -> Vec<u8> {
    let mut text = format!(
        "go 1.19 trace\nBatch worker=0 ticks=1000\nFrequency ticks_per_second=1000000000\n\
         String string=1 text=\"{name}\"\nProcStart dt=1 thread=7\nGoCreate dt=1 task=1 start_stack=0 stack=0\n\
         GoStart dt=1 task=1 seq=1\n"
    );
    for id in 1..=count {
        let took = mean_ns + id * 7_919 % 1_000 * mean_ns / 10_000;
        writeln!(
            text,
            "UserTaskCreate dt=1000000 user_task={id} parent=0 name=1 stack=0\n\
             UserTaskEnd dt={took} user_task={id} stack=0"
        )
        .expect("a text takes all");
    }
    exectrace_format::text::parse(&text).expect("is a trace")
}

/// An older trace, one that is as quick, and one that is a fifth slower.
struct Traces {
    _scratch: Scratch,
    old: PathBuf,
    same: PathBuf,
    slower: PathBuf,
}

impl Traces {
    fn new() -> Self {
        let scratch = Scratch::new("diff");
        Self {
            old: scratch.file("old.trace", &requests("GET </>", 200, 1_000_000)),
            same: scratch.file("same.trace", &requests("GET </>", 210, 1_010_000)),
            slower: scratch.file("slower.trace", &requests("GET </>", 200, 1_200_000)),
            _scratch: scratch,
        }
    }

    fn check(&self, arguments: &[&str], file: &Path) -> Output {
        let mut command = command(&["check", "--baseline"]);
        command.arg(&self.old).args(arguments).arg(file);
        command.output().expect("the command runs")
    }
}

fn diff(arguments: &[&str], old: &Path, new: &Path) -> Output {
    run(&[&["diff"], arguments].concat(), &[old, new])
}

#[test]
fn what_is_slower_is_told_and_what_is_as_quick_is_not() {
    let traces = Traces::new();
    let output = diff(&[], &traces.old, &traces.slower);
    check_code(&output, 0);
    let printed = text(&output);
    assert!(
        printed.contains("latency: 2 compared, 2 changed"),
        "{printed}"
    );
    let line = printed.lines().find(|line| line.contains("p50"));
    let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        words,
        [
            "user", "task", "\"GET", "</>\"", "p50", "1.0ms", "1.3ms", "+20.0%", "<", "0.001",
            "longer"
        ]
    );
    assert!(printed.contains("by 10.0% plus 20.0µs"), "{printed}");
    let output = diff(&[], &traces.old, &traces.same);
    check_code(&output, 0);
    assert!(
        text(&output).contains("latency: 2 compared, 0 changed"),
        "{}",
        text(&output)
    );
    let output = diff(&["--min-change", "25%"], &traces.old, &traces.slower);
    assert!(
        text(&output).contains("latency: 2 compared, 0 changed"),
        "{}",
        text(&output)
    );
    let output = diff(&["--to", "50ms"], &traces.old, &traces.slower);
    assert!(
        text(&output).contains("latency: 0 compared, 0 changed"),
        "{}",
        text(&output)
    );
}

#[test]
fn json_has_all_of_it() {
    let traces = Traces::new();
    let output = diff(&["--json"], &traces.old, &traces.slower);
    check_code(&output, 0);
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(
        (&printed["schema"], &printed["changed"]),
        (&"exectrace.diff".into(), &2.into())
    );
    let median = &printed["differences"][0];
    assert_eq!(median["family"], "latency");
    assert_eq!(
        (&median["of"], &median["name"]),
        (&"user_task".into(), &"GET </>".into())
    );
    assert_eq!(
        (&median["measure"], &median["verdict"]),
        (&"p50".into(), &"more".into())
    );
    assert_eq!(median["is_worse"], true);
    assert_eq!(printed["threshold"]["test"], "rank_sum");
    let output = diff(&["--json", "--most", "1"], &traces.old, &traces.slower);
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["differences"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&printed["truncated"], &printed["total"]),
        (&true.into(), &3.into())
    );
}

#[test]
fn both_traces_are_filtered_alike() {
    let traces = Traces::new();
    let compared = |filter: &str| {
        let output = diff(&["--where", filter], &traces.old, &traces.slower);
        check_code(&output, 0);
        text(&output)
    };
    for (filter, chosen, latency) in [
        (
            r#"user_task.name == "GET </>""#,
            "stretches of time and samples; user tasks and regions",
            "latency: 2 compared, 2 changed",
        ),
        (
            r#"name == "POST""#,
            "user tasks and regions",
            "latency: 0 compared, 0 changed",
        ),
        (
            "begin < 50ms",
            "tasks; stretches of time and samples; user tasks and regions",
            "latency: 0 compared, 0 changed",
        ),
        // All else is told as it is.
        (
            r#"class == "long_poll""#,
            "findings",
            "latency: 2 compared, 2 changed",
        ),
        (
            r#"task.function == "main.serve""#,
            "tasks; stretches of time and samples",
            "latency: 2 compared, 2 changed",
        ),
    ] {
        let printed = compared(filter);
        let line = format!("--where chooses among {chosen}; all else is told as it is\n");
        assert!(printed.contains(&line), "{filter}: {printed}");
        assert!(printed.contains(latency), "{filter}: {printed}");
    }
    for (filter, told) in [
        (
            "task == task:7",
            "task is an id, and those of one trace mean nothing in another",
        ),
        ("duration > 5ms && thread == 1", "thread is an id"),
        (
            "colour == 1",
            "column 1: there is no such field; tasks have task, ",
        ),
        ("steals > 1", "column 1: there is no such field; "),
        (
            r#"class == "long_poll" && begin > 1s"#,
            "column 25: what has the fields before this one does not have it; findings have ",
        ),
    ] {
        let output = diff(&["--where", filter], &traces.old, &traces.slower);
        check_code(&output, 64);
        assert!(
            error(&output).contains(told),
            "{filter}: {}",
            error(&output)
        );
    }
}

#[test]
fn a_baseline_is_filtered_as_the_trace_is() {
    let traces = Traces::new();
    let filter = r#"user_task.name == "GET </>" && begin < 1m"#;
    let output = traces.check(&["--where", filter], &traces.slower);
    check_code(&output, 1);
    assert!(
        text(&output).contains("2 compared, 2 got worse"),
        "{}",
        text(&output)
    );
    let output = traces.check(&["--where", "begin < 1ns"], &traces.slower);
    check_code(&output, 1);
    assert!(
        text(&output).contains("nothing is often enough in both traces to be compared"),
        "{}",
        text(&output)
    );
    let output = traces.check(&["--where", "task == 7"], &traces.slower);
    check_code(&output, 64);
    assert!(
        error(&output).contains("task is an id"),
        "{}",
        error(&output)
    );
}

#[test]
fn a_baseline_breaks_the_check_of_what_got_worse() {
    let traces = Traces::new();
    let output = traces.check(&[], &traces.same);
    check_code(&output, 0);
    assert!(
        text(&output).contains("2 compared, none got worse"),
        "{}",
        text(&output)
    );
    let output = traces.check(&[], &traces.slower);
    check_code(&output, 1);
    let printed = text(&output);
    assert!(printed.contains("2 compared, 2 got worse"), "{printed}");
    assert!(
        printed.contains(
            "worse: user task \"GET </>\", p50: 1.0ms before, 1.3ms now (+20.0%, p < 0.001)"
        ),
        "{printed}"
    );
    check_code(&traces.check(&["--min-change", "25"], &traces.slower), 0);
    let output = traces.check(&["--json", "--max", "stw < 1h"], &traces.slower);
    check_code(&output, 1);
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(
        (&printed["is_met"], &printed["budgets"][0]["is_met"]),
        (&false.into(), &true.into())
    );
    assert_eq!(printed["baseline"]["worse"][0]["measure"], "p50");
    let output = traces.check(&["--format", "junit"], &traces.slower);
    check_code(&output, 1);
    let printed = text(&output);
    assert!(printed.contains("tests=\"1\" failures=\"1\""), "{printed}");
    assert!(
        printed.contains("message=\"2 compared, 2 got worse\""),
        "{printed}"
    );
    let output = traces.check(&["--format", "markdown"], &traces.slower);
    check_code(&output, 1);
    let printed = text(&output);
    assert!(
        printed.contains("**broken**") && printed.contains("- worse: user task"),
        "{printed}"
    );
}

#[test]
fn a_baseline_that_nothing_can_be_compared_with_breaks_the_check() {
    let traces = Traces::new();
    let output = traces.check(&[], &shipped("recorded/go1.27/empty.trace"));
    check_code(&output, 1);
    assert!(
        text(&output).contains("nothing is often enough in both traces to be compared"),
        "{}",
        text(&output)
    );
}

#[test]
fn the_worse_trace_gives_the_exit_code() {
    let whole = shipped("recorded/go1.19/deep.trace");
    let half = read(&whole)[..4_000].to_vec();
    let file = whole.to_str().expect("is text");
    let output = feed(&["diff", file], half.clone());
    check_code(&output, 3);
    assert!(text(&output).contains("latency: "), "{}", text(&output));
    check_code(&feed(&["diff", "--allow-partial", file], half.clone()), 0);
    let output = feed(&["diff", file], b"no trace".to_vec());
    check_code(&output, 2);
    assert!(text(&output).is_empty() && error(&output).contains("not an execution trace"));
    let output = feed(&["check", "--max", "stw < 1h", "--baseline", file], half);
    check_code(&output, 1);
    check_code(&diff(&[], &whole, Path::new("not/there")), 2);
    check_code(&diff(&["--significance", "2"], &whole, &whole), 64);
    check_code(&command(&["diff", file]).output().expect("runs"), 64);
}

#[test]
fn formats_and_languages_can_be_compared() {
    for (old, new) in [
        ("go1.19/ordinary.trace.gz", "go1.27/ordinary.trace.gz"),
        ("go1.27/generations.trace.gz", "go1.19/generations.trace.gz"),
        ("exectrace/threads.trace", "exectrace/futures.trace.gz"),
    ] {
        let file = |name| shipped(&format!("recorded/{name}"));
        let output = diff(&[], &file(old), &file(new));
        check_code(&output, 0);
        let again = diff(&[], &file(old), &file(new));
        assert_eq!(text(&output), text(&again));
        let word = if old.starts_with("go") {
            "goroutines: "
        } else {
            "tasks: "
        };
        assert!(text(&output).contains(word), "{}", text(&output));
    }
}
