//! `exectrace events`, end to end.

mod packed;
mod support;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use exectrace_reader::Kind;
use exectrace_testkit::{Corpus, Scratch};
use serde_json::Value;

use packed::{gzip, packed_by_zstd};
use support::{check_code, command, error, feed, read, run, shipped, text};

fn events(arguments: &[&str], name: &str) -> String {
    let output = run(&[&["events"], arguments].concat(), &[&shipped(name)]);
    check_code(&output, 0);
    assert_eq!(error(&output), "");
    text(&output)
}

/// The objects after the head.
fn objects(printed: &str) -> Vec<Value> {
    let mut lines = printed.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    });
    let head = lines.next().expect("has a head");
    assert_eq!(head["schema"], "exectrace.events");
    assert_eq!(head["version"], 1);
    lines.collect()
}

const ANNOTATIONS: &str = "\
go 1.19 trace
0.000000000 Gomaxprocs worker=0 kind=Metric metric=/sched/gomaxprocs:threads value=2
0.000001000 GoCreate worker=0 kind=TaskTransition subject_task=1 from=NotExist to=Runnable
0.000002000 ProcStart worker=0 thread=77 kind=WorkerTransition subject_worker=0 from=Idle to=Running
0.000003000 GoStart worker=0 thread=77 kind=TaskTransition subject_task=1 from=Runnable to=Running
0.000004000 UserTaskCreate worker=0 thread=77 task=1 kind=UserTaskBegin user_task=10 name=\"task\"
0.000005000 UserRegion worker=0 thread=77 task=1 kind=UserRegionBegin user_task=10 name=\"reg\"
0.000006000 UserLog worker=0 thread=77 task=1 kind=UserLog user_task=10 key=\"key\" message=\"hello\"
0.000007000 UserLog worker=0 thread=77 task=1 kind=UserLog user_task=0 key=\"\" message=\"\"
0.000008000 UserRegion worker=0 thread=77 task=1 kind=UserRegionEnd user_task=10 name=\"reg\"
0.000009000 UserTaskEnd worker=0 thread=77 task=1 kind=UserTaskEnd user_task=10 name=\"task\"
";

#[test]
fn events_as_text() {
    assert_eq!(events(&[], "handmade/v1-annotations.trace"), ANNOTATIONS);
    assert_eq!(
        events(&["--format", "text"], "handmade/v1-annotations.trace"),
        ANNOTATIONS
    );
}

