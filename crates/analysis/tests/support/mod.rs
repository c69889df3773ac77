//! What tests of analyses share: the values that Go's own analyses find.

use std::fs;
use std::io::Read as _;

use exectrace_testkit::{Corpus, CorpusTrace};
use flate2::read::GzDecoder;
use serde_json::Value;

/// What Go's analyses find in a trace that its reader accepts.
pub(crate) fn oracle(corpus: &Corpus, trace: &CorpusTrace) -> Option<Value> {
    if trace.verdict() != "accepted" {
        return None;
    }
    let folder = corpus.folder().join("oracle");
    let path = folder.join(format!("{}.json", trace.file()));
    let text = fs::read_to_string(path).ok().or_else(|| {
        let packed = fs::File::open(folder.join(format!("{}.json.gz", trace.file()))).ok()?;
        let mut text = String::new();
        GzDecoder::new(packed)
            .read_to_string(&mut text)
            .expect("gzip");
        Some(text)
    });
    Some(serde_json::from_str(&text?).expect("is JSON"))
}
