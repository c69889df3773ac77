//! `exectrace profile` on real files: what it prints and writes, and how it exits.

mod support;

use std::collections::BTreeMap;

use exectrace_testkit::{Corpus, Go, PprofSample, Scratch};
use serde_json::Value;

use support::{check_code, command, error, feed, read, run, shipped, text};

/// A task that waits for another one's lock, with a name that is not for terminals, and two samples.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::serve\"
        String string=2 text=\"app;\\x1b[31mlock\"
        String string=3 text=\"app.rs\"
        Stack stack=1 frame=0x10,1,3,5
        Stack stack=2 frame=0x20,2,3,9 frame=0x11,1,3,6
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1
        GoCreate dt=1 task=2 start_stack=1
        GoStart dt=10 task=1 seq=1
        GoBlockSync dt=10 stack=2
        GoStart dt=1 task=2 seq=1
        CPUSample dt=1 real_ticks=1030 task=2 stack=1
        CPUSample dt=1 real_ticks=1031 task=2 stack=2
        GoUnblock dt=18 task=1 seq=2 stack=1
        GoBlockRecv dt=10 stack=1
        GoStart dt=1 task=1 seq=3
        GoEnd dt=50";
    exectrace_format::text::parse(lines).expect("is a trace")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn functions_are_printed_with_what_they_spent() {
    let output = feed(&["profile", "sync"], small());
    check_code(&output, 0);
    let printed = text(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines[0],
        "standard input: synchronization profile, 72.0ns in 2 waits; 51.0ns of it in 1 that began before or went on after"
    );
    assert_eq!(
        words(lines[1]),
        ["flat", "flat%", "cum", "cum%", "waits", "function"]
    );
    let serve = [
        "51.0ns",
        "70.8%",
        "███████▏",
        "72.0ns",
        "100.0%",
        "2",
        "app::serve",
    ];
    assert_eq!(words(lines[2]), serve);
    let lock = [
        "21.0ns",
        "29.2%",
        "███",
        "21.0ns",
        "29.2%",
        "1",
        "app;\\u{1b}[31mlock",
    ];
    assert_eq!(words(lines[3]), lock);
    assert_eq!(lines.len(), 4);
    let output = feed(&["profile", "sync", "--ended", "--most", "1"], small());
    let printed = text(&output);
    assert!(printed.contains("21.0ns in 1 wait\n"), "{printed}");
    assert!(
        printed.ends_with("\n and 1 more: --most 0 prints all\n"),
        "{printed}"
    );
    let output = feed(&["profile", "cpu"], small());
    assert!(text(&output).contains("CPU profile, 20.0ms in 2 samples\n"));
    let output = feed(&["profile", "net"], small());
    assert_eq!(
        text(&output),
        "standard input: network profile, - in 0 waits\n"
    );
}

#[test]
fn stacks_are_folded_for_flame_graphs() {
    let folded = |arguments: &[&str]| {
        let output = feed(&[&["profile", "--folded"], arguments].concat(), small());
        check_code(&output, 0);
        text(&output)
    };
    let lock = "app::serve;app:\\u{1b}[31mlock";
    assert_eq!(folded(&["sync"]), format!("app::serve 51\n{lock} 21\n"));
    // Samples are counted.
    assert_eq!(folded(&["cpu"]), format!("app::serve 1\n{lock} 1\n"));
    let off_cpu = format!(
        "app::serve;[chan receive] 51\napp::serve;[runnable] 32\n{lock};[sync] 21\n{lock};[runnable] 11\n"
    );
    assert_eq!(folded(&["offcpu"]), off_cpu);
    assert_eq!(
        folded(&["sync", "--task", "task:1"]),
        format!("{lock} 21\n")
    );
    assert_eq!(folded(&["sync", "--group", "nobody"]), "");
    assert_eq!(
        folded(&["sync", "--from", "30ns", "--to", "40ns"]),
        format!("{lock} 10\n")
    );
    // No stack is told for who let them run first.
    assert_eq!(folded(&["sched"]), "[no stack] 32\napp::serve 11\n");
}