#[test]
fn events_as_json() {
    let printed = events(&["--json"], "handmade/v1-annotations.trace");
    let expect = "\
{\"schema\":\"exectrace.events\",\"version\":1,\"format\":\"v1\",\"header\":\"1.19\",\"first_event_ns\":0}
{\"time_ns\":0,\"type\":\"Gomaxprocs\",\"worker\":0,\"kind\":\"Metric\",\"metric\":\"/sched/gomaxprocs:threads\",\"value\":2}
{\"time_ns\":1000,\"type\":\"GoCreate\",\"worker\":0,\"kind\":\"TaskTransition\",\"subject_task\":1,\"from\":\"NotExist\",\"to\":\"Runnable\"}
";
    assert!(printed.starts_with(expect), "{printed}");
    assert_eq!(
        events(&["--format", "jsonl"], "handmade/v1-annotations.trace"),
        printed
    );
}

#[test]
fn frames_are_printed_when_asked_for() {
    let printed = events(
        &["--stacks", "--kind", "GoCreate,UserLog"],
        "handmade/v1-annotations.trace",
    );
    let frame = "0x1000,\"main.main\",\"main.go\",10";
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[2], format!("    subject_stack={frame}"));
    assert_eq!(lines[4], format!("    stack={frame}"));
    let objects = objects(&events(
        &["--stacks", "--json"],
        "handmade/v1-annotations.trace",
    ));
    let frame = serde_json::json!([{"pc": "0x1000", "function": "main.main", "file": "main.go", "line": 10}]);
    assert_eq!(objects[1]["subject_stack"], frame);
    assert_eq!(objects[1].get("stack"), None);
    assert_eq!(objects[4]["stack"], frame);
}

#[test]
fn all_events_of_all_shipped_traces_are_printed_in_both_forms() {
    let mut kinds = std::collections::BTreeSet::new();
    let mut traces = 0;
    let shipped = Corpus::shipped().traces();
    for trace in shipped.iter().filter(|it| it.verdict() == "accepted") {
        traces += 1;
        let path = trace.path();
        let allow = ["events", "--allow-partial"];
        let as_json = run(&[&allow[..], &["--json", "--stacks"]].concat(), &[path]);
        let objects = objects(&text(&as_json));
        assert_eq!(objects.len().to_string(), trace.column("events"));
        let times: Vec<_> = objects
            .iter()
            .map(|object| object["time_ns"].as_i64())
            .collect();
        assert!(times.is_sorted(), "{}", trace.file());
        if let Some(Some(first)) = times.first() {
            assert_eq!(first.to_string(), trace.column("start_ns"));
        }
        kinds.extend(
            objects
                .iter()
                .filter_map(|object| object["kind"].as_str().map(str::to_owned)),
        );
        let as_text = run(&allow, &[path]);
        assert_eq!(text(&as_text).lines().count(), objects.len() + 1);
    }
    assert!(traces > 35, "only {traces} traces");
    assert!(kinds.len() > 10, "only {kinds:?}");
    let unknown: Vec<_> = kinds
        .iter()
        .filter(|kind| !Kind::NAMES.contains(&kind.as_str()))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn filters_let_through_what_passes_all_of_them() {
    #[track_caller]
    fn check(arguments: &[&str], times: &[&str]) {
        let printed = events(arguments, "handmade/v1-annotations.trace");
        let found: Vec<&str> = printed
            .lines()
            .skip(1)
            .map(|line| line.split(' ').next().unwrap_or_default())
            .collect();
        let expect: Vec<String> = times
            .iter()
            .map(|time| format!("0.00000{time}000"))
            .collect();
        assert_eq!(found, expect);
    }
    check(&["--from", "8us"], &["8", "9"]);
    check(&["--to", "2us"], &["0", "1"]);
    check(&["--from", "0.000002500", "--to", "0.005ms"], &["3", "4"]);
    check(&["--kind", "UserLog"], &["6", "7"]);
    check(&["--kind", "UserLog", "--to", "7us"], &["6"]);
    check(&["--kind", "UserRegion,Gomaxprocs"], &["0", "5", "8"]);
    check(&["--kind", "Metric", "--kind", "UserTaskEnd"], &["0", "9"]);
    check(&["--task", "1"], &["1", "3", "4", "5", "6", "7", "8", "9"]);
    check(&["--task", "2,task:3"], &[]);
    check(&["--task", "task:1", "--from", "9us"], &["9"]);
    check(&["--worker", "0,5", "--to", "1ns"], &["0"]);
    check(&["--worker", "worker:0", "--to", "1ns"], &["0"]);
    check(&["--worker", "1"], &[]);
    check(&["--thread", "77", "--to", "4us"], &["2", "3"]);
}

#[test]
fn a_trace_is_the_same_however_it_is_packed_and_given() {
    let plain = shipped("recorded/go1.19/deep.trace");
    let expect = text(&run(&["events", "--stacks"], &[&plain]));
    assert!(expect.lines().count() > 500);
    let outputs = [
        run(&["events", "--stacks"], &[&packed_by_zstd()]),
        feed(&["events", "--stacks"], read(&plain)),
        feed(&["events", "--stacks"], gzip(&read(&plain))),
        feed(&["events", "--stacks"], read(&packed_by_zstd())),
    ];
    for output in outputs {
        check_code(&output, 0);
        assert!(text(&output) == expect);
    }
}

#[test]
fn what_can_be_read_is_printed_and_the_loss_told() {
    let damaged = shipped("handmade/v2-type-137.trace");
    let output = run(&["events"], &[&damaged]);
    check_code(&output, 3);
    assert_eq!(text(&output).lines().count(), 5);
    let told = error(&output);
    let fault = "generation 1, thread 50: unknown event type 137, at byte 81";
    for line in [
        "v2-type-137.trace: lost 2 bytes, at least 1 events, in 1 place, at 0.000000128s; repaired nothing\n",
        &format!("\n  lost: 2 bytes, at least 1 events, at 0.000000128s: {fault}; "),
    ] {
        assert!(told.contains(line), "{told}");
    }
    let allowed = run(&["events", "--allow-partial"], &[&damaged]);
    check_code(&allowed, 0);
    assert_eq!(allowed.stdout, output.stdout);
}

#[test]
fn what_was_inferred_is_printed_and_told() {
    let file = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        ProcStart dt=1 thread=7
        GoStart dt=1 task=1 seq=4";
    let file = exectrace_format::text::parse(file).expect("is a trace");
    let output = feed(&["events"], file);
    check_code(&output, 3);
    let printed = text(&output);
    assert!(
        printed.contains(" Inferred worker=0 thread=7 kind=TaskTransition subject_task=1 "),
        "{printed}"
    );
    let told = error(&output);
    assert!(told.contains(" states of tasks inferred\n"), "{told}");
}

#[test]
fn strict_prints_what_comes_before_a_fault_and_tells_it() {
    let damaged = shipped("handmade/v2-type-137.trace");
    let strict = ["events", "--allow-partial", "--strict"];
    let refused = run(&strict, &[&damaged]);
    check_code(&refused, 2);
    assert_eq!(text(&refused).lines().count(), 3);
    let told = error(&refused);
    let fault = "v2-type-137.trace: generation 1, thread 50: unknown event type 137, at byte 81";
    assert!(told.contains(fault), "{told}");
    check_code(&run(&strict, &[&shipped("recorded/go1.27/empty.trace")]), 0);
    check_code(
        &run(
            &["events", "--strict"],
            &[&shipped("handmade/v1-header-only.trace")],
        ),
        3,
    );
    for (name, code, told) in [
        ("handmade/v1-header-only.trace", 3, "the trace is empty"),
        (
            "handmade/v2-header-only-1.26.trace",
            3,
            "the trace is empty",
        ),
        ("handmade/v1-bad-magic.trace", 2, "byte 0: "),
    ] {
        let output = run(&["events"], &[&shipped(name)]);
        check_code(&output, code);
        assert!(error(&output).contains(told), "{}", error(&output));
    }
    let output = run(&["events"], &[Path::new("not-there")]);
    check_code(&output, 2);
    assert!(error(&output).contains("not-there cannot be opened: "));
}

#[test]
fn a_packed_file_that_is_cut_is_read_as_far_as_it_goes() {
    let packed = gzip(&read(&shipped("recorded/go1.19/deep.trace")));
    let cut = || packed[..packed.len() - 1].to_vec();
    let output = feed(&["events"], cut());
    check_code(&output, 3);
    assert!(text(&output).lines().count() > 100);
    assert!(error(&output).contains("standard input: the packed file ends too early"));
    let strict = feed(&["events", "--strict"], cut());
    check_code(&strict, 2);
    assert_eq!(text(&strict), "");
}

#[test]
fn a_pipe_that_is_closed_ends_it_quietly() {
    let mut child = command(&["events", "--json", "--stacks"])
        .arg(shipped("recorded/go1.25/coro.trace"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut first = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().expect("is piped"));
    reader.read_line(&mut first).expect("prints a line");
    assert!(first.starts_with("{\"schema\":"), "{first}");
    drop(reader);
    let output = child.wait_with_output().expect("the command ends");
    check_code(&output, 0);
    assert_eq!(error(&output), "");
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("is there");
    let output = command(&["events"])
        .arg(shipped("handmade/v1-annotations.trace"))
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs")
        .wait_with_output()
        .expect("the command ends");
    check_code(&output, 1);
    assert!(
        error(&output).contains("the output cannot be written: "),
        "{}",
        error(&output)
    );
}

#[test]
fn usage_errors_are_64() {
    let file = shipped("handmade/v1-annotations.trace");
    for arguments in [
        &["--from", "7x"][..],
        &["--from", "-1s"],
        &["--kind", "GoFly"],
        &["--task", "x"],
        &["--format", "xml"],
        &["--format", "text", "--json"],
    ] {
        let output = run(&[&["events"], arguments].concat(), &[&file]);
        check_code(&output, 64);
    }
    check_code(&run(&["events"], &[]), 64);
    check_code(&run(&["info"], &[]), 64);
}

/// The lines of JSON.
fn json_lines(printed: &str) -> Vec<Value> {
    let lines = printed.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("is JSON"))
        .collect()
}

/// A recording of ours that began when the wall clock showed so many nanoseconds.
fn recording(wall_ns: u64) -> Vec<u8> {
    let lines = format!(
        "go 1.19 trace
        Batch worker=900001 ticks=0
        Frequency ticks_per_second=1000000000
        String string=1 text=\"exectrace.clock\"
        UserLog dt=0 key=1 message=\"ticks=0 wall_ns={wall_ns} frequency=1000000000 start_ticks=0\"
        Batch worker=0 ticks=5
        GoCreate dt=0 task=1"
    );
    exectrace_format::text::parse(&lines).expect("is a trace")
}

#[test]
fn processes_are_put_in_order_of_the_wall_clock() {
    let scratch = Scratch::new("events-processes");
    let late = scratch.file("late", &recording(1_003));
    let early = scratch.file("early", &recording(1_000));
    let output = run(&["events", "--kind", "GoCreate"], &[&late, &early]);
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("trace=0 ") && lines[0].ends_with("late: go 1.19 trace"));
    assert!(lines[1].starts_with("trace=1 "), "{printed}");
    assert_eq!(
        lines[2..],
        [
            "0.000000005 GoCreate trace=1 worker=0 kind=TaskTransition subject_task=1 from=NotExist to=Runnable",
            "0.000000008 GoCreate trace=0 worker=0 kind=TaskTransition subject_task=1 from=NotExist to=Runnable",
        ]
    );
    let output = run(&["events", "--json"], &[&late, &early]);
    let lines = json_lines(&text(&output));
    assert_eq!(lines[0]["traces"][1]["header"], "1.19");
    assert!(lines[0].get("header").is_none());
    assert_eq!(lines[0]["first_event_ns"], lines[1]["time_ns"]);
    assert_eq!(
        (&lines[1]["trace"], &lines[1]["time_ns"]),
        (&1.into(), &1000.into())
    );
    let without = shipped("handmade/v1-annotations.trace");
    let output = run(&["events"], &[&late, &without]);
    check_code(&output, 2);
    let told = error(&output);
    assert!(
        told.contains("v1-annotations.trace: the trace does not say what the wall clock showed"),
        "{told}"
    );
    assert_eq!(text(&output), "");
}

#[test]
fn parts_of_a_trace_are_read_as_one() {
    let scratch = Scratch::new("events-parts");
    let whole = shipped("recorded/go1.19/deep.trace");
    let bytes = read(&whole);
    let (begin, end) = bytes.split_at(bytes.len() / 2);
    let parts = [scratch.file("xaa", begin), scratch.file("xab", &gzip(end))];
    let parts = [parts[0].as_path(), parts[1].as_path()];
    let output = run(&["events"], &parts);
    check_code(&output, 0);
    assert_eq!(text(&output), text(&run(&["events"], &[&whole])));
    check_code(&run(&["events"], &parts[..1]), 3);
    check_code(&run(&["events"], &parts[1..]), 2);
    let output = run(&["validate"], &parts);
    check_code(&output, 0);
    assert!(text(&output).contains("xaa + "), "{}", text(&output));
    let lines = json_lines(&text(&run(&["info", "--json"], &parts)));
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (&lines[0]["verdict"], &lines[0]["packing"]),
        (&"accepted".into(), &"gzip".into())
    );
}

