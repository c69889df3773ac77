//! Go's words in traces of Go, and Rust's in those of exectrace: in all that is printed for people.

mod support;

use support::{check_code, feed, read, run, shipped, text};

/// What is printed of a trace, by all commands that analyse.
fn printed(file: &str) -> String {
    let file = shipped(file);
    let commands: [&[&str]; 13] = [
        &["summary"],
        &["findings"],
        &["tasks"],
        &["tasks", "task:1"],
        &["blockers"],
        &["profile", "offcpu"],
        &["profile", "sched"],
        &["latency", "--names"],
        &["workers"],
        &["gc"],
        &["why", "task:1"],
        &["check", "--fail-on", "high", "--max", "stw < 1h"],
        &["diff"],
    ];
    let mut printed = String::new();
    for command in commands {
        let output = match command[0] {
            "diff" => run(command, &[&file, &file]),
            _ => feed(command, read(&file)),
        };
        // What is found there breaks the check of one.
        let code = output.status.code().expect("ends");
        check_code(&output, if command[0] == "check" { code } else { 0 });
        printed += &text(&output);
    }
    printed
}

/// The words that a command says by itself: not those of ids (`task:7`), of user tasks, and of names in code.
fn words(printed: &str) -> Vec<&str> {
    let lines = printed.lines();
    let all = lines.flat_map(str::split_whitespace).map(|word| {
        word.trim_matches(|char: char| ",()'".contains(char))
            .trim_end_matches("'s")
    });
    let all: Vec<&str> = all.collect();
    let pairs = all.windows(2);
    let own = pairs.filter(|pair| pair[0] != "user").map(|pair| pair[1]);
    own.map(|word| word.trim_end_matches([':', '.', ';']))
        .collect()
}

#[track_caller]
fn check(file: &str, expected: &[&str], unexpected: &[&str]) {
    let printed = printed(file);
    let words = words(&printed);
    for word in expected {
        assert!(words.contains(word), "{file}: no {word}: {printed}");
    }
    for word in unexpected {
        assert!(!words.contains(word), "{file}: {word}: {printed}");
    }
}

#[test]
fn go_has_goroutines_and_procs() {
    for file in [
        "recorded/go1.19/ordinary.trace.gz",
        "recorded/go1.27/ordinary.trace.gz",
    ] {
        check(
            file,
            &["goroutine", "goroutines", "proc", "procs"],
            &["task", "tasks", "worker", "workers"],
        );
    }
}

#[test]
fn rust_has_tasks_and_workers() {
    check(
        "recorded/exectrace/futures.trace.gz",
        &["task", "tasks", "worker", "workers"],
        &["goroutine", "goroutines", "proc", "procs"],
    );
}
