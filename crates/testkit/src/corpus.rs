//! Traces beside what Go's own readers find in them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{CorpusTrace, Mutation, missing};

/// Where the shipped traces are.
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");

/// A folder of traces, with a table `EXPECTED.tsv` of what Go's readers say of each.
///
/// # Examples
///
/// ```
/// use exectrace_testkit::Corpus;
/// let trace = Corpus::shipped().trace("handmade/v1-annotations.trace");
/// assert_eq!((trace.header(), trace.column("logs")), ("1.19", "2"));
/// assert!(trace.bytes().starts_with(b"go 1.19 trace"));
/// ```
#[derive(Clone, Debug)]
pub struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    /// The one that comes with the sources.
    #[must_use]
    pub fn shipped() -> Self {
        Self {
            folder: SHIPPED.into(),
        }
    }

    /// A large one, in the folder that the environment variable `EXECTRACE_CORPUS` names; `None`, said aloud, when it is empty or not
    /// set.
    #[must_use]
    pub fn large() -> Option<Self> {
        let folder = env::var_os("EXECTRACE_CORPUS").filter(|folder| !folder.is_empty());
        if folder.is_none() {
            // Never an error: it is not part of a clone.
            missing::say("the large corpus", "set EXECTRACE_CORPUS to its folder");
        }
        Some(Self {
            folder: folder?.into(),
        })
    }

    /// Both.
    pub fn all() -> impl Iterator<Item = Self> {
        [Some(Self::shipped()), Self::large()].into_iter().flatten()
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its traces, in the order of the table.
    ///
    /// # Panics
    ///
    /// When the folder has no table: then it is no corpus.
    #[must_use]
    pub fn traces(&self) -> Vec<CorpusTrace> {
        let (columns, rows) = self.table("EXPECTED.tsv");
        let row = |values| CorpusTrace::new(&self.folder, columns.iter().cloned().zip(values));
        rows.into_iter().map(row).collect()
    }

    /// The trace that the table calls `file`.
    ///
    /// # Panics
    ///
    /// When there is none.
    #[must_use]
    #[track_caller]
    pub fn trace(&self, file: &str) -> CorpusTrace {
        let trace = self.traces().into_iter().find(|it| it.file() == file);
        trace.unwrap_or_else(|| panic!("{} has no {file}", self.folder.display()))
    }

    /// Damaged traces, from the table `mutations.tsv`; none without one.
    ///
    /// # Panics
    ///
    /// When the table is another one.
    #[must_use]
    pub fn mutations(&self) -> Vec<Mutation> {
        if !self.folder.join("mutations.tsv").exists() {
            return Vec::new();
        }
        let (_, rows) = self.table("mutations.tsv");
        rows.into_iter().map(Mutation::new).collect()
    }

    /// The names of a table's columns, and its rows.
    fn table(&self, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
        let mut lines = text.lines().map(columns);
        let head = lines.next().unwrap_or_default();
        (head, lines.collect())
    }
}

fn columns(line: &str) -> Vec<String> {
    line.split('\t').map(str::to_owned).collect()
}
