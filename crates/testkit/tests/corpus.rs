//! The levels on traces that Go itself recorded, where the corpus is at hand.

use exectrace_testkit::{Corpus, Go, Scratch, V1Dump, V2Dump, accepts, opens};

/// The workloads recorded with Go 1.19 in the corpus.
const WORKLOADS: [&str; 12] = [
    "annot", "cpu", "deep", "empty", "gc", "gens", "http", "manyg", "mixed", "procs", "sync",
    "sysnet",
];

#[test]
fn events_are_counted_as_by_go_s_own_parser() {
    let scratch = Scratch::new("counts");
    let (Some(corpus), Some(go)) = (Corpus::large(), Go::v1_19()) else {
        return;
    };
    let mut checked = 0;
    for trace in corpus.traces() {
        if !trace.file().starts_with("recorded/go1.19/") {
            continue;
        }
        let text = go
            .listing(&trace.unpacked(&scratch))
            .expect("the trace is good");
        let dump = V1Dump::parse(&text).expect("the listing is known");
        let wanted = trace.counts("event_counts").expect("the trace is good");
        assert_eq!(dump.counts(), wanted, "{}", trace.file());
        checked += 1;
    }
    assert_eq!(checked, WORKLOADS.len());
}

#[test]
fn recordings_are_accepted_by_both() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let scratch = Scratch::new("recorded");
    for workload in WORKLOADS {
        let name = format!("recorded/go1.19/{workload}.trace");
        let accepted = accepts(&corpus.trace(&name).unpacked(&scratch));
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
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let scratch = Scratch::new("open");
    for workload in ["annot", "empty"] {
        let name = format!("recorded/go1.19/{workload}.trace");
        opens(&corpus.trace(&name).unpacked(&scratch));
    }
}

#[test]
fn newer_recordings_are_read_by_1_27_alone() {
    let (Some(corpus), Some(old), Some(new)) = (Corpus::large(), Go::v1_19(), Go::v1_27()) else {
        return;
    };
    let scratch = Scratch::new("newer");
    for workload in ["annot", "cpu", "mixed", "sysnet"] {
        let name = format!("recorded/go1.25/{workload}.trace");
        let trace = corpus.trace(&name).unpacked(&scratch);
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
    let Some(corpus) = Corpus::large() else {
        return;
    };
    for rule in [
        "create-existing",
        "cut-in-event",
        "cut-in-string",
        "g0-blocks",
        "header-only",
    ] {
        let trace = corpus.trace(&format!("handmade/v1-{rule}.trace"));
        for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
            assert!(
                go.listing(trace.path()).is_err(),
                "{rule} by {}",
                go.version()
            );
        }
    }
}
