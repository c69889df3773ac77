//! `--where` of all commands: of what each one's records are, and what can be asked of them.

mod support;

use exectrace_analysis::RecordKind;
use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// A request with a part, two tasks, one that waits for the other, a system call, samples and a collection.
const TRACE: &str = "go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    String string=1 text=\"serve\"
    String string=2 text=\"work\"
    String string=3 text=\"lock\"
    String string=4 text=\"read\"
    String string=5 text=\"request\"
    String string=6 text=\"part\"
    String string=7 text=\"app.rs\"
    Stack stack=1 frame=0x10,1,7,1
    Stack stack=2 frame=0x20,2,7,2
    Stack stack=3 frame=0x30,3,7,3 frame=0x21,2,7,4
    Stack stack=4 frame=0x40,4,7,5 frame=0x11,1,7,6
    Stack stack=6 frame=0x60,2,7,10 frame=0x12,1,7,11
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=1 start_stack=1
    GoCreate dt=1 task=2 start_stack=2 stack=6
    GoStart dt=10 task=1 seq=1
    UserTaskCreate dt=1 user_task=70 name=5
    UserTaskCreate dt=1 user_task=71 parent=70 name=6
    GoSysCall dt=9 stack=4
    GoSysBlock dt=5
    ProcStop dt=1
    ProcStart dt=1 thread=8
    GoStart dt=2 task=2 seq=1
    GoBlockSync dt=8 stack=3
    GoSysExit dt=10 task=1 seq=2
    GoStart dt=5 task=1 seq=3
    GCSTWStart dt=1 kind=1
    GCSTWDone dt=2
    GoUnblock dt=5 task=2 seq=2 stack=6
    UserTaskEnd dt=1 user_task=71
    UserTaskEnd dt=1 user_task=70
    GoBlockRecv dt=3 stack=4
    GoStart dt=1 task=2 seq=3
    CPUSample dt=1 real_ticks=1069 task=2 stack=3
    CPUSample dt=1 real_ticks=1071 task=1 stack=4
    GoEnd dt=20
    Batch worker=-1 ticks=1091
    GoUnblock dt=0 task=1 seq=4";

/// What a command prints as JSON with a filter.
fn json(command: &[&str], filter: &str) -> Value {
    let file = exectrace_format::text::parse(TRACE).expect("is a trace");
    let output = feed(&[command, &["--json", "--where", filter]].concat(), file);
    check_code(&output, 0);
    serde_json::from_str(&text(&output)).expect("is JSON")
}

/// Checks what one value of what is printed is with filters.
#[track_caller]
fn check(command: &[&str], key: &str, cases: &[(&str, i64)]) {
    let found = cases.iter().map(|&(filter, _)| {
        let printed = json(command, filter);
        (filter, printed[key].as_i64().expect("is a number"))
    });
    assert_eq!(found.collect::<Vec<_>>(), cases);
}

