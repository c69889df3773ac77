//! The folder of traces.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use exectrace_testkit::{Corpus, GoVersion, Oracle};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::Error;
use crate::row::{COLUMNS, Row};

/// Larger files are packed.
const PLAIN_BYTES_MAX: usize = 24 << 10;

/// A folder of traces with its table.
pub(crate) struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// The one that comes with the sources.
    pub(crate) fn shipped() -> Self {
        Self {
            folder: Corpus::shipped().folder().to_owned(),
        }
    }

    /// Where a file of it is.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Puts a trace in the place of the one that it follows.
    pub(crate) fn put(&self, file: &str, bytes: &[u8]) -> Result<(), Error> {
        let (plain, packed) = (self.path(file), self.path(&format!("{file}.gz")));
        if let Some(folder) = plain.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        let (path, other) = if bytes.len() > PLAIN_BYTES_MAX {
            (packed, plain)
        } else {
            (plain, packed)
        };
        // What is not there need not go.
        let _ = fs::remove_file(other);
        let bytes = if bytes.len() > PLAIN_BYTES_MAX {
            gzip(bytes)?
        } else {
            bytes.to_vec()
        };
        println!("{file}: {} bytes", bytes.len());
        fs::write(&path, bytes).map_err(at(&path))
    }

    /// Asks Go's readers about all recordings. What stands in the table of other files stays.
    pub(crate) fn write_table(&self) -> Result<(), Error> {
        let old: Vec<Row> = Corpus::shipped()
            .traces()
            .iter()
            .map(|trace| Row::of_columns(trace.columns()))
            .collect();
        let mut lines = Vec::new();
        for file in self.files()? {
            let known = old.iter().find(|row| row.column("file") == file);
            let row = match (self.ask(&file)?, known) {
                (Some(row), _) => row,
                (None, Some(row)) => row.clone(),
                (None, None) => return Err(Error::Unreadable { line: file }),
            };
            lines.push(row.line());
        }
        let path = self.path("EXPECTED.tsv");
        let text = format!("{}\n{}\n", COLUMNS.join("\t"), lines.join("\n"));
        fs::write(&path, text).map_err(at(&path))
    }

    /// A new row for a recording; `None` for a file that is written by hand, or a version whose toolchain is another.
    fn ask(&self, file: &str) -> Result<Option<Row>, Error> {
        let name = file
            .split('/')
            .nth(1)
            .filter(|_| file.starts_with("recorded/"));
        let (version, header) = match name {
            Some("go1.19" | "exectrace") => (GoVersion::V1_19, "1.19"),
            Some("go1.27") => (GoVersion::V1_27, "1.26"),
            _ => return Ok(None),
        };
        let oracle = match version {
            GoVersion::V1_19 => Oracle::v1_19(),
            GoVersion::V1_27 => Oracle::v1_27(),
        };
        let oracle = oracle.ok_or(Error::NoGo { version })?;
        let plain = self.path(file);
        let path = if plain.exists() {
            plain
        } else {
            self.path(&format!("{file}.gz"))
        };
        Row::ask(oracle, file, header, &path).map(Some)
    }

    /// The names of all traces, in order.
    fn files(&self) -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        let mut folders = vec![self.path("handmade"), self.path("recorded")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(at(&folder))? {
                let path = entry.map_err(at(&folder))?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(name) = path.strip_prefix(&self.folder) {
                    let name = name.to_string_lossy();
                    files.push(name.trim_end_matches(".gz").to_owned());
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}

/// Packs in the same way each time: without a date.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_a_row_and_each_row_a_file() {
        let files = Shelf::shipped().files().expect("the folder can be read");
        let traces = Corpus::shipped().traces();
        let rows: Vec<&str> = traces.iter().map(|trace| trace.file()).collect();
        assert_eq!(files, rows);
    }
}
