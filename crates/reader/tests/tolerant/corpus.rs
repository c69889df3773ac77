//! The corpora, read in both ways.

use std::collections::BTreeMap;

use exectrace_testkit::Corpus;

use crate::judge::{Judgement, judge};

/// A file of a corpus.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether Go's readers take it.
    pub(crate) is_accepted: bool,
}

/// The files of both corpora; many are in both.
pub(crate) fn files() -> Vec<File> {
    let traces = Corpus::all().flat_map(|corpus| corpus.traces());
    let by_name: BTreeMap<_, _> = traces
        .map(|trace| (trace.file().to_owned(), trace))
        .collect();
    let file = |(name, trace): (String, exectrace_testkit::CorpusTrace)| File {
        name,
        bytes: trace.bytes(),
        is_accepted: trace.verdict() == "accepted",
    };
    by_name.into_iter().map(file).collect()
}

#[test]
fn whole_files_are_read_as_strictly_and_others_to_their_end() {
    let mut faults = Vec::new();
    for file in files() {
        match judge(&file.bytes) {
            Ok(Judgement::Whole) => {}
            Ok(_) if !file.is_accepted => {}
            other => faults.push(format!("{}: {other:?}", file.name)),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn damaged_copies_are_read_to_their_end() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let mut files = BTreeMap::new();
    let mut faults = Vec::new();
    let mutations = corpus.mutations();
    for mutation in &mutations {
        let whole = files
            .entry(&mutation.file)
            .or_insert_with(|| corpus.trace(&mutation.file).bytes());
        if let Err(fault) = judge(&mutation.applied_to(whole.clone())) {
            faults.push(format!("{fault}: {mutation:?}"));
        }
    }
    assert!(mutations.len() > 500, "only {} copies", mutations.len());
    let number = faults.len();
    assert_eq!(number, 0, "faults:\n{}", faults.join("\n"));
}
