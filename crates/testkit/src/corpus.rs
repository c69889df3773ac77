//! Traces recorded elsewhere, too large for this repository.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Scratch, missing, process};

/// How long unpacking may take.
const UNPACK_LIMIT: Duration = Duration::from_secs(60);

/// The file `name` of the corpus that the environment variable `EXECTRACE_CORPUS` names, unpacked into `scratch` when it
/// stands there as `name.gz`. `None`, said aloud, when the variable is not set.
///
/// # Panics
///
/// When the variable is set and the file is not there: then the corpus is not the one that the tests were written for.
/// When it cannot be unpacked.
#[must_use]
#[track_caller]
pub fn corpus_file(name: &str, scratch: &Scratch) -> Option<PathBuf> {
    let Some(corpus) = env::var_os("EXECTRACE_CORPUS") else {
        // Never an error: the corpus is not part of a clone.
        missing::say("the corpus", "set EXECTRACE_CORPUS to its folder");
        return None;
    };
    let path = Path::new(&corpus).join(name);
    if path.exists() {
        return Some(path);
    }
    let packed = Path::new(&corpus).join(format!("{name}.gz"));
    assert!(packed.exists(), "the corpus has no {name}");
    let mut gzip = Command::new("gzip");
    gzip.arg("-dc").arg(&packed);
    match process::output(&mut gzip, UNPACK_LIMIT) {
        Ok(bytes) => Some(scratch.file(&name.replace('/', "-"), &bytes)),
        Err(error) => panic!("{error}"),
    }
}
