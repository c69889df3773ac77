//! When something was: counted from the first event by all that is printed, so that one answer leads to the next question.

mod support;

use std::collections::BTreeSet;

use exectrace_json::{Report, TraceFile};
use exectrace_reader::{Mode, Source, UnpackLimit};
use serde_json::Value;

use support::{check_code, error, feed, read, run, shipped, text};

/// The keys of moments; all other times are durations.
const MOMENTS: [&str; 5] = ["begin_ns", "end_ns", "from_ns", "to_ns", "time_ns"];

/// What has some of these keys for durations.
const OF_DURATIONS: &str = "histogram";

/// Recordings of a machine that had run for hours, and what is asked of all of them.
const FILES: [&str; 4] = ["ordinary", "start_in_gc", "left_open", "ended_twice"];
const COMMANDS: &[&[&str]] = &[
    &["blockers"],
    &["findings"],
    &["gc"],
    &["info"],
    &["latency", "--names"],
    &["latency", "ordinary"],
    &["latency", "unfinished"],
    &["profile", "offcpu"],
    &["summary"],
    &["tasks", "--group", "main.main"],
    &["tasks", "task:1"],
    &["why", "task:1"],
    &["why", "user:1"],
    &["workers"],
];

/// A file, unpacked.
fn file(name: &str) -> Vec<u8> {
    let mut path = shipped(&format!("recorded/go1.27/{name}.trace"));
    if !path.exists() {
        path.set_extension("trace.gz");
    }
    let source = Source::from_bytes(read(&path), UnpackLimit::default()).expect("can be read");
    source.bytes().to_vec()
}

/// All files, and one that lacks something.
fn files() -> Vec<Vec<u8>> {
    let mut files = FILES.map(file).to_vec();
    let mut cut = file("generations");
    cut.truncate(cut.len() * 56 / 100);
    files.push(cut);
    files
}

/// What a command prints of a trace, and what it says on standard error.
fn told(arguments: &[&str], file: &[u8]) -> String {
    let output = feed(&[arguments, &["--allow-partial"]].concat(), file.to_vec());
    text(&output) + &error(&output)
}

/// The object that a command prints; null if it has nothing to tell of.
fn object(arguments: &[&str], file: &[u8]) -> Value {
    let arguments = [arguments, &["--json", "--allow-partial"]].concat();
    let printed = text(&feed(&arguments, file.to_vec()));
    match printed.as_str() {
        "" => Value::Null,
        line => serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")),
    }
}

/// The moments of an object, with their places in it.
fn moments(value: &Value, place: &str, told: &mut Vec<(String, i64)>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter().filter(|(key, _)| *key != OF_DURATIONS) {
                let place = format!("{place}.{key}");
                match value.as_i64() {
                    Some(ns) if MOMENTS.contains(&key.as_str()) => told.push((place, ns)),
                    _ => moments(value, &place, told),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| moments(value, place, told)),
        _ => {}
    }
}

/// The places of moments in the objects that a schema, or a part of it, tells of.
fn places(part: &Value, schema: &Value, place: &str, found: &mut BTreeSet<String>) {
    if let Some(pointer) = part["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
        let part = schema.pointer(pointer).expect("is there");
        places(part, schema, place, found);
    }
    let parts = ["anyOf", "allOf", "oneOf"].map(|key| part[key].as_array());
    for part in parts.into_iter().flatten().flatten() {
        places(part, schema, place, found);
    }
    if part["items"].is_object() {
        places(&part["items"], schema, place, found);
    }
    let properties = part["properties"].as_object().into_iter().flatten();
    for (key, part) in properties.filter(|(key, _)| *key != OF_DURATIONS) {
        let place = format!("{place}.{key}");
        if MOMENTS.contains(&key.as_str()) {
            found.insert(place);
        } else {
            places(part, schema, &place, found);
        }
    }
}

