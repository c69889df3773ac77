//! The traces to compare: those written by hand, those that come with the format, and those of the large corpus where it is at
//! hand.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use exectrace_format::{Format, Version, text};
use exectrace_testkit::Scratch;
use flate2::read::GzDecoder;

/// A line of a corpus's table.
pub(crate) struct Trace {
    pub(crate) name: String,
    /// The file, which may be gzipped.
    pub(crate) path: PathBuf,
    pub(crate) format: String,
    pub(crate) header: String,
    verdict: String,
}

impl Trace {
    pub(crate) fn is_accepted_v1(&self) -> bool {
        self.format == "v1" && self.verdict == "accepted"
    }

    /// What is in the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let file = fs::read(&self.path).expect("the file is there");
        if self.path.extension().is_none_or(|ending| ending != "gz") {
            return file;
        }
        let mut bytes = Vec::new();
        GzDecoder::new(file.as_slice())
            .read_to_end(&mut bytes)
            .expect("the file is packed");
        bytes
    }
}

/// All traces. Those written by hand get files in `scratch`.
pub(crate) fn traces(scratch: &Scratch) -> impl Iterator<Item = Trace> {
    let large = env::var_os("EXECTRACE_CORPUS").map(PathBuf::from);
    let recorded = [Some(small_folder()), large].into_iter().flatten();
    written(scratch)
        .into_iter()
        .chain(recorded.flat_map(|folder| of_folder(&folder)))
}

/// The traces that stand as text in `tests/traces`, all of which are accepted.
fn written(scratch: &Scratch) -> Vec<Trace> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let files = fs::read_dir(folder).expect("the folder is there");
    let written = files.map(|file| {
        let path = file.expect("the folder can be read").path();
        let text = fs::read_to_string(&path).expect("the file is text");
        let bytes = text::parse(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let version = Version::of(&bytes).expect("it begins with a header");
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Trace {
            path: scratch.file(&name, &bytes),
            name,
            format: match version.format() {
                Format::V1 => "v1".to_owned(),
                Format::V2 => "v2".to_owned(),
            },
            header: format!("1.{}", version.minor()),
            verdict: "accepted".to_owned(),
        }
    });
    written.collect()
}

/// A trace of the small corpus.
pub(crate) fn small(name: &str) -> Trace {
    of_folder(&small_folder())
        .into_iter()
        .find(|trace| trace.name == name)
        .expect("the table has it")
}

fn small_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../format/tests/corpus")
}

fn of_folder(folder: &Path) -> Vec<Trace> {
    let table = fs::read_to_string(folder.join("EXPECTED.tsv")).expect("the table is there");
    let rows = table.lines().skip(1);
    rows.map(|row| {
        let mut columns = row.split('\t').map(str::to_owned);
        let mut next = || columns.next().expect("a row has four columns");
        let name = next();
        let plain = folder.join(&name);
        let path = if plain.exists() {
            plain
        } else {
            folder.join(format!("{name}.gz"))
        };
        Trace {
            path,
            format: next(),
            header: next(),
            verdict: next(),
            name,
        }
    })
    .collect()
}
