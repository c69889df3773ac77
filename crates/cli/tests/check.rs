//! `exectrace check`: which budgets are met, in all forms, and how it exits.

mod support;

use exectrace_testkit::Scratch;
use serde_json::Value;

use support::{check_code, command, error, feed, read, run, shipped, text};

/// A user task of 40 ns and one of 10 ns, and a goroutine that waits 30 ms for a lock.
const SMALL: &str = "go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    String string=1 text=\"main.serve\"
    String string=2 text=\"main.go\"
    String string=3 text=\"GET </>\"
    String string=4 text=\"sync.(*Mutex).Lock\"
    Stack stack=1 frame=0x10,1,2,5
    Stack stack=2 frame=0x20,4,2,7 frame=0x10,1,2,5
    Gomaxprocs dt=1 workers=2 stack=0
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=1 start_stack=1 stack=0
    GoStart dt=10 task=1 seq=1
    UserTaskCreate dt=10 user_task=8 parent=0 name=3 stack=1
    UserTaskEnd dt=40 user_task=8 stack=1
    UserTaskCreate dt=10 user_task=9 parent=0 name=3 stack=1
    UserTaskEnd dt=10 user_task=9 stack=1
    GoBlockSync dt=10 stack=2
    ProcStop dt=1
    ProcStart dt=30000000 thread=7
    GoUnblock dt=1 task=1 seq=2 stack=0
    GoStart dt=1 task=1 seq=3";

fn small() -> Vec<u8> {
    exectrace_format::text::parse(SMALL).expect("is a trace")
}

#[test]
fn budgets_are_met_or_broken() {
    let met = [
        "check",
        "--max",
        "max(GET </>) <= 40ns",
        "--max",
        "p50(GET </>) < 11ns",
    ];
    let output = feed(&met, small());
    check_code(&output, 0);
    assert_eq!(
        text(&output),
        "standard input: met\n  met    max(GET </>) <= 40ns: 40.0ns\n  met    p50(GET </>) < 11ns: 10.0ns\n"
    );
    let output = feed(
        &[
            "check",
            "--max",
            "max(GET </>) < 40ns",
            "--max",
            "stw < 1ms",
        ],
        small(),
    );
    check_code(&output, 1);
    let printed = text(&output);
    assert!(
        printed.contains("broken max(GET </>) < 40ns: 40.0ns"),
        "{printed}"
    );
    assert!(printed.contains("met    stw < 1ms: -"), "{printed}");
}

/// How a check with a filter ends, and what it prints.
#[track_caller]
fn check_filtered(arguments: &[&str], filter: &str, code: i32, told: &str) {
    let output = feed(
        &[&["check", "--where", filter], arguments].concat(),
        small(),
    );
    check_code(&output, code);
    let printed = text(&output) + &error(&output);
    assert!(printed.contains(told), "{filter}: {printed}");
}

