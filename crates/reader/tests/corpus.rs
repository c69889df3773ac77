//! Every trace of the corpus against what Go's own readers find in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io::Read};

use exectrace_format::Format;
use exectrace_reader::{Survey, Verdict};
use flate2::read::GzDecoder;

/// Where Go and we rightly say different things: file, columns, and why. No columns: the whole row.
const DIFFERENT: &[(&str, &[&str], &str)] = &[
    (
        "go-fuzz-v2/4055b17cae1a3443.trace",
        &[],
        "a file of version 1.19 with a lone futile wakeup, which Go 1.19 accepts; judged by Go 1.27, which cannot turn it into v2",
    ),
    (
        "handmade/v2-go123-event-in-1.22.trace",
        &["strings", "stacks"],
        "Go's reader takes an event that is newer than the header; its dump, which counts these, does not",
    ),
];

fn is_different(file: &str, column: &str) -> bool {
    DIFFERENT.iter().any(|(other, columns, _)| {
        *other == file && (columns.is_empty() || columns.contains(&column))
    })
}

/// What Go's readers say of a file: a line of `EXPECTED.tsv`, by column.
type Row = BTreeMap<String, String>;

fn rows(corpus: &Path) -> Vec<Row> {
    let table = fs::read_to_string(corpus.join("EXPECTED.tsv")).expect("the table");
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').map(str::to_owned));
    let columns: Vec<String> = lines.next().expect("a head").collect();
    lines
        .map(|line| columns.iter().cloned().zip(line).collect())
        .collect()
}

fn read(path: &Path) -> Vec<u8> {
    if let Ok(bytes) = fs::read(path) {
        return bytes;
    }
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    let file = fs::File::open(&packed).unwrap_or_else(|error| panic!("{packed:?}: {error}"));
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// The same columns of our own reader.
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
fn the_large_corpus_reads_as_in_go() {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return;
    };
    let corpus = Path::new(&corpus);
    let mut faults = Vec::new();
    let mut checked = 0;
    for row in rows(corpus) {
        checked += 1;
        let ours = found(&read(&corpus.join(&row["file"])));
        for (column, value) in &ours {
            if let Some(wanted) = row.get(column)
                && wanted != value
                && wanted != "-"
                && !is_different(&row["file"], column)
            {
                faults.push(format!(
                    "{}: {column}: {value}, Go says {wanted}; {} / {}",
                    row["file"], ours["error"], row["reason"]
                ));
            }
        }
    }
    assert!(checked > 350, "only {checked} files");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn damaged_files_are_judged_as_in_go() {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return;
    };
    let corpus = Path::new(&corpus);
    let table = fs::read_to_string(corpus.join("mutations.tsv")).expect("the table");
    let mut faults = Vec::new();
    let mut bases = BTreeMap::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [base, operation, verdict, events, reason] = columns[..] else {
            panic!("{line}");
        };
        let whole = bases
            .entry(base)
            .or_insert_with(|| read(&corpus.join(base)));
        let ours = found(&damage(whole.clone(), operation));
        for (column, wanted) in [("verdict", verdict), ("events", events)] {
            if ours[column] != wanted {
                faults.push(format!(
                    "{base} {operation}: {column} {}, Go says {wanted}: {} / {reason}",
                    ours[column], ours["error"]
                ));
            }
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
        ["cut", length] => file.truncate(length.parse().expect("a length")),
        ["flip", offset, bit] => {
            let offset: usize = offset.parse().expect("an offset");
            file[offset] ^= 1 << bit.parse::<u32>().expect("a bit");
        }
        _ => panic!("unknown operation {operation}"),
    }
    file
}