/// Tools for flame graphs take a line for a stack and, behind the last blank, a number; each `;` ends a frame.
#[test]
fn folded_stacks_have_the_frames_and_the_sum_of_the_json() {
    let file = shipped("recorded/exectrace/futures.trace.gz");
    for profile_type in ["offcpu", "sched", "sync"] {
        let folded = text(&run(&["profile", profile_type, "--folded"], &[&file]));
        let json = run(
            &["profile", profile_type, "--json", "--most", "0"],
            &[&file],
        );
        let json: Value = serde_json::from_str(&text(&json)).expect("is JSON");
        let stacks = json["stacks"].as_array().expect("has stacks");
        let frames_more = usize::from(profile_type == "offcpu");
        let mut sum = 0;
        assert_eq!(folded.lines().count(), stacks.len());
        for (line, stack) in folded.lines().zip(stacks) {
            let (names, number) = line.rsplit_once(' ').expect("has a number");
            let ns: i64 = number.parse().expect("is a number");
            assert_eq!(Some(ns), stack["ns"].as_i64(), "{line}");
            sum += ns;
            let frames = stack["stack"].as_array().map_or(0, Vec::len).max(1);
            assert_eq!(names.split(';').count(), frames + frames_more, "{line}");
            assert!(
                names.split(';').all(|name| !name.trim().is_empty()),
                "{line}"
            );
        }
        assert_eq!(Some(sum), json["ns"].as_i64());
    }
}

#[test]
fn json_has_functions_and_stacks() {
    let output = feed(&["profile", "offcpu", "--json", "--most", "1"], small());
    check_code(&output, 0);
    let line: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    let head = (&line["schema"], &line["version"], &line["type"]);
    assert_eq!(
        head,
        (&"exectrace.profile".into(), &1.into(), &"offcpu".into())
    );
    let sums = ["count", "ns", "open_count", "open_ns"].map(|key| &line[key]);
    assert_eq!(sums, [5, 115, 1, 51]);
    let totals = (&line["total"], &line["stacks_total"], &line["truncated"]);
    assert_eq!(totals, (&2.into(), &4.into(), &true.into()));
    let function = &line["functions"][0];
    assert_eq!(function["function"], "app::serve");
    assert_eq!(
        (&function["flat_ns"], &function["cumulative_ns"]),
        (&83.into(), &115.into())
    );
    let stack = &line["stacks"][0];
    assert_eq!(
        (&stack["waits_for"], &stack["open_ns"]),
        (&"chan receive".into(), &51.into())
    );
    let frame = &stack["stack"][0];
    assert_eq!((&frame["pc"], &frame["line"]), (&"0x10".into(), &5.into()));
}

#[test]
fn exit_codes_are_those_of_all_commands() {
    let whole = shipped("recorded/go1.19/deep.trace");
    let damaged = shipped("handmade/v2-type-137.trace");
    check_code(&run(&["profile", "cpu"], &[&whole]), 0);
    check_code(&run(&["profile", "cpu"], &[&damaged, &whole]), 3);
    check_code(&run(&["profile", "cpu", "--allow-partial"], &[&damaged]), 0);
    check_code(
        &run(
            &["profile", "cpu"],
            &[&shipped("handmade/v1-bad-magic.trace")],
        ),
        2,
    );
    check_code(&run(&["profile", "cpu"], &[]), 64);
    check_code(&run(&["profile", "block"], &[&whole]), 64);
    check_code(&run(&["profile", "sync", "--task", "seven"], &[&whole]), 64);
    check_code(
        &run(&["profile", "sync", "--json", "--folded"], &[&whole]),
        64,
    );
    check_code(&feed(&["profile", "cpu"], read(&whole)), 0);
    let scratch = Scratch::new("profile-exit-codes");
    let file = scratch.path().join("cpu.pb.gz").display().to_string();
    let output = run(&["profile", "cpu", "--pprof", &file], &[&whole, &whole]);
    check_code(&output, 64);
    assert!(error(&output).contains("the profile of one trace, not of 2"));
    let output = run(
        &["profile", "cpu", "--pprof", "/dev/null/nowhere"],
        &[&whole],
    );
    check_code(&output, 1);
    assert!(error(&output).contains("/dev/null/nowhere cannot be written"));
}

