//! The traces to compare: those written by hand, those that are shipped, and those of the large corpus where it is at hand.

use std::fs;
use std::path::{Path, PathBuf};

use exectrace_format::{Format, Version, text};
use exectrace_testkit::{Corpus, CorpusTrace, Scratch};

/// A trace, and what Go says of it.
pub(crate) struct Trace {
    pub(crate) name: String,
    /// The file, which may be gzipped.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: String,
    pub(crate) header: String,
    verdict: String,
}

impl Trace {
    pub(crate) fn is_accepted_v1(&self) -> bool {
        self.format == "v1" && self.verdict == "accepted"
    }
}

impl From<CorpusTrace> for Trace {
    fn from(trace: CorpusTrace) -> Self {
        Self {
            name: trace.file().to_owned(),
            path: trace.path().to_owned(),
            bytes: trace.bytes(),
            format: trace.format().to_owned(),
            header: trace.header().to_owned(),
            verdict: trace.verdict().to_owned(),
        }
    }
}

/// All traces. Those written by hand get files in `scratch`.
pub(crate) fn traces(scratch: &Scratch) -> impl Iterator<Item = Trace> {
    let recorded = Corpus::all().flat_map(|corpus| corpus.traces());
    written(scratch)
        .into_iter()
        .chain(recorded.map(Trace::from))
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
            bytes,
        }
    });
    written.collect()
}
