//! A trace of a corpus.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::{Scratch, difference};

/// A trace of a [`Corpus`](crate::Corpus), and what Go's readers say of it: a row of the table.
#[derive(Clone, Debug)]
pub struct CorpusTrace {
    path: PathBuf,
    columns: BTreeMap<String, String>,
}

impl CorpusTrace {
    pub(crate) fn new(folder: &Path, columns: impl Iterator<Item = (String, String)>) -> Self {
        let columns: BTreeMap<String, String> = columns.collect();
        let file = &columns["file"];
        let plain = folder.join(file);
        let path = if plain.exists() {
            plain
        } else {
            folder.join(format!("{file}.gz"))
        };
        Self { path, columns }
    }

    /// What the table calls it.
    #[must_use]
    pub fn file(&self) -> &str {
        self.column("file")
    }

    /// `v1` or `v2`.
    #[must_use]
    pub fn format(&self) -> &str {
        self.column("format")
    }

    /// The version that the header names, such as `1.19`.
    #[must_use]
    pub fn header(&self) -> &str {
        self.column("header")
    }

    /// `accepted`, `partial` or `refused`.
    #[must_use]
    pub fn verdict(&self) -> &str {
        self.column("verdict")
    }

    /// The value of a column; `-` is none.
    ///
    /// # Panics
    ///
    /// When the table has no such column.
    #[must_use]
    #[track_caller]
    pub fn column(&self, name: &str) -> &str {
        let Some(value) = self.columns.get(name) else {
            panic!("the table has no column {name}");
        };
        value
    }

    /// All columns by name.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A column of numbers by name, such as `GoCreate=3,GoEnd=1`; `None` if Go did not get as far as to count.
    ///
    /// # Panics
    ///
    /// As [`column`](Self::column); when it is another column.
    #[must_use]
    #[track_caller]
    pub fn counts(&self, column: &str) -> Option<BTreeMap<String, u64>> {
        let counts = self.column(column);
        let count = |entry: &str| {
            let (name, count) = entry.rsplit_once('=')?;
            Some((name.to_owned(), count.parse().ok()?))
        };
        if counts == "-" {
            return None;
        }
        let parsed: Option<_> = counts.split(',').map(count).collect();
        assert!(parsed.is_some(), "column {column} has no counts: {counts}");
        parsed
    }

    /// Why what we find in that column may be another value than Go's; `None` where it must not be.
    #[must_use]
    pub fn difference(&self, column: &str) -> Option<&'static str> {
        difference::reason(self.file(), column)
    }

    /// The file, which may be gzipped.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in the file, unpacked.
    ///
    /// # Panics
    ///
    /// When it cannot be read: then the table belongs to another folder.
    #[must_use]
    #[track_caller]
    pub fn bytes(&self) -> Vec<u8> {
        let file = match fs::read(&self.path) {
            Ok(file) => file,
            Err(error) => panic!("{} cannot be read: {error}", self.path.display()),
        };
        if !self.is_packed() {
            return file;
        }
        let mut bytes = Vec::new();
        match MultiGzDecoder::new(&file[..]).read_to_end(&mut bytes) {
            Ok(_) => bytes,
            Err(error) => panic!("{} cannot be unpacked: {error}", self.path.display()),
        }
    }

    /// The file for programs that do not unpack: itself, or a copy in `scratch`.
    ///
    /// # Panics
    ///
    /// As [`bytes`](Self::bytes); when the copy cannot be written.
    #[must_use]
    #[track_caller]
    pub fn unpacked(&self, scratch: &Scratch) -> PathBuf {
        if self.is_packed() {
            scratch.file(&self.file().replace('/', "-"), &self.bytes())
        } else {
            self.path.clone()
        }
    }

    fn is_packed(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "gz")
    }
}