#[test]
fn profiles_count_the_stretches_that_are_meant() {
    check(
        &["profile", "offcpu"],
        "count",
        &[
            ("duration > 0", 8),
            (r#"state == "runnable""#, 5),
            (r#"state == "syscall" && duration == 22ns"#, 1),
            (r#"reason == "sync""#, 1),
            (r#"task == task:1 && state != "runnable""#, 2),
            (r#"task.function == "work""#, 3),
            (r#"task.function == "work" || state == "syscall""#, 4),
            (r#"user_task.name == "part""#, 2),
            ("user_task == user:71", 2),
            ("user_task == 70", 0),
            ("is_open_right", 1),
            ("worker == worker:0 && begin >= 10ns", 5),
        ],
    );
    check(
        &["profile", "cpu"],
        "count",
        &[
            (r#"task.function == "serve""#, 1),
            ("task == 2", 1),
            ("duration >= 0", 0),
            ("begin < 70ns", 1),
        ],
    );
}

#[test]
fn blockers_count_the_waits_that_are_meant() {
    check(
        &["blockers"],
        "count",
        &[
            ("duration > 22ns", 1),
            (r#"reason == "sync" && task.function == "work""#, 1),
            (r#"reason == "sync" && task.function == "serve""#, 0),
            (r#"user_task.name == "request""#, 0),
        ],
    );
}

#[test]
fn latencies_are_those_of_what_is_meant() {
    check(
        &["latency", "--names"],
        "total",
        &[
            (r#"user_task.name == "request" || name == "part""#, 2),
            ("user_task == user:70", 1),
            (r#"kind == "region""#, 0),
            (r#"function == """#, 2),
            ("task == 1 && duration > 1s", 0),
            ("is_open_left || is_open_right", 0),
        ],
    );
    check(
        &["summary"],
        "requests_total",
        &[
            (r#"name == "part""#, 1),
            (r#"user_task.name != "part""#, 1),
            ("user_task == user:70 && duration > 1ns", 1),
            ("task == 1", 0),
        ],
    );
}

#[test]
fn lists_have_what_is_meant() {
    check(
        &["workers"],
        "total",
        &[("worker == worker:0", 1), ("busy > 1s || starts == 0", 0)],
    );
    check(&["findings"], "total", &[(r#"severity >= "low""#, 0)]);
    check(
        &["gc"],
        "stops_total",
        &[
            (r#"kind == "stop" && duration == 2ns"#, 1),
            (r#"kind == "cycle""#, 0),
            ("task == task:1", 1),
            (r#"reason == "x""#, 0),
        ],
    );
    check(
        &["why", "task:2"],
        "total",
        &[
            ("is_own", 2),
            (r#"!is_own && function == "serve""#, 3),
            (r#"state == "running" && is_own && count == 2"#, 1),
        ],
    );
}

/// The types of the events of which a filter means all.
fn types(filter: &str) -> Vec<String> {
    let file = exectrace_format::text::parse(TRACE).expect("is a trace");
    let output = feed(&["events", "--json", "--where", filter], file);
    check_code(&output, 0);
    let printed = text(&output);
    let events = printed.lines().skip(1);
    let types = events.map(|line| {
        let event: Value = serde_json::from_str(line).expect("is JSON");
        event["type"].as_str().expect("is text").to_owned()
    });
    types.collect()
}

#[test]
fn events_are_asked_by_what_is_printed_of_them() {
    for (filter, expect) in [
        (
            r#"type == "GoUnblock" && subject_task == task:2"#,
            &["GoUnblock"][..],
        ),
        ("subject_task == 2 && task == 2", &["GoBlockSync", "GoEnd"]),
        (
            r#"kind == "UserTaskBegin" && user_task == user:71"#,
            &["UserTaskCreate"],
        ),
        ("parent == 70", &["UserTaskCreate", "UserTaskEnd"]),
        (r#"name == "part" && time > 50ns"#, &["UserTaskEnd"]),
        (
            r#"range contains "stop" && reason == "GC mark termination""#,
            &[],
        ),
        (r#"kind == "RangeBegin""#, &["GCSTWStart"]),
        (
            r#"from == "Running" && to == "Waiting" && reason == "sync""#,
            &["GoBlockSync"],
        ),
        (r#"function == "lock""#, &["GoBlockSync", "CPUSample"]),
        ("subject_worker == worker:0 && thread == 8", &["ProcStart"]),
        (
            "worker == 0 && time < 3ns && subject_worker != worker:0",
            &["GoCreate", "GoCreate"],
        ),
        // What an event does not have equals nothing, and is neither less nor more.
        ("value < 7 || value >= 7 || trace == 0 || arg0 == 0", &[]),
    ] {
        assert_eq!(types(filter), expect, "{filter}");
    }
    let file = exectrace_format::text::parse(TRACE).expect("is a trace");
    let both = [
        "events",
        "--kind",
        "GoCreate",
        "--where",
        "subject_task == 1",
    ];
    let output = feed(&both, file);
    check_code(&output, 0);
    assert_eq!(text(&output).lines().count(), 2);
}

/// Each field that is printed can be asked for with what is printed, and means at least the event of which it is.
#[test]
fn what_is_printed_of_an_event_finds_it() {
    let files = [
        "handmade/v1-annotations.trace",
        "recorded/go1.27/blocked.trace",
    ];
    for file in files.map(shipped) {
        let printed = text(&run(&["events", "--json"], &[&file]));
        let mut seen = std::collections::BTreeMap::new();
        for line in printed.lines().skip(1) {
            let event: serde_json::Map<String, Value> =
                serde_json::from_str(line).expect("is JSON");
            for (name, value) in event {
                seen.entry(name).or_insert((value, line.to_owned()));
            }
        }
        seen.remove("time_ns");
        assert!(seen.len() > 8, "{seen:?}");
        for (name, (value, line)) in seen {
            let filter = format!("{name} == {value}");
            let found = run(&["events", "--json", "--where", &filter], &[&file]);
            check_code(&found, 0);
            assert!(text(&found).lines().any(|it| it == line), "{filter}");
        }
    }
}

#[test]
fn the_fields_of_each_are_told() {
    use RecordKind as K;
    let commands: [(&[&str], RecordKind); 10] = [
        (&["tasks"], K::Task),
        (&["profile", "net"], K::Stretch),
        (&["blockers"], K::Stretch),
        (&["latency"], K::Annotation),
        (&["summary"], K::Request),
        (&["findings"], K::Finding),
        (&["why", "task:1"], K::PathPart),
        (&["workers"], K::Worker),
        (&["gc"], K::Collection),
        (&["events"], K::Event),
    ];
    for (command, kind) in commands {
        let arguments = [command, &["--where", "colour == 1"]].concat();
        let output = run(&arguments, &[&shipped("handmade/v1-annotations.trace")]);
        check_code(&output, 64);
        let fields: Vec<&str> = kind.fields().map(|field| field.name()).collect();
        let expect = format!(
            "column 1: there is no such field; {} have {}",
            kind.name(),
            fields.join(", ")
        );
        assert!(error(&output).contains(&expect), "{}", error(&output));
    }
}

/// What the manual says of a field is a row, whose second column says which commands have it.
#[test]
fn all_fields_are_in_the_manual() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command.md");
    let manual = String::from_utf8(read(manual.as_ref())).expect("is text");
    let (_, section) = manual.split_once("## `--where`").expect("has it");
    let (section, _) = section.split_once("\n## ").expect("ends");
    for kind in RecordKind::ALL {
        for field in kind.fields() {
            let name = format!("`{}`", field.name());
            let mut rows = section.lines().filter_map(|line| line.strip_prefix("| "));
            assert!(
                rows.any(|row| row.split_once(" | ").is_some_and(|(names, rest)| {
                    names.contains(&name) && rest.contains(kind.name())
                })),
                "{name} of {}",
                kind.name()
            );
        }
    }
}