#[test]
fn times_may_be_those_of_the_wall_clock() {
    let scratch = Scratch::new("events-wall-clock");
    let late = scratch.file("late", &recording(1_003));
    let early = scratch.file("early", &recording(1_000));
    let times = |arguments: &[&str], files: &[&Path]| {
        let created = [&["events", "--kind", "GoCreate"], arguments].concat();
        let output = run(&created, files);
        check_code(&output, 0);
        let printed = text(&output);
        let lines = printed.lines().skip(files.len());
        let time = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        lines.map(time).collect::<Vec<String>>()
    };
    let from = ["--from", "1970-01-01T00:00:00.000001007Z"];
    assert_eq!(times(&from, &[&late]), ["0.000000005"]);
    assert_eq!(times(&from, &[&early]), [""; 0]);
    assert_eq!(times(&from, &[&late, &early]), ["0.000000008"]);
    let to = ["--to", "00:00:00.000001007"];
    assert_eq!(times(&to, &[&late, &early]), ["0.000000005"]);
    let without = shipped("handmade/v1-annotations.trace");
    for command in [&["events"][..], &["tasks"], &["why", "task:1"]] {
        let output = run(&[command, &["--to", "02:13:05.120"]].concat(), &[&without]);
        check_code(&output, 2);
        let told = error(&output);
        assert!(
            told.contains("; give times since its first event"),
            "{told}"
        );
    }
}
