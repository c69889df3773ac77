//! `exectrace schema`: what it prints holds for what the commands print as JSON.

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

use boon::{Compiler, SchemaIndex, Schemas};
use exectrace_testkit::Corpus;
use serde_json::{Map, Value, json};

use support::{check_code, error, feed, read, run, shipped, text};

/// Larger files tell no more kinds of lines.
const FILE_BYTES_MAX: usize = 1 << 12;

/// Commands whose JSON is judged: all that have a schema, each in the ways in which it prints something else.
const COMMANDS: &[&[&str]] = &[
    &["blockers"],
    &["check", "--max", "stw < 1h", "--max", "count(none) < 1"],
    &[
        "check",
        "--baseline",
        "../../corpus/recorded/go1.27/ordinary.trace.gz",
    ],
    &["diff"],
    &["diff", "--most", "1"],
    &["diff", "--min-change", "0"],
    &["events", "--stacks"],
    &["findings", "--most", "0"],
    &["gc"],
    &["summary", "--most", "0"],
    &["info"],
    &["info", "--strict"],
    &["profile", "cpu"],
    &["profile", "offcpu", "--most", "2"],
    &["latency", "--names"],
    &["latency", "request"],
    &["latency", "outer"],
    &["tasks", "--most", "0"],
    &["tasks", "--group", "main.main"],
    &["tasks", "--group", ""],
    &["tasks", "task:1"],
    &["why", "task:1"],
    &["why", "user:1"],
    &["workers"],
];

/// What a schema has found.
struct Judge {
    schemas: Schemas,
    schema: SchemaIndex,
    /// How many lines it has judged.
    lines: usize,
    faults: Vec<String>,
}

impl Judge {
    /// One that also refuses keys which the schema does not tell of: newer versions may have such, this one may not.
    fn new(mut schema: Value) -> Self {
        close(&mut schema);
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler
            .add_resource("schema.json", schema)
            .expect("has a name of its own");
        let schema = compiler
            .compile("schema.json", &mut schemas)
            .unwrap_or_else(|error| panic!("is a schema: {error:#}"));
        Self {
            schemas,
            schema,
            lines: 0,
            faults: Vec::new(),
        }
    }

    fn line(&mut self, line: &Value) {
        self.lines += 1;
        if let Err(error) = self.schemas.validate(line, self.schema) {
            self.faults.push(format!("{line}\n  {error:#}"));
        }
    }
}

/// Lets no object have keys that its schema does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

fn schemas() -> Map<String, Value> {
    let output = run(&["schema"], &[]);
    check_code(&output, 0);
    match serde_json::from_str(&text(&output)).expect("is JSON") {
        Value::Object(schemas) => schemas,
        other => panic!("is no object: {other}"),
    }
}

/// The small files of the corpora.
fn files() -> Vec<PathBuf> {
    let traces = Corpus::all().flat_map(|corpus| corpus.traces());
    let small = traces.filter(|trace| trace.bytes().len() <= FILE_BYTES_MAX);
    small.map(|trace| trace.path().to_owned()).collect()
}

fn lines(output: &Output) -> Vec<Value> {
    let line = |line| serde_json::from_str(line).expect("is JSON");
    assert!(!error(output).contains("panicked"), "{}", error(output));
    text(output).lines().map(line).collect()
}

#[test]
fn all_that_is_printed_is_as_the_schemas_say() {
    let files = files();
    assert!(files.len() > 50, "only {} files", files.len());
    let schemas = schemas();
    for (command, schema) in &schemas {
        let mut judge = Judge::new(schema.clone());
        for arguments in COMMANDS.iter().filter(|it| it[0] == command) {
            // Events of several traces are put in order, which needs clocks that most lack.
            let at_once = match command.as_str() {
                "events" => 1,
                "diff" => 2,
                _ => files.len(),
            };
            for files in files.chunks(at_once) {
                let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
                let output = run(&[*arguments, &["--json"]].concat(), &files);
                lines(&output).iter().for_each(|line| judge.line(line));
            }
        }
        let lines = judge.lines;
        assert!(lines > 50, "only {lines} lines of {command}");
        let faults = judge.faults;
        assert!(faults.is_empty(), "{command}:\n{}", faults.join("\n"));
    }
}

#[test]
fn a_schema_refuses_what_is_not_printed() {
    let file = read(&shipped("handmade/v1-annotations.trace"));
    let check = |arguments: &[&str], key: &str, value: Option<Value>| {
        let mut judge = Judge::new(schemas()[arguments[0]].clone());
        let output = feed(&[arguments, &["--json"]].concat(), file.clone());
        let mut line = lines(&output).pop().expect("prints a line");
        judge.line(&line);
        assert_eq!(judge.faults, [""; 0]);
        let object = line.as_object_mut().expect("is an object");
        match value {
            Some(value) => object.insert(key.to_owned(), value),
            None => object.remove(key),
        };
        judge.line(&line);
        assert_eq!(judge.faults.len(), 1, "{line}");
    };
    check(&["tasks"], "schema", Some(json!("exectrace.jobs")));
    check(&["tasks"], "version", Some(json!(2)));
    check(&["tasks"], "total", None);
    check(
        &["tasks"],
        "groups",
        Some(json!([{"function": "main.main"}])),
    );
    check(&["blockers"], "ns", Some(json!(1.5)));
    check(&["profile", "sync"], "type", Some(json!("block")));
    check(&["info"], "verdict", Some(json!("fine")));
    check(&["info"], "events", Some(json!("many")));
    check(&["info"], "more", Some(json!(1)));
    check(&["why", "task:1"], "chain_end", Some(json!("never")));
    check(&["events"], "time_ns", None);
    check(&["events"], "kind", Some(json!("GoBlock")));
}

#[test]
fn one_schema_is_printed_when_one_command_is_named() {
    for (command, schema) in schemas() {
        let output = run(&["schema", &command], &[]);
        check_code(&output, 0);
        let alone: Value = serde_json::from_str(&text(&output)).expect("is JSON");
        assert_eq!(alone, schema);
        assert_eq!(
            alone["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        assert_eq!(
            alone["title"],
            format!("a line of exectrace {command} --json")
        );
    }
    check_code(&run(&["schema", "demo"], &[]), 64);
}
