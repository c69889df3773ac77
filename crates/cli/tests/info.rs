//! `exectrace info`, end to end.

mod packed;
mod support;

use std::path::Path;

use exectrace_testkit::{Corpus, CorpusTrace, Scratch};
use serde_json::Value;

use packed::{gzip, packed_by_zstd};
use support::{check_code, error, feed, read, run, shipped, text};

/// Columns that Go's readers tell only of what they accept, or tell of more than they read.
const OF_ACCEPTED: [&str; 3] = ["strings", "stacks", "generations"];

/// Columns that are not about the trace, or say in other words what is wrong with it.
const NOT_COMPARED: [&str; 5] = ["file", "reason", "wire_records", "wire_counts", "oracle"];

fn json_lines(printed: &str) -> Vec<Value> {
    printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A value as the table writes it.
fn as_column(value: &Value) -> String {
    match value {
        Value::Null => String::from("-"),
        Value::String(text) => text.clone(),
        Value::Object(counts) if counts.is_empty() => String::from("-"),
        Value::Object(counts) => {
            let counts: Vec<String> = counts
                .iter()
                .map(|(kind, count)| format!("{kind}={count}"))
                .collect();
            counts.join(",")
        }
        other => other.to_string(),
    }
}

/// When the first event was, or the last, by the trace's own clock, as Go's tools tell it: 0 where there is none.
fn by_clock(line: &Value, column: &str) -> String {
    let [first, since] = ["first_event_ns", "end_ns"].map(|key| line[key].as_i64());
    match (first, since) {
        (Some(first), _) if column == "start_ns" => first.to_string(),
        (Some(first), Some(since)) => (first + since).to_string(),
        _ if line["events"] == 0 => String::from("0"),
        _ => String::from("-"),
    }
}

/// Where what we say of a file and what Go's readers say of it differ.
fn differences(trace: &CorpusTrace, line: &Value) -> Vec<String> {
    let is_accepted = trace.verdict() == "accepted";
    let has_known_header = trace.header().starts_with("1.");
    let compared = trace.columns().filter(|(column, _)| {
        !NOT_COMPARED.contains(column)
            && trace.difference(column).is_none()
            && (is_accepted || !OF_ACCEPTED.contains(column))
            // Go's reader of the older format takes all headers that it does not know for its own.
            && (has_known_header || !["format", "header"].contains(column))
    });
    compared
        .filter_map(|(column, wanted)| {
            let value = match column {
                "start_ns" | "end_ns" => Some(by_clock(line, column)),
                _ => line.get(column).map(as_column),
            };
            let is_same = value.as_deref() == Some(wanted);
            (!is_same).then(|| format!("{}: {column}: {value:?}, Go says {wanted}", trace.file()))
        })
        .collect()
}

#[track_caller]
fn check_corpus(corpus: &Corpus, files_min: usize) {
    let traces = corpus.traces();
    let files: Vec<&Path> = traces.iter().map(CorpusTrace::path).collect();
    let output = run(&["info", "--json", "--strict"], &files);
    check_code(&output, 2);
    let lines = json_lines(&text(&output));
    assert_eq!(lines.len(), traces.len(), "{}", error(&output));
    assert!(lines.len() >= files_min, "only {} files", lines.len());
    let faults: Vec<String> = traces
        .iter()
        .zip(&lines)
        .flat_map(|(trace, line)| differences(trace, line))
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn strict_verdicts_and_counts_of_the_shipped_files_are_gos() {
    check_corpus(&Corpus::shipped(), 80);
}

#[test]
fn strict_verdicts_and_counts_of_the_large_corpus_are_gos() {
    if let Some(corpus) = Corpus::large() {
        check_corpus(&corpus, 350);
    }
}

/// What is said of a trace, but for what it is called and how it is packed.
fn said(output: &std::process::Output, packing: &str) -> Value {
    check_code(output, 0);
    let mut line = json_lines(&text(output)).remove(0);
    assert_eq!(as_column(&line["packing"]), packing);
    let object = line.as_object_mut().expect("is an object");
    object.remove("file");
    object.remove("packing");
    line
}

#[test]
fn a_trace_is_the_same_however_it_is_packed_and_given() {
    let scratch = Scratch::new("info-packed");
    let plain = shipped("recorded/go1.19/deep.trace");
    let bytes = read(&plain);
    let gzipped = scratch.file("a-name-that-says-nothing", &gzip(&bytes));
    let expect = said(&run(&["info", "--json"], &[&plain]), "-");
    assert_eq!(expect["verdict"], "accepted");
    let by_file = |path: &Path| run(&["info", "--json"], &[path]);
    assert_eq!(said(&by_file(&gzipped), "gzip"), expect);
    assert_eq!(said(&by_file(&packed_by_zstd()), "zstd"), expect);
    let by_pipe = |bytes: Vec<u8>| feed(&["info", "--json"], bytes);
    assert_eq!(said(&by_pipe(bytes.clone()), "-"), expect);
    assert_eq!(said(&by_pipe(gzip(&bytes)), "gzip"), expect);
    assert_eq!(said(&by_pipe(read(&packed_by_zstd())), "zstd"), expect);
}

#[test]
fn of_a_packed_file_that_is_cut_the_begin_is_told() {
    // The last byte is not the trace's, but nobody knows that.
    let whole = gzip(&read(&shipped("recorded/go1.25/coro.trace")));
    let cut = || whole[..whole.len() - 1].to_vec();
    let output = feed(&["info", "--json"], cut());
    check_code(&output, 3);
    let line = json_lines(&text(&output)).remove(0);
    assert_eq!(line["verdict"], "partial");
    assert!(line["events"].as_u64() > Some(500), "{line}");
    let reason = line["reason"].as_str().expect("has a reason");
    assert!(reason.contains("ends too early"), "{reason}");
    check_code(&feed(&["info", "--json", "--allow-partial"], cut()), 0);
    let strict = feed(&["info", "--strict"], cut());
    check_code(&strict, 2);
    assert!(
        text(&strict).contains("verdict: refused: "),
        "{}",
        text(&strict)
    );
}

#[test]
fn more_than_may_be_unpacked_is_refused_with_the_flag_that_allows_it() {
    let packed = || gzip(&read(&shipped("handmade/v1-stack-1000-frames.trace")));
    let output = feed(&["info", "--unpack-limit", "7K"], packed());
    check_code(&output, 2);
    let told = error(&output);
    assert!(
        told.contains("7168 bytes") && told.contains("--unpack-limit"),
        "{told}"
    );
    check_code(&feed(&["info", "--unpack-limit", "8K"], packed()), 0);
    check_code(
        &feed(&["info", "--unpack-limit", "8 furlongs"], packed()),
        64,
    );
}

#[test]
fn exit_codes_tell_whole_partial_empty_and_unreadable() {
    for (name, code, verdict) in [
        ("recorded/go1.27/empty.trace", 0, "accepted"),
        (
            "handmade/v2-type-137.trace",
            3,
            "partial: generation 1, thread 50: ",
        ),
        ("handmade/v1-header-only.trace", 3, "empty: "),
        (
            "handmade/v2-header-only-1.26.trace",
            3,
            "empty: no generations",
        ),
        ("handmade/v1-empty-file.trace", 2, "refused: byte 0: "),
        ("handmade/v1-bad-magic.trace", 2, "refused: byte 0: "),
        (
            "handmade/v1-unknown-version-1.20.trace",
            3,
            "partial: byte 0: unsupported trace version 1.20; ",
        ),
        (
            "handmade/v1-cut-in-event.trace",
            3,
            "partial: the bytes end inside a record or batch, at byte 40; ",
        ),
    ] {
        let output = run(&["info"], &[&shipped(name)]);
        check_code(&output, code);
        let printed = text(&output);
        let last = printed.lines().last().expect("prints something");
        assert!(
            last.starts_with(&format!("  verdict: {verdict}")),
            "{name}: {last}"
        );
    }
}

#[test]
fn of_several_files_each_is_told_and_the_worst_counts() {
    let (whole, partial) = (
        shipped("recorded/go1.27/empty.trace"),
        shipped("handmade/v2-type-137.trace"),
    );
    check_code(&run(&["info"], &[&whole, &whole]), 0);
    check_code(&run(&["info"], &[&whole, &partial, &whole]), 3);
    let output = run(
        &["info", "--json"],
        &[&partial, Path::new("not-there"), &whole],
    );
    check_code(&output, 2);
    assert_eq!(json_lines(&text(&output)).len(), 2);
    let told = error(&output);
    assert!(told.contains("not-there cannot be opened: "), "{told}");
}

#[test]
fn what_is_printed_for_people() {
    let output = feed(&["info"], read(&shipped("handmade/v1-annotations.trace")));
    let expect = "\
standard input
  format         v1, go 1.19 trace
  size           140 bytes
  duration       9.000µs
  events         10
  goroutines     1, of them 1 created
  procs          1, at most 2
  threads        1
  stacks         1
  strings        5
  CPU samples    0
  user tasks     1 begun, 1 ended
  user regions   1 begun, 1 ended
  user logs      2
  lost           nothing
  repaired       nothing

  events by kind        count
  GoCreate                  1
  GoStart                   1
  Gomaxprocs                1
  ProcStart                 1
  UserLog                   2
  UserRegion                2
  UserTaskCreate            1
  UserTaskEnd               1

  records in the file        count          bytes
";
    let printed = text(&output);
    assert!(printed.starts_with(expect), "{printed}");
    assert!(printed.ends_with("\n\n  verdict: accepted\n"), "{printed}");
    let bytes = printed[expect.len()..].lines().filter_map(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [_, _, bytes] = columns[..] else {
            return None;
        };
        bytes.parse::<u64>().ok()
    });
    assert_eq!(bytes.sum::<u64>(), 140 - 16, "{printed}");
}

#[test]
fn what_a_recording_says_about_itself_is_told() {
    let file = "go 1.19 trace
        Batch worker=900001 ticks=1000
        String string=1 text=\"exectrace.writer\"
        UserLog dt=1 key=1 message=\"exectrace 9.9.9\"
        String string=2 text=\"exectrace.process\"
        UserLog dt=1 key=2 message=\"pid=17 args=serve\\x1b[1m --fast\"
        String string=3 text=\"exectrace.clock\"
        UserLog dt=1 key=3 message=\"ticks=1500 wall_ns=1000000000 frequency=1000 start_ticks=1000\"
        String string=4 text=\"exectrace.sampling\"
        UserLog dt=1 key=4 message=\"wished_hz=1000 effective_hz=250\"
        String string=5 text=\"exectrace.dropped\"
        UserLog dt=1 key=5 message=\"hooks=1 batches=2 nested=3 cpu_samples=4\"
        Frequency ticks_per_second=1000";
    let file = exectrace_format::text::parse(file).expect("is a trace");
    let printed = text(&feed(&["info"], file.clone()));
    for row in [
        "\n  writer         exectrace 9.9.9\n",
        "\n  program        serve\\u{1b}[1m --fast (process 17)\n",
        "\n  begin          1970-01-01T00:00:00.5Z\n",
        "\n  sample rate    250.0 Hz of 1000.0 wished\n",
        "\n  dropped        1 events of hooks, 3 of nested hooks, 2 batches, 4 CPU samples, 0 regions\n",
        "\n  tasks          0, of them 0 created\n",
    ] {
        assert!(printed.contains(row), "{row:?} in {printed}");
    }
    let output = feed(&["info", "--json"], file.clone());
    // What was dropped is lost.
    check_code(&output, 3);
    let line = json_lines(&text(&output)).remove(0);
    assert_eq!(line["dropped"]["hooks"], 1);
    assert_eq!(line["loss"]["dropped"], line["dropped"]);
    assert_eq!(line["verdict"], "partial");
    assert_eq!(line["process_id"], 17);
    check_code(&feed(&["info", "--json", "--strict"], file), 0);
}

#[test]
fn a_version_that_is_not_known_is_read_as_the_one_before() {
    let unknown = shipped("handmade/v2-unknown-version-1.27.trace");
    let output = run(&["info"], &[&unknown]);
    check_code(&output, 3);
    let printed = text(&output);
    let row = "\n  format         v2, go 1.27 trace, which is not known: read as 1.26\n";
    assert!(printed.contains(row), "{printed}");
    let output = run(&["info", "--strict"], &[&unknown]);
    check_code(&output, 2);
    let row = "\n  format         go 1.27 trace, which is not known\n";
    assert!(text(&output).contains(row), "{}", text(&output));
}

#[test]
fn loss_and_repairs_are_told_in_json() {
    let output = run(
        &["info", "--json"],
        &[&shipped("handmade/v1-cut-in-event.trace")],
    );
    check_code(&output, 3);
    let line = json_lines(&text(&output)).remove(0);
    let loss = &line["loss"];
    assert_eq!((&loss["bytes"], &loss["events"]), (&2.into(), &1.into()));
    assert_eq!(
        (&loss["is_exact"], &loss["places"]),
        (&false.into(), &1.into())
    );
    assert_eq!(loss["from_ns"], 3000);
    let gap = &loss["gaps"][0];
    assert_eq!((&gap["offset"], &gap["bytes"]), (&40.into(), &2.into()));
    assert_eq!(
        gap["reason"],
        "the bytes end inside a record or batch, at byte 40"
    );
    let repairs = &line["repairs"];
    assert_eq!(repairs["total"], 1);
    assert_eq!(
        repairs["kinds"]["name"]["first"],
        "byte 24: there is no stack 1"
    );
    let strict = run(
        &["info", "--json", "--strict"],
        &[&shipped("handmade/v1-cut-in-event.trace")],
    );
    let line = json_lines(&text(&strict)).remove(0);
    assert!(line["loss"].is_null() && line["repairs"].is_null());
}