#[test]
fn every_moment_of_every_report_lies_in_the_span() {
    let mut seen = BTreeSet::new();
    for file in files() {
        let info = object(&["info"], &file);
        let [first_ns, span_ns] = ["first_event_ns", "end_ns"].map(|key| info[key].as_i64());
        let (first_ns, span_ns) = first_ns.zip(span_ns).expect("has events");
        assert!(first_ns > 1_000 * span_ns, "{first_ns} {span_ns}");
        for arguments in COMMANDS {
            let mut told = Vec::new();
            moments(&object(arguments, &file), arguments[0], &mut told);
            for (place, ns) in told {
                assert!((0..=span_ns).contains(&ns), "{place}: {ns} of {span_ns}");
                seen.insert(place);
            }
        }
    }
    let output = run(&["schema"], &[]);
    let schemas: Value = serde_json::from_str(&text(&output)).expect("is JSON");
    let mut known = BTreeSet::new();
    for (command, schema) in schemas.as_object().expect("is an object") {
        // Those of events are the trace's own, and what is told of two traces are findings of the one or the other.
        if !["events", "diff"].contains(&command.as_str()) {
            places(schema, schema, command, &mut known);
        }
    }
    assert!(known.len() > 20, "{known:?}");
    assert_eq!(seen, known);
}