#[test]
fn budgets_are_about_what_a_filter_lets_through() {
    let longest = ["--max", "max(GET </>) < 20ns"];
    let count = ["--max", "count(GET </>) < 2"];
    check_filtered(
        &longest,
        "duration > 1ns",
        1,
        "broken max(GET </>) < 20ns: 40.0ns",
    );
    check_filtered(
        &longest,
        "duration < 40ns",
        0,
        "met    max(GET </>) < 20ns: 10.0ns",
    );
    check_filtered(&longest, "user_task == user:9", 0, ": 10.0ns");
    check_filtered(&longest, r#"name == "POST""#, 1, "nothing of that name");
    check_filtered(&count, "begin > 60ns", 0, "met    count(GET </>) < 2: 1");
    let finding = ["--fail-on", "low"];
    check_filtered(&finding, "lost > 1ms", 1, "broken by a finding: high: lock");
    check_filtered(
        &finding,
        r#"class != "lock_wait""#,
        0,
        "standard input: met",
    );
    // What lacks a field is judged as it is.
    let both = [longest, ["--max", "stw < 1ms"]].concat();
    let both = [&both[..], &finding].concat();
    check_filtered(
        &both,
        r#"user_task.name == "GET </>""#,
        1,
        "--where chooses among user tasks and regions; all else is told as it is",
    );
    check_filtered(
        &both,
        r#"user_task.name == "GET </>""#,
        1,
        "broken by a finding",
    );
}

#[test]
fn filters_ask_for_what_is_checked() {
    let stop = ["--max", "stw < 1ms"];
    check_filtered(
        &stop,
        "severity > low",
        64,
        "invalid value 'severity > low' for '--where <FILTER>': column 1: there is no such field; cycles and stops have ",
    );
    check_filtered(&stop, "colour", 64, "\n\n    colour\n    ^");
    check_filtered(
        &["--fail-on", "low", "--max", "p50(x) < 1s"],
        r#"severity > "low" && begin > 1s"#,
        64,
        "what has the fields before this one does not have it; findings have ",
    );
}

#[test]
fn colour_is_for_who_wants_it() {
    let scratch = Scratch::new("colour");
    let file = scratch.file("small.trace", &small());
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = command(&["check", "--max", "stw < 1ms", "--fail-on", "low"]);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let output = command.envs(variables.iter().copied()).arg(&file).output();
        let output = output.expect("the command runs");
        check_code(&output, 1);
        text(&output)
    };
    let plain = coloured(&[]);
    assert!(
        plain.contains(": broken\n") && !plain.contains('\u{1b}'),
        "{plain}"
    );
    let forced = coloured(&[("CLICOLOR_FORCE", "1")]);
    assert!(
        forced.contains("\u{1b}[1m\u{1b}[31mbroken\u{1b}[0m\n"),
        "{forced:?}"
    );
    let unwanted = coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]);
    assert_eq!(unwanted, plain);
}

#[test]
fn what_is_not_there_breaks_its_budget() {
    let output = feed(&["check", "--max", "p99(POST) < 1s"], small());
    check_code(&output, 1);
    assert!(
        text(&output).contains("nothing of that name"),
        "{}",
        text(&output)
    );
    let output = feed(&["check", "--max", "count(POST) < 1"], small());
    check_code(&output, 0);
}

#[test]
fn findings_break_a_budget_by_their_severity() {
    let output = feed(&["check", "--fail-on", "high"], small());
    check_code(&output, 1);
    let printed = text(&output);
    assert!(
        printed.contains("broken by a finding: high: lock"),
        "{printed}"
    );
    assert!(printed.contains("main.serve (main.go:5)"), "{printed}");
    let output = feed(&["check", "--fail-on", "high", "--to", "100ns"], small());
    check_code(&output, 0);
}

#[test]
fn a_part_of_a_trace_is_said_to_be_one_and_a_broken_budget_counts_more() {
    let whole = read(&shipped("recorded/go1.19/deep.trace"));
    let half = || whole[..whole.len() / 2].to_vec();
    let output = feed(&["check", "--max", "stw < 1h"], half());
    check_code(&output, 3);
    assert!(
        text(&output).contains("not whole (lost: "),
        "{}",
        text(&output)
    );
    let output = feed(&["check", "--max", "stw < 1h", "--allow-partial"], half());
    check_code(&output, 0);
    let output = feed(&["check", "--max", "p99(none) < 1h"], half());
    check_code(&output, 1);
    let output = feed(&["check", "--max", "stw < 1h"], b"no trace".to_vec());
    check_code(&output, 2);
}

#[test]
fn budgets_that_say_nothing_are_refused() {
    for arguments in [
        &["check"][..],
        &["check", "--max", "p95(a) < 5ms"],
        &["check", "--max", "stw < 5"],
        &["check", "--fail-on", "worst"],
    ] {
        let output = feed(arguments, small());
        check_code(&output, 64);
        assert!(!error(&output).is_empty());
    }
}

#[test]
fn json_has_what_was_measured() {
    let output = feed(
        &[
            "check",
            "--json",
            "--max",
            "mean(GET </>) < 1ms",
            "--max",
            "max(none) < 1ms",
        ],
        small(),
    );
    check_code(&output, 1);
    let printed: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    assert_eq!(printed["is_met"], false);
    assert_eq!(printed["budgets"][0]["value"], 25.0);
    assert_eq!(printed["budgets"][0]["limit"], 1e6);
    assert_eq!(printed["budgets"][1]["value"], Value::Null);
    assert_eq!(printed["findings"], Value::Null);
}