/// Traces of both formats, of Go and of Rust.
const TRACES: [&str; 4] = [
    "recorded/go1.19/deep.trace",
    "recorded/go1.25/coro.trace",
    "recorded/exectrace/futures.trace",
    "recorded/exectrace/threads.trace",
];

#[test]
fn go_tool_pprof_opens_what_is_written() {
    let toolchains = [Go::v1_19(), Go::v1_27()];
    let scratch = Scratch::new("profile-pprof");
    let mut opened = 0;
    for (trace, profile_type) in TRACES.iter().flat_map(|trace| TYPES.map(|it| (trace, it))) {
        let file = scratch.path().join("profile.pb.gz");
        let trace = Corpus::shipped().trace(trace).path().to_owned();
        let mut written = command(&["profile", profile_type, "--pprof"]);
        let written = written.arg(&file).arg(&trace).output().expect("runs");
        check_code(&written, 0);
        assert_eq!(text(&written), "");
        let printed = run(
            &["profile", profile_type, "--json", "--most", "0"],
            &[&trace],
        );
        let line: Value = serde_json::from_str(&text(&printed)).expect("is JSON");
        let expect = samples_of_json(&line);
        for go in toolchains.iter().flatten() {
            let samples = go.pprof_samples(&file).expect("opens");
            assert_eq!(
                by_names(&samples),
                expect,
                "{} {profile_type}",
                trace.display()
            );
            if !samples.is_empty() {
                let top = go.pprof_top(&file).expect("opens");
                let of = if profile_type == "cpu" {
                    "cpu"
                } else {
                    "delay"
                };
                assert_eq!(
                    (top.sample_type.as_str(), Some(top.total)),
                    (of, line["ns"].as_u64())
                );
                opened += 1;
            }
        }
    }
    if toolchains.iter().flatten().count() == 2 {
        assert!(opened > 20, "only {opened} profiles");
    }
}

/// A process hashes by numbers of its own, so that an order which hangs on that would differ.
#[test]
fn the_same_file_gives_the_same_bytes() {
    let trace = Corpus::shipped().trace(TRACES[2]).path().to_owned();
    for arguments in [
        &["profile", "offcpu", "--json", "--most", "0"][..],
        &["profile", "sched", "--folded"],
        &["profile", "cpu", "--most", "0"],
        &["blockers", "--json", "--most", "0"],
    ] {
        let printed = run(arguments, &[&trace]).stdout;
        assert!(!printed.is_empty());
        for _ in 0..3 {
            assert!(run(arguments, &[&trace]).stdout == printed, "{arguments:?}");
        }
    }
}

const TYPES: [&str; 6] = ["cpu", "offcpu", "sched", "net", "sync", "syscall"];

/// How often and how long, by the names, files and lines of a stack: frames may have other addresses in pprof's form.
type ByNames = BTreeMap<Vec<String>, (i64, i64)>;

fn by_names(samples: &[PprofSample]) -> ByNames {
    let mut by_names = ByNames::new();
    for sample in samples {
        let names = sample.stack.iter().map(|frame| {
            let (_, name) = frame.split_once(' ').expect("an address and more");
            name.to_owned()
        });
        let (count, ns) = by_names.entry(names.collect()).or_default();
        *count += sample.values[0];
        *ns += sample.values[1];
    }
    by_names
}

fn samples_of_json(line: &Value) -> ByNames {
    let mut by_names = ByNames::new();
    for stack in line["stacks"].as_array().expect("an array") {
        let frames = stack["stack"].as_array().expect("an array").iter();
        let names = frames.map(|frame| {
            let text = |key: &str| frame[key].as_str().expect("a text");
            format!("{} {}:{}", text("function"), text("file"), frame["line"])
        });
        let mut names: Vec<String> = names.collect();
        if names.is_empty() {
            names.push(String::from("[no stack] :0"));
        }
        let (count, ns) = by_names.entry(names).or_default();
        *count += stack["count"].as_i64().expect("a number");
        *ns += stack["ns"].as_i64().expect("a number");
    }
    by_names
}
