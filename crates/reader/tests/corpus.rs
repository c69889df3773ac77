//! Every trace of the corpora against what Go's own readers find in it.

use std::collections::BTreeMap;

use exectrace_format::Format;
use exectrace_reader::{Survey, Verdict};
use exectrace_testkit::Corpus;

/// What is found in a trace, by the names of the table's columns; the fault as `error`.
type Row = BTreeMap<String, String>;

/// The columns as our own reader fills them.
fn found(file: &[u8]) -> Row {
    let survey = Survey::of(file).as_in_go();
    let (inventory, counted) = (&survey.inventory, survey.inventory.counted());
    let counts: Vec<String> = survey
        .event_counts
        .iter()
        .map(|(kind, count)| format!("{kind}={count}"))
        .collect();
    let counts = if counts.is_empty() {
        String::from("-")
    } else {
        counts.join(",")
    };
    let (first, last) = inventory.span().unwrap_or_default();
    let mut row = Row::from([
        ("verdict".into(), survey.verdict.name().into()),
        (
            "error".into(),
            survey
                .fault
                .map_or(String::new(), |fault| fault.to_string()),
        ),
        ("event_counts".into(), counts),
    ]);
    if survey.format() == Some(Format::V2) {
        row.insert("threads".into(), inventory.threads().to_string());
        row.insert("syncs".into(), counted.syncs.to_string());
    }
    if survey.verdict == Verdict::Accepted {
        let contents = survey.contents;
        row.insert("strings".into(), contents.strings.to_string());
        row.insert("stacks".into(), contents.stacks.to_string());
        if let Some(generations) = contents.generations {
            row.insert("generations".into(), generations.to_string());
        }
    }
    for (column, value) in [
        ("events", counted.events as i64),
        ("g_seen", inventory.tasks_seen() as i64),
        ("g_created", inventory.tasks_created() as i64),
        ("procs", inventory.workers() as i64),
        ("gomaxprocs_max", inventory.workers_max() as i64),
        ("start_ns", first.0),
        ("end_ns", last.0),
        ("tasks_begun", counted.user_tasks_begun as i64),
        ("tasks_ended", counted.user_tasks_ended as i64),
        ("regions_begun", counted.user_regions_begun as i64),
        ("regions_ended", counted.user_regions_ended as i64),
        ("logs", counted.user_logs as i64),
        ("cpu_samples", counted.samples as i64),
    ] {
        row.insert(column.into(), value.to_string());
    }
    row
}

#[test]
fn the_shipped_traces_read_as_in_go() {
    check_corpus(&Corpus::shipped(), 80);
}

#[test]
fn the_large_corpus_reads_as_in_go() {
    if let Some(corpus) = Corpus::large() {
        check_corpus(&corpus, 350);
    }
}

#[track_caller]
fn check_corpus(corpus: &Corpus, files_min: usize) {
    let traces = corpus.traces();
    assert!(traces.len() >= files_min, "only {} files", traces.len());
    let mut faults = Vec::new();
    for trace in traces {
        let ours = found(&trace.bytes());
        for (column, wanted) in trace.columns() {
            if let Some(value) = ours.get(column)
                && wanted != value
                && wanted != "-"
                && trace.difference(column).is_none()
            {
                faults.push(format!(
                    "{}: {column}: {value}, Go says {wanted}; {} / {}",
                    trace.file(),
                    ours["error"],
                    trace.column("reason")
                ));
            }
        }
    }
    expect_none(&faults);
}

#[test]
fn damaged_files_are_judged_as_in_go() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let mut faults = Vec::new();
    let mut files = BTreeMap::new();
    for mutation in corpus.mutations() {
        let whole = files
            .entry(mutation.file.clone())
            .or_insert_with(|| corpus.trace(&mutation.file).bytes());
        let ours = found(&mutation.applied_to(whole.clone()));
        let ours = ["verdict", "events", "error"].map(|column| ours[column].as_str());
        if ours[..2] != [&mutation.verdict, &mutation.events] {
            faults.push(format!("{ours:?}: {mutation:?}"));
        }
    }
    expect_none(&faults);
}

#[track_caller]
fn expect_none(faults: &[String]) {
    let number = faults.len();
    assert_eq!(number, 0, "faults:\n{}", faults.join("\n"));
}