/// A trace of format v2 whose clock is ahead by so much. All generations get a frequency whose units are whole nanoseconds, as
/// others are rounded.
fn later(file: &[u8], seconds: u64) -> Vec<u8> {
    const UNITS_PER_SECOND: u64 = 1_000_000_000;
    let changed = |field: &str| match field.split_once('=') {
        Some((name @ ("time" | "monotonic_ns"), number)) => {
            let number: u64 = number.parse().expect("is a number");
            format!("{name}={}", number + seconds * UNITS_PER_SECOND)
        }
        Some((name @ "units_per_second", _)) => format!("{name}={UNITS_PER_SECOND}"),
        _ => field.to_owned(),
    };
    let printed = exectrace_format::text::print(file).expect("is whole");
    let line = |line: &str| match line.split_once(' ') {
        Some(("EventBatch" | "CPUSample" | "ClockSnapshot" | "Frequency", _)) => {
            let fields: Vec<String> = line.split(' ').map(changed).collect();
            fields.join(" ")
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = printed.lines().map(line).collect();
    exectrace_format::text::parse(&lines.join("\n")).expect("is a trace")
}

#[test]
fn what_the_clock_of_a_trace_shows_is_told_by_no_report() {
    const AHEAD: u64 = 1_000_000;
    for name in ["ordinary", "ended_twice"] {
        let [file, later] = [0, AHEAD].map(|seconds| later(&file(name), seconds));
        for arguments in [&["events"][..], &["validate"]] {
            let told = [&file, &later].map(|file| told(arguments, file));
            assert_eq!(told[0], told[1], "{name} {arguments:?}");
        }
        // The size of the file is another.
        for arguments in COMMANDS.iter().filter(|it| it[0] != "info") {
            let [of_file, of_later] = [&file, &later].map(|file| {
                let object = object(arguments, file);
                (told(arguments, file), object)
            });
            assert_eq!(of_file, of_later, "{name} {arguments:?}");
        }
        let first = [&file, &later].map(|file| object(&["info"], file)["first_event_ns"].as_u64());
        let [first, first_later] = first.map(|ns| ns.expect("has events"));
        assert_eq!(first_later - first, AHEAD * 1_000_000_000);
    }
}

fn ns(value: &Value) -> String {
    format!("{}ns", value.as_i64().expect("is a moment"))
}

/// What a command tells of the time between two moments.
fn asked_between(arguments: &[&str], from: &Value, to: &Value, file: &[u8]) -> Value {
    let (from, to) = (ns(from), ns(to));
    object(&[arguments, &["--from", &from, "--to", &to]].concat(), file)
}

#[test]
fn a_moment_of_one_report_is_found_by_another() {
    let file = file("ordinary");
    // A finding's evidence is what the task did then.
    let evidence = &object(&["findings"], &file)["findings"][0]["evidence"][0];
    let (task, from, to) = (&evidence["task"], &evidence["from_ns"], &evidence["to_ns"]);
    let task = task.as_str().expect("is a task");
    let states = &asked_between(&["tasks", task], from, to, &file)["lives"][0]["intervals"];
    assert_eq!(
        (&states[0]["state"], &states[0]["begin_ns"]),
        (&"blocked".into(), from)
    );
    // What a task waited for is what held it up at that time.
    let chain = &object(&["why", task, "--at", &ns(from)], &file)["chain"];
    assert_eq!(
        (&chain[0]["task"], &chain[0]["begin_ns"]),
        (&task.into(), from)
    );
    assert_eq!(chain[0]["end_ns"], states[0]["end_ns"]);
    // The longest request lasts from its begin on, and a stop of the world is the only one meanwhile.
    let request = &object(&["summary"], &file)["longest"][0];
    let id = request["id"].as_str().expect("is one");
    let why = object(&["why", id, "--at", &ns(&request["begin_ns"])], &file);
    assert_eq!(
        [&why["begin_ns"], &why["duration_ns"]],
        [&request["begin_ns"], &request["ns"]]
    );
    let stop = &object(&["gc"], &file)["stops"][0];
    let (begin, end) = (&stop["begin_ns"], &stop["end_ns"]);
    let same = asked_between(&["gc"], begin, end, &file);
    let found = ["begin_ns", "end_ns", "task"].map(|key| &same["stops"][0][key]);
    assert_eq!(found, [begin, end, &stop["task"]]);
    assert_eq!(same["stops_total"], 1);
}

#[test]
fn reports_by_name_take_moments_as_they_tell_them() {
    let bytes = file("ordinary");
    let trace = TraceFile {
        name: "some.trace",
        arguments: "some.trace",
        bytes: &bytes,
        mode: Mode::Tolerant,
        fault: None,
        older: None,
    };
    let ask = |report: &str, options: &[(&str, &str)]| -> Value {
        let report = Report::named(report).expect("is one");
        let json = report.run(options.iter().copied(), &trace).expect("knows");
        serde_json::from_slice(&json).expect("is JSON")
    };
    let longest = &ask("blockers", &[])["blockers"][0]["longest"];
    let (task, at) = (&longest["task"], longest["begin_ns"].to_string());
    let task = task.as_str().expect("is a task");
    let chain = &ask("why", &[("id", task), ("at", &at)])["chain"][0];
    assert_eq!(chain["begin_ns"], longest["begin_ns"]);
    let wait = &ask("tasks", &[("task", task), ("from", &at), ("most", "1")])["lives"][0];
    assert_eq!(wait["intervals"][0]["end_ns"], chain["end_ns"]);
}

#[test]
fn moments_in_texts_are_those_of_events() {
    let file = file("ended_twice");
    let printed = told(&["latency", "--names"], &file);
    let stray = printed.lines().last().expect("is told");
    let at = stray.rsplit(' ').next().expect("has a time");
    let at = at.strip_suffix('s').expect("is in seconds");
    let events = told(&["events", "--from", at], &file);
    let found = events.lines().nth(1).expect("has an event");
    assert!(found.starts_with(&format!("{at} UserRegion")), "{found}");
    assert!(found.contains("name=\"twice\""), "{found}");
    // The head tells what the times of events as JSON count from.
    let output = feed(&["events", "--json", "--from", at], file);
    check_code(&output, 0);
    let printed = text(&output);
    let mut lines = printed.lines().map(|line| -> Value {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    });
    let (head, event) = lines.next().zip(lines.next()).expect("are two");
    let [first, time] = [&head["first_event_ns"], &event["time_ns"]].map(Value::as_i64);
    let since_ns = time.zip(first).map(|(time, first)| time - first);
    let since_ns = since_ns.expect("are numbers");
    assert_eq!(format!("0.{since_ns:09}"), at);
}
