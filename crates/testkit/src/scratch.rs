//! A directory that goes with the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A new empty directory below the system's temporary one, removed with all it holds on drop.
///
/// # Examples
///
/// ```
/// let scratch = exectrace_testkit::Scratch::new("example");
/// let file = scratch.path().join("recording.trace");
/// std::fs::write(&file, b"bytes").unwrap();
/// drop(scratch);
/// assert!(!file.exists());
/// ```
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes a directory with `label` in its name.
    ///
    /// # Panics
    ///
    /// When the directory cannot be made.
    #[must_use]
    pub fn new(label: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only the number's uniqueness matters.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("exectrace-{label}-{}-{number}", process::id());
        let path = std::env::temp_dir().join(name);
        // A directory of an earlier process with the same id that was killed.
        let _ = fs::remove_dir_all(&path);
        if let Err(error) = fs::create_dir(&path) {
            panic!("cannot make {}: {error}", path.display());
        }
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `bytes` to a file of that name in it and returns the file's path.
    ///
    /// # Panics
    ///
    /// When the file cannot be written.
    #[must_use]
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path.join(name);
        if let Err(error) = fs::write(&path, bytes) {
            panic!("cannot write {}: {error}", path.display());
        }
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind lies in the temporary directory; a failing removal must not hide the test's own result.
        let _ = fs::remove_dir_all(&self.path);
    }
}
