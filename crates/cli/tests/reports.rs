//! Reports by name: each is what its command prints as JSON, to the byte.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use exectrace_json::{REPORTS, Report, ReportError, SCHEMAS, TraceFile};
use exectrace_reader::{Mode, Source, UnpackLimit};

use support::{check_code, error, feed, read, run, shipped, text};

/// A report with its options.
struct Case {
    report: &'static str,
    options: &'static [(&'static str, &'static str)],
    /// What the command is told for them.
    arguments: &'static [&'static str],
}

/// A row a case.
macro_rules! cases {
    ($($report:literal ($($option:ident = $value:literal),*): $arguments:expr;)+) => {
        &[$(Case {
            report: $report,
            options: &[$((stringify!($option), $value)),*],
            arguments: &$arguments,
        }),+]
    };
}

const CASES: &[Case] = cases! {
    "blockers"(): [];
    "blockers"(group = "main.main", most = "2"): ["--group", "main.main", "--most", "2"];
    "findings"(): [];
    "findings"(most = "0", to = "1s"): ["--most", "0", "--to", "1s"];
    "gc"(): [];
    "gc"(most = "1"): ["--most", "1"];
    "latency"(): ["--names"];
    "latency"(name = "outer"): ["outer"];
    "profile"(type = "cpu"): ["cpu"];
    "profile"(type = "offcpu", ended = "true"): ["offcpu", "--ended"];
    "profile"(type = "sync", user_task = "outer"): ["sync", "--user-task", "outer"];
    "summary"(): [];
    "summary"(from = "200", to = "0.5s"): ["--from", "200ns", "--to", "0.5s"];
    "tasks"(): [];
    "tasks"(group = ""): ["--group", ""];
    "tasks"(where = "duration > 1us", most = "1"): ["--where", "duration > 1us", "--most", "1"];
    "tasks"(task = "task:1"): ["task:1"];
    "blockers"(where = "duration > 1us"): ["--where", "duration > 1us"];
    "findings"(where = "share > 5%"): ["--where", "share > 5%"];
    "gc"(where = "duration > 1us"): ["--where", "duration > 1us"];
    "latency"(where = "duration > 1us"): ["--names", "--where", "duration > 1us"];
    "profile"(type = "sched", where = "duration > 1us"): ["sched", "--where", "duration > 1us"];
    "summary"(where = "duration > 1us"): ["--where", "duration > 1us"];
    "workers"(where = "starts > 1"): ["--where", "starts > 1"];
    "why"(id = "task:1", where = "is_own"): ["task:1", "--where", "is_own"];
    "why"(id = "task:1"): ["task:1"];
    "why"(id = "task:1", at = "1000"): ["--at", "1us", "task:1"];
    "workers"(): [];
};

/// Of both formats, of Go and of exectrace; one of them is cut.
const FILES: [&str; 4] = [
    "handmade/v1-annotations.trace",
    "recorded/exectrace/unstopped.trace.gz",
    "recorded/go1.27/ended_twice_inside.trace",
    "recorded/go1.27/blocked.trace",
];

/// What the command calls the file, and what is in it.
fn trace<'a>(name: &'a str, arguments: &'a str, source: &'a Source) -> TraceFile<'a> {
    TraceFile {
        name,
        arguments,
        bytes: source.bytes(),
        mode: Mode::Tolerant,
        fault: None,
        older: None,
    }
}

fn check(case: &Case, file: &Path, trace: &TraceFile<'_>) {
    let Case {
        report, options, ..
    } = case;
    let arguments = [&[report, "--json", "--allow-partial"], case.arguments].concat();
    let output = run(&arguments, &[file]);
    let answer = Report::named(report).and_then(|it| it.run(options.iter().copied(), trace));
    match answer {
        Ok(json) => {
            check_code(&output, 0);
            let json = String::from_utf8(json).expect("is text");
            assert_eq!(text(&output), json + "\n", "{report} {options:?}");
        }
        Err(fault @ ReportError::NotThere { .. }) => {
            check_code(&output, 1);
            assert!(error(&output).contains(&fault.to_string()), "{fault}");
        }
        Err(fault) => panic!("{report} {options:?}: {fault}"),
    }
}

