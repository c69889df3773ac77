//! What fuzzing has found, and what is hard on readers: each file is read again, both ways.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::judge::judge;

/// Far more than any of them takes.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn what_was_found_once_is_read_to_its_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_none_or(|extension| extension != "trace")
        {
            continue;
        }
        let file = fs::read(&path).expect("a file");
        let begin = Instant::now();
        if let Err(fault) = judge(&file) {
            panic!("{}: {fault}", path.display());
        }
        assert!(begin.elapsed() < PATIENCE, "{} takes long", path.display());
        files += 1;
    }
    assert!(files > 0, "nothing was found");
}
