//! Decoding of real files, against the counts that Go's own readers find in them.
//!
//! The files in `tests/corpus` are always checked; with the environment variable `EXECTRACE_CORPUS`
//! so is the large corpus that it points to. A table `EXPECTED.tsv` has a line for each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, io::Read};

use exectrace_format::{Error, Format, Version, go_v1, go_v2, text};
use flate2::read::GzDecoder;

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

/// Files on which Go and we rightly say different things, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "go122-fail-first-gen-first.trace",
        "Go stops at a fault of order before it sees the cut batch",
    ),
    (
        "v2-lone-frequency-batch-1.26.trace",
        "Go takes the batch for events and misses the sync batch first",
    ),
    (
        "v2-go123-event-in-1.22.trace",
        "Go's dump, but not its reader, refuses an event newer than the header",
    ),
];

#[test]
fn the_shipped_files_decode_as_in_go() {
    let checked = check_corpus(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"));
    assert!(checked > 20, "only {checked} files");
}

#[test]
fn the_large_corpus_decodes_as_in_go() {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return;
    };
    let checked = check_corpus(Path::new(&corpus));
    assert!(checked > 350, "only {checked} files");
}

/// Cut files and flipped bits: what Go takes we decode, and Go's wire faults are ours too.
#[test]
fn damaged_files_decode_as_in_go() {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return;
    };
    let corpus = Path::new(&corpus);
    let table = fs::read_to_string(corpus.join("mutations.tsv")).unwrap();
    let mut faults = Vec::new();
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        let [base, operation, verdict, _, reason] =
            std::array::from_fn(|_| columns.next().unwrap());
        let file = damage(read(&corpus.join(base)), operation);
        let mut found = Found::default();
        match (count(&file, &mut found), verdict) {
            // Go forgives a log whose message is cut.
            (Ok(()) | Err(Error::MessageCut { .. }), "accepted") => {}
            (Err(fault), "accepted") => {
                faults.push(format!("{base} {operation}: refused: {fault}"))
            }
            (Ok(()), _) if is_wire_fault(reason) => {
                faults.push(format!("{base} {operation}: not refused, Go says {reason}"));
            }
            _ => {}
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Keeps the first bytes of a file, or flips one bit, as the operation says.
fn damage(mut file: Vec<u8>, operation: &str) -> Vec<u8> {
    match operation.split(' ').collect::<Vec<_>>()[..] {
        ["none"] => {}
        ["cut", length] => file.truncate(length.parse().unwrap()),
        ["flip", offset, bit] => {
            file[offset.parse::<usize>().unwrap()] ^= 1 << bit.parse::<u32>().unwrap();
        }
        _ => panic!("unknown operation {operation}"),
    }
    file
}

/// Checks every file of the table; returns how many there were.
fn check_corpus(corpus: &Path) -> usize {
    let table = fs::read_to_string(corpus.join("EXPECTED.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t'));
    let names: Vec<_> = lines.next().unwrap().collect();
    let expected: Vec<_> = lines
        .map(|line| Expected(names.iter().copied().zip(line).collect()))
        .collect();
    let mut faults = Vec::new();
    for expected in &expected {
        if DIFFERENT
            .iter()
            .any(|(name, _)| expected.column("file").ends_with(name))
        {
            continue;
        }
        let file = read(&corpus.join(expected.column("file")));
        if let Err(fault) = check(&file, expected) {
            faults.push(format!("{}: {fault}", expected.column("file")));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    expected.len()
}

/// The bytes of a file that may be there packed only.
fn read(path: &Path) -> Vec<u8> {
    if let Ok(bytes) = fs::read(path) {
        return bytes;
    }
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(packed).unwrap())
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// A line of the table.
struct Expected<'a>(BTreeMap<&'a str, &'a str>);

impl Expected<'_> {
    fn column(&self, name: &str) -> &str {
        self.0[name]
    }

    /// The records by name, if Go got as far as to count them.
    fn counts(&self) -> Option<BTreeMap<&str, u64>> {
        let pairs = self.column("wire_counts").split(',');
        pairs
            .map(|pair| {
                pair.split_once('=')
                    .map(|(name, n)| (name, n.parse().unwrap()))
            })
            .collect()
    }

    fn is_wire_fault(&self) -> bool {
        is_wire_fault(self.column("reason"))
    }
}

/// Whether the fault that Go tells is one of a record or of the framing.
fn is_wire_fault(reason: &str) -> bool {
    WIRE_REASONS.iter().any(|wire| reason.contains(wire))
}

/// What there is in a file.
#[derive(Default)]
struct Found {
    records: BTreeMap<&'static str, u64>,
    strings: u64,
    stacks: u64,
}

fn check(file: &[u8], expected: &Expected<'_>) -> Result<(), String> {
    let mut found = Found::default();
    let result = count(file, &mut found);
    match result {
        Err(_) if expected.is_wire_fault() => return Ok(()),
        Err(fault) => {
            return Err(format!(
                "refused: {fault}, Go says {}",
                expected.column("reason")
            ));
        }
        Ok(()) if expected.is_wire_fault() => {
            return Err(format!(
                "not refused, Go says {}",
                expected.column("reason")
            ));
        }
        Ok(()) => check_text(file, expected)?,
    }
    let Some(counts) = expected.counts() else {
        return Ok(());
    };
    equal("records", &found.records, &counts)?;
    equal(
        "number of records",
        &found.records.values().sum::<u64>().to_string(),
        &expected.column("wire_records").to_owned(),
    )?;
    equal(
        "strings",
        &found.strings.to_string(),
        &expected.column("strings").to_owned(),
    )?;
    if expected.column("verdict") == "accepted" {
        equal(
            "stacks",
            &found.stacks.to_string(),
            &expected.column("stacks").to_owned(),
        )?;
    }
    Ok(())
}

/// The text form keeps all records; and of what Go 1.19 wrote all bytes (later ones pad numbers).
fn check_text(file: &[u8], expected: &Expected<'_>) -> Result<(), String> {
    const TEXT_FILE_BYTES_MAX: usize = 300_000;
    if file.len() > TEXT_FILE_BYTES_MAX {
        return Ok(());
    }
    let text = text::print(file).map_err(|fault| format!("not printed: {fault}"))?;
    let parsed = text::parse(&text).map_err(|fault| format!("not parsed: {fault}"))?;
    let exact = expected.column("file").contains("go1.19");
    if exact && parsed != file {
        return Err("the text gives other bytes".to_owned());
    }
    match text::print(&parsed) {
        Ok(again) if again == text => Ok(()),
        _ => Err("the text gives other records".to_owned()),
    }
}

fn equal<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    what: &str,
    found: &T,
    want: &U,
) -> Result<(), String> {
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
            .entry(record.event_type.spec().name_in(version))
            .or_default() += 1;
    }
    found.stacks = stacks.len() as u64;
    Ok(())
}

/// Counts as Go's v2 dump does.
fn count_v2(file: &[u8], found: &mut Found) -> Result<(), Error> {
    for record in go_v2::Records::of_file(file)? {
        let event_type = record?.event_type;
        *found.records.entry(event_type.spec().name).or_default() += 1;
        found.strings += u64::from(event_type == go_v2::EventType::String);
        found.stacks += u64::from(event_type == go_v2::EventType::Stack);
    }
    Ok(())
}
