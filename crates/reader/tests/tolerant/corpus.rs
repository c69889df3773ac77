//! The large corpus, read in both ways.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io::Read};

use exectrace_format::Format;
use flate2::read::GzDecoder;

use crate::judge::{FORMATS, Judgement, judge};

/// A file of the corpus.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether Go's readers take it.
    pub(crate) is_accepted: bool,
}

/// The corpus' files of the formats that are checked, if it is there.
pub(crate) fn files() -> Vec<File> {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return Vec::new();
    };
    let corpus = Path::new(&corpus);
    let table = fs::read_to_string(corpus.join("EXPECTED.tsv")).expect("the table");
    let mut files = Vec::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, format, _, verdict, ..] = columns[..] else {
            panic!("{line}");
        };
        let format = match format {
            "v1" => Format::V1,
            "v2" => Format::V2,
            _ => panic!("{line}"),
        };
        if FORMATS.contains(&format) {
            files.push(File {
                name: name.to_owned(),
                bytes: read(&corpus.join(name)),
                is_accepted: verdict == "accepted",
            });
        }
    }
    assert!(files.len() > 100, "only {} files", files.len());
    files
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
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        return;
    };
    let table = fs::read_to_string(Path::new(&corpus).join("mutations.tsv")).expect("the table");
    let files: BTreeMap<String, Vec<u8>> = files()
        .into_iter()
        .map(|file| (file.name, file.bytes))
        .collect();
    let mut faults = Vec::new();
    let mut checked = 0;
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, operation, ..] = columns[..] else {
            panic!("{line}");
        };
        let Some(file) = files.get(name) else {
            continue;
        };
        checked += 1;
        let mut copy = file.clone();
        match operation.split(' ').collect::<Vec<_>>()[..] {
            ["none"] => {}
            ["cut", length] => copy.truncate(length.parse().expect("a length")),
            ["flip", offset, bit] => {
                let offset: usize = offset.parse().expect("an offset");
                copy[offset] ^= 1 << bit.parse::<u32>().expect("a bit");
            }
            _ => panic!("{line}"),
        }
        if let Err(fault) = judge(&copy) {
            faults.push(format!("{name} {operation}: {fault}"));
        }
    }
    assert!(checked > 500, "only {checked} copies");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
