//! Decoding of real files, against the counts that Go's own readers find in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use exectrace_format::{Error, Format, Version, go_v1, go_v2, text};
use exectrace_testkit::{Corpus, CorpusTrace};

/// What Go's readers say when the fault is one of a single record or of the framing, and so ours
/// to find. What remains are faults of order, of tables or of the whole.
const WIRE_REASONS: &[&str] = &[
    // v1
    "failed to read",
    "not a trace file",
    "unsupported trace file version",
    "unknown event type",
    "has wrong number of arguments",
    "has bad number of frames",
    "has invalid id 0",
    "has invalid length 0",
    "has too large length",
    // v2
    "unknown or unsupported trace version",
    "error reading batch",
    "expected batch event",
    "expected frequency or clock snapshot event",
    "expected string event",
    "failed to read full batch",
    "found event without a timestamp",
    "found invalid event type",
    "found invalid uvarint",
    "bad event type found while ordering",
    "invalid batch size",
    "invalid generation number 0",
    "invalid stack size",
    "invalid string size",
];

#[test]
fn the_shipped_files_decode_as_in_go() {
    check_corpus(&Corpus::shipped(), 80);
}

#[test]
fn the_large_corpus_decodes_as_in_go() {
    if let Some(corpus) = Corpus::large() {
        check_corpus(&corpus, 350);
    }
}

/// Cut files and flipped bits: what Go takes we decode, and Go's wire faults are ours too.
#[test]
fn damaged_files_decode_as_in_go() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let mut faults = Vec::new();
    let mut files = BTreeMap::new();
    for mutation in corpus.mutations() {
        let whole = files
            .entry(mutation.file.clone())
            .or_insert_with(|| corpus.trace(&mutation.file).bytes());
        let file = mutation.applied_to(whole.clone());
        let mut found = Found::default();
        let fault = match (count(&file, &mut found), mutation.verdict.as_str()) {
            // Go forgives a log whose message is cut.
            (Ok(()) | Err(Error::MessageCut { .. }), "accepted") => continue,
            (Err(fault), "accepted") => format!("refused: {fault}"),
            (Ok(()), _) if is_wire_fault(&mutation.reason) => "not refused".to_owned(),
            _ => continue,
        };
        faults.push(format!("{fault}: {mutation:?}"));
    }
    expect_none(&faults);
}

#[track_caller]
fn check_corpus(corpus: &Corpus, files_min: usize) {
    let traces = corpus.traces();
    assert!(traces.len() >= files_min, "only {} files", traces.len());
    let faults: Vec<String> = traces
        .iter()
        .filter(|trace| trace.difference("wire_counts").is_none())
        .filter_map(|trace| {
            let fault = check(&trace.bytes(), trace).err()?;
            Some(format!("{}: {fault}", trace.file()))
        })
        .collect();
    expect_none(&faults);
}

#[track_caller]
fn expect_none(faults: &[String]) {
    let number = faults.len();
    assert_eq!(number, 0, "faults:\n{}", faults.join("\n"));
}

/// Whether the fault that Go tells is one of a record or of the framing.
fn is_wire_fault(reason: &str) -> bool {
    WIRE_REASONS.iter().any(|wire| reason.contains(wire))
}

/// What there is in a file.
#[derive(Default)]
struct Found {
    records: BTreeMap<String, u64>,
    strings: u64,
    stacks: u64,
}

fn check(file: &[u8], trace: &CorpusTrace) -> Result<(), String> {
    let mut found = Found::default();
    let reason = trace.column("reason");
    match count(file, &mut found) {
        Err(_) if is_wire_fault(reason) => return Ok(()),
        Err(fault) => return Err(format!("refused: {fault}, Go says {reason}")),
        Ok(()) if is_wire_fault(reason) => return Err(format!("not refused, Go says {reason}")),
        Ok(()) => check_text(file, trace)?,
    }
    // Of some files Go does not get as far as to count.
    let Some(counts) = trace.counts("wire_counts") else {
        return Ok(());
    };
    equal("wire_counts", &found.records, &counts)?;
    let records: u64 = found.records.values().sum();
    equal(
        "wire_records",
        records.to_string(),
        trace.column("wire_records"),
    )?;
    equal(
        "strings",
        found.strings.to_string(),
        trace.column("strings"),
    )?;
    if trace.verdict() == "accepted" {
        equal("stacks", found.stacks.to_string(), trace.column("stacks"))?;
    }
    Ok(())
}

/// The text form keeps all records; and of what Go 1.19 wrote all bytes (later ones pad numbers).
fn check_text(file: &[u8], trace: &CorpusTrace) -> Result<(), String> {
    const TEXT_FILE_BYTES_MAX: usize = 300_000;
    if file.len() > TEXT_FILE_BYTES_MAX {
        return Ok(());
    }
    let text = text::print(file).map_err(|fault| format!("not printed: {fault}"))?;
    let parsed = text::parse(&text).map_err(|fault| format!("not parsed: {fault}"))?;
    let exact = trace.file().contains("go1.19");
    if exact && parsed != file {
        return Err("the text gives other bytes".to_owned());
    }
    match text::print(&parsed) {
        Ok(again) if again == text => Ok(()),
        _ => Err("the text gives other records".to_owned()),
    }
}

fn equal<T: PartialEq<U> + Debug, U: Debug>(what: &str, found: T, want: U) -> Result<(), String> {
    if found == want {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, want {want:?}"))
    }
}

fn count(file: &[u8], found: &mut Found) -> Result<(), Error> {
    match Version::of(file)?.format() {
        Format::V1 => count_v1(file, found),
        Format::V2 => count_v2(file, found),
    }
}

/// Counts as Go's v1 parsers do: strings apart, stacks by their ids.
fn count_v1(file: &[u8], found: &mut Found) -> Result<(), Error> {
    let records = go_v1::Records::of_file(file)?;
    let version = records.version();
    let mut stacks = BTreeSet::new();
    for record in records {
        let record = record?;
        match record.event_type {
            go_v1::EventType::String => {
                found.strings += 1;
                continue;
            }
            go_v1::EventType::Stack
                if record.args[0] != 0 && record.frames(version).next().is_some() =>
            {
                stacks.insert(record.args[0]);
            }
            _ => {}
        }
        *found
            .records
            .entry(record.event_type.spec().name_in(version).to_owned())
            .or_default() += 1;
    }
    found.stacks = stacks.len() as u64;
    Ok(())
}

/// Counts as Go's v2 dump does.
fn count_v2(file: &[u8], found: &mut Found) -> Result<(), Error> {
    for record in go_v2::Records::of_file(file)? {
        let event_type = record?.event_type;
        *found
            .records
            .entry(event_type.spec().name.to_owned())
            .or_default() += 1;
        found.strings += u64::from(event_type == go_v2::EventType::String);
        found.stacks += u64::from(event_type == go_v2::EventType::Stack);
    }
    Ok(())
}