#[test]
fn a_report_is_what_its_command_prints() {
    for file in FILES.map(shipped) {
        let source = Source::open(&file, UnpackLimit::default()).expect("can be read");
        let name = file.display().to_string();
        let trace = trace(&name, &name, &source);
        for case in CASES {
            check(case, &file, &trace);
        }
    }
}

#[test]
fn what_differs_is_what_its_command_prints() {
    let files = [
        "recorded/go1.27/blocked.trace",
        "handmade/v1-annotations.trace",
    ]
    .map(shipped);
    let [old_source, new_source] = files
        .each_ref()
        .map(|file| Source::open(file, UnpackLimit::default()).expect("can be read"));
    let [old_name, new_name] = files.each_ref().map(|file| file.display().to_string());
    let old = trace(&old_name, &old_name, &old_source);
    let new = TraceFile {
        older: Some(&old),
        ..trace(&new_name, &new_name, &new_source)
    };
    let diff = Report::named("diff").expect("is one");
    let json = diff.run([("most", "3")], &new).expect("both can be read");
    let json = String::from_utf8(json).expect("is text");
    let arguments = ["diff", "--json", "--allow-partial", "--most", "3"];
    let output = run(&arguments, &[&files[0], &files[1]]);
    assert_eq!(text(&output), json + "\n");
    let filter = ["--where", "duration > 1us", "--json", "--allow-partial"];
    let json = diff.run([("where", "duration > 1us")], &new);
    let json = String::from_utf8(json.expect("both can be read")).expect("is text");
    let output = run(&[&["diff"], &filter[..]].concat(), &[&files[0], &files[1]]);
    assert_eq!(text(&output), json + "\n");
    let id = diff.run([("where", "task == 7")], &new);
    let error = id.expect_err("is an id").to_string();
    assert!(
        error.starts_with("invalid value 'task == 7' for 'where': task is an id"),
        "{error}"
    );
    let alone = diff.run([], &old);
    assert_eq!(alone, Err(ReportError::NoOlder));
}

#[test]
fn a_summary_tells_why_not_to_trust_a_trace() {
    let mut packed = read(&shipped("recorded/exectrace/unstopped.trace.gz"));
    packed.truncate(packed.len() / 2);
    let source = Source::from_bytes(packed.clone(), UnpackLimit::default());
    let source = source.expect("can be read");
    let fault = source.fault().expect("is cut").to_string();
    let trace = TraceFile {
        fault: Some(&fault),
        ..trace("standard input", "-", &source)
    };
    let summary = Report::named("summary").expect("is one");
    let json = summary.run([], &trace).expect("has a summary");
    let json = String::from_utf8(json).expect("is text");
    assert!(json.contains("\"is_whole\":false"), "{json}");
    assert_eq!(text(&feed(&["summary", "--json"], packed)), json + "\n");
}

#[test]
fn every_report_and_option_has_a_case_and_a_schema() {
    let reports: BTreeSet<&str> = REPORTS.iter().map(Report::name).collect();
    let mut in_cases: BTreeSet<&str> = CASES.iter().map(|case| case.report).collect();
    // It needs two traces, and has a test of its own.
    in_cases.insert("diff");
    assert_eq!(reports, in_cases);
    let options: BTreeSet<&str> = REPORTS.iter().flat_map(Report::options).collect();
    let in_cases = CASES.iter().flat_map(|case| case.options);
    let in_cases: BTreeSet<&str> = in_cases.map(|(name, _)| *name).collect();
    assert_eq!(options, in_cases);
    let schemas: BTreeSet<&str> = SCHEMAS.iter().map(|schema| schema.name()).collect();
    assert!(schemas.is_superset(&reports), "{schemas:?}");
}
