//! The levels on traces that Go itself recorded, where the corpus is at hand.

use std::collections::BTreeMap;
use std::fs;

use exectrace_testkit::{Go, Scratch, V1Dump, V2Dump, accepts, corpus_file, opens};

/// The workloads recorded with Go 1.19 in the corpus.
const WORKLOADS: [&str; 12] = [
    "annot", "cpu", "deep", "empty", "gc", "gens", "http", "manyg", "mixed", "procs", "sync",
    "sysnet",
];

#[test]
fn events_are_counted_as_by_go_s_own_parser() {
    let scratch = Scratch::new("counts");
    let (Some(table), Some(go)) = (corpus_file("EXPECTED.tsv", &scratch), Go::v1_19()) else {
        return;
    };
    let table = fs::read_to_string(table).expect("the table is text");
    let mut checked = 0;
    for row in table.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        if !columns[0].starts_with("recorded/go1.19/") {
            continue;
        }
        let expected: BTreeMap<String, u64> = columns[9]
            .split(',')
            .filter_map(|entry| entry.split_once('='))
            .map(|(name, count)| (name.to_owned(), count.parse().expect("a count is a number")))
            .collect();
        let trace = corpus_file(columns[0], &scratch).expect("the corpus is there");
        let text = go.listing(&trace).expect("the trace is good");
        let dump = V1Dump::parse(&text).expect("the listing is known");
        assert_eq!(dump.counts(), expected, "{}", columns[0]);
        checked += 1;
    }
    assert_eq!(checked, WORKLOADS.len());
}

#[test]
fn recordings_are_accepted_by_both() {
    let scratch = Scratch::new("recorded");
    for workload in WORKLOADS {
        let name = format!("recorded/go1.19/{workload}.trace");
        let Some(trace) = corpus_file(&name, &scratch) else {
            return;
        };
        let accepted = accepts(&trace);
        if let (Some(v1), Some(v2)) = (accepted.v1, accepted.v2) {
            assert_eq!(
                v1.counts().get("UserLog"),
                v2.counts().get("Log"),
                "{workload}"
            );
        }
    }
}

#[test]
fn recordings_open() {
    let scratch = Scratch::new("open");
    for workload in ["annot", "empty"] {
        let name = format!("recorded/go1.19/{workload}.trace");
        if let Some(trace) = corpus_file(&name, &scratch) {
            opens(&trace);
        }
    }
}

#[test]
fn newer_recordings_are_read_by_1_27_alone() {
    let scratch = Scratch::new("newer");
    for workload in ["annot", "cpu", "mixed", "sysnet"] {
        let name = format!("recorded/go1.25/{workload}.trace");
        let (Some(trace), Some(old), Some(new)) =
            (corpus_file(&name, &scratch), Go::v1_19(), Go::v1_27())
        else {
            return;
        };
        assert!(old.listing(&trace).is_err(), "{workload}");
        let text = new.listing(&trace).expect("the trace is good");
        let dump = V2Dump::parse(&text).expect("the listing is known");
        assert!(
            dump.lines.iter().any(|line| !line.stack.is_empty()),
            "{workload}"
        );
    }
}

#[test]
fn broken_rules_are_refused_by_both() {
    let scratch = Scratch::new("refused");
    for rule in [
        "create-existing",
        "cut-in-event",
        "cut-in-string",
        "g0-blocks",
        "header-only",
    ] {
        let Some(trace) = corpus_file(&format!("handmade/v1-{rule}.trace"), &scratch) else {
            return;
        };
        for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
            assert!(go.listing(&trace).is_err(), "{rule} by {}", go.version());
        }
    }
}