#[test]
fn junit_is_xml_with_a_case_for_each_budget() {
    let arguments = ["check", "--format", "junit", "--fail-on", "high", "--max"];
    let output = feed(
        &[&arguments[..], &["max(GET </>) < 40ns"]].concat(),
        small(),
    );
    check_code(&output, 1);
    let printed = text(&output);
    let found = judge_junit(&printed);
    assert_eq!(found.cases, ["max(GET </>) < 40ns", "findings"]);
    assert_eq!((found.suites, found.failures), (1, 2));
    assert!(
        printed.contains("tests=\"2\" failures=\"2\" errors=\"0\""),
        "{printed}"
    );
}

/// An element of `JUnit`: what it may stand in, the attributes that it must have, and those that it may.
type JunitElement = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// What Jenkins' schema of `JUnit` asks for, as far as we print it; other tools ask for less.
const JUNIT: [JunitElement; 4] = [
    ("testsuites", "", &[], &[]),
    (
        "testsuite",
        "testsuites",
        &["name", "tests", "failures", "errors"],
        &[],
    ),
    ("testcase", "testsuite", &["name"], &["classname"]),
    ("failure", "testcase", &[], &["message"]),
];

#[derive(Default)]
struct Junit {
    suites: usize,
    cases: Vec<String>,
    failures: usize,
}

/// Holds a text against [`JUNIT`], and its numbers against what they count.
#[track_caller]
fn judge_junit(printed: &str) -> Junit {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(printed);
    let (mut found, mut told) = (Junit::default(), [0, 0]);
    let mut open: Vec<String> = Vec::new();
    loop {
        let event = reader.read_event().expect("is XML");
        let (Event::Start(element) | Event::Empty(element)) = &event else {
            match event {
                Event::End(_) => drop(open.pop()),
                Event::Eof => break,
                Event::Text(text) if open.last().is_none_or(|it| it != "failure") => {
                    assert!(text.iter().all(u8::is_ascii_whitespace), "{printed}");
                }
                _ => {}
            }
            continue;
        };
        let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        let row = JUNIT.iter().find(|row| row.0 == name).expect("is known");
        assert_eq!(open.last().map_or("", String::as_str), row.1, "{printed}");
        let attributes: Vec<(String, String)> = element
            .attributes()
            .map(|attribute| attribute.expect("is one"))
            .map(|attribute| {
                let key = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
                (
                    key,
                    attribute.unescape_value().expect("is a text").into_owned(),
                )
            })
            .collect();
        let value = |name: &str| attributes.iter().find(|it| it.0 == name).map(|it| &it.1);
        let is_known = |key: &str| row.2.contains(&key) || row.3.contains(&key);
        assert!(attributes.iter().all(|it| is_known(&it.0)), "{printed}");
        assert!(row.2.iter().all(|name| value(name).is_some()), "{printed}");
        match row.0 {
            "testsuite" => {
                found.suites += 1;
                for (sum, name) in told.iter_mut().zip(["tests", "failures"]) {
                    *sum += value(name)
                        .and_then(|it| it.parse::<usize>().ok())
                        .expect(name);
                }
            }
            "testcase" => found.cases.extend(value("name").cloned()),
            "failure" => found.failures += 1,
            _ => {}
        }
        if matches!(event, Event::Start(_)) {
            open.push(name);
        }
    }
    assert_eq!(told, [found.cases.len(), found.failures], "{printed}");
    found
}

#[test]
fn markdown_is_a_table() {
    let output = feed(
        &[
            "check",
            "--format",
            "markdown",
            "--max",
            "max(GET </>) < 40ns",
        ],
        small(),
    );
    check_code(&output, 1);
    assert_eq!(
        text(&output),
        "### standard input: **broken**\n\n| budget | measured | |\n| --- | ---: | --- |\n| max(GET \\</\\>) \\< 40ns | 40.0ns | **broken** |\n"
    );
}

#[test]
fn all_traces_are_in_one_file_of_junit() {
    let files = [
        shipped("recorded/go1.19/deep.trace"),
        shipped("recorded/go1.27/blocked.trace"),
    ];
    let output = run(
        &["check", "--format", "junit", "--max", "stw < 1h"],
        &[&files[0], &files[1]],
    );
    check_code(&output, 0);
    let found = judge_junit(&text(&output));
    assert_eq!((found.suites, found.failures), (2, 0));
}
