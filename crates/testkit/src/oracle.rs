//! The toolchain's own reader of traces, event by event.
//!
//! The reader is internal to Go. So the program in the folder `oracle` is built as a part of the toolchain's tree, into which
//! `go build -overlay` puts its files; nothing is written there.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::time::Duration;

use crate::go::absolute;
use crate::{Error, Go, GoVersion, LineStream, OracleCount};

/// Where the program appears in the toolchain's tree: the reader's package is internal to what is below `src`, and its parts are
/// internal to the package.
const PACKAGE: &str = "internal/trace/exectrace";

/// Where the program's sources are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../oracle");

/// The program's files. Each version compiles those that are meant for it.
const SOURCES: [&str; 10] = [
    "contents.go",
    "contents1_19.go",
    "contents1_27.go",
    "go1_19.go",
    "go1_27.go",
    "main.go",
    "printer.go",
    "record.go",
    "records1_27.go",
    "usage.go",
];

/// The file that Go 1.19's reader gets.
const UNSYMBOLIZED: &str = "unsymbolized/parse.go";

/// How long the reader may take for a file: the largest one of a bench has 100 million events.
const READ_LIMIT: Duration = Duration::from_secs(600);

/// A program that reads traces as a toolchain does.
#[derive(Debug)]
pub struct Oracle {
    go: &'static Go,
    program: PathBuf,
}

impl Oracle {
    /// The reader of Go 1.19: format v1 up to version 1.19. `None`, said aloud, without the toolchain.
    ///
    /// # Panics
    ///
    /// As [`Go::v1_19`]; when the program cannot be built.
    #[must_use]
    #[track_caller]
    pub fn v1_19() -> Option<&'static Self> {
        static BUILT: OnceLock<Result<Oracle, String>> = OnceLock::new();
        Some(Self::built(Go::v1_19()?, &BUILT))
    }

    /// The reader of Go 1.27: format v2, and v1 from version 1.11 on as events of v2. `None`, said aloud, without the toolchain.
    ///
    /// # Panics
    ///
    /// As [`Go::v1_27`]; when the program cannot be built.
    #[must_use]
    #[track_caller]
    pub fn v1_27() -> Option<&'static Self> {
        static BUILT: OnceLock<Result<Oracle, String>> = OnceLock::new();
        Some(Self::built(Go::v1_27()?, &BUILT))
    }

    /// The events of `trace`, a line each, as the head of `oracle/main.go` says. The file may be gzipped.
    ///
    /// # Errors
    ///
    /// When the program cannot be run. That the reader refuses the file is its last line.
    pub fn events(&self, trace: &Path) -> Result<LineStream, Error> {
        self.lines(trace, &[])
    }

    /// As [`events`](Self::events), but events of format v1 stay what they are.
    ///
    /// # Errors
    ///
    /// As [`events`](Self::events).
    pub fn records(&self, trace: &Path) -> Result<LineStream, Error> {
        self.lines(trace, &["-records"])
    }

    /// Reads all events of `trace`, and says what that took.
    ///
    /// # Errors
    ///
    /// When the program cannot be run, or the reader refuses the file.
    pub fn count(&self, trace: &Path) -> Result<OracleCount, Error> {
        let mut lines = self.lines(trace, &["-count"])?;
        let line = lines.next_line()?.unwrap_or_default().to_vec();
        // Nothing follows, but the program's end tells whether it went well.
        while lines.next_line()?.is_some() {}
        OracleCount::parse(&String::from_utf8_lossy(&line))
    }

    /// Whether the reader takes each of `traces`, in one run of the program: for many small files, whose reading takes less than a
    /// program's start.
    ///
    /// # Errors
    ///
    /// When the program cannot be run; [`Error::Unread`] for the first file that the reader refuses.
    pub fn judge(&self, traces: &[PathBuf]) -> Result<(), Error> {
        let mut command = self.go.command(&self.program);
        command.arg("-judge");
        command.args(traces.iter().map(|trace| absolute(trace)));
        let mut lines = LineStream::start(&mut command, READ_LIMIT)?;
        for trace in traces {
            let line = lines.next_line()?.unwrap_or_default();
            if !line.starts_with(b"events=") {
                return Err(Error::Unread {
                    file: trace.clone(),
                    answer: String::from_utf8_lossy(line).into_owned(),
                });
            }
        }
        while lines.next_line()?.is_some() {}
        Ok(())
    }

    /// What stands in `trace` before anything is put in order: a line of numbers, as the head of `oracle/main.go` says.
    ///
    /// # Errors
    ///
    /// As [`events`](Self::events).
    pub fn contents(&self, trace: &Path) -> Result<LineStream, Error> {
        self.lines(trace, &["-contents"])
    }

    /// The toolchain whose reader it is.
    #[must_use]
    pub fn go(&self) -> &'static Go {
        self.go
    }

    fn lines(&self, trace: &Path, flags: &[&str]) -> Result<LineStream, Error> {
        let mut command = self.go.command(&self.program);
        command.args(flags).arg(absolute(trace));
        LineStream::start(&mut command, READ_LIMIT)
    }

    #[track_caller]
    fn built(go: &'static Go, slot: &'static OnceLock<Result<Self, String>>) -> &'static Self {
        let built = slot.get_or_init(|| Self::build(go).map_err(|error| error.to_string()));
        match built {
            Ok(oracle) => oracle,
            Err(problem) => panic!("{problem}"),
        }
    }

    /// Builds the program, or finds it from an earlier run: its name tells toolchain and source.
    fn build(go: &'static Go) -> Result<Self, Error> {
        let folder = Path::new(FOLDER);
        let hash = hash(go, folder).map_err(|source| failure(folder, source))?;
        let name = format!("oracle-{}-{hash:016x}", go.version().name());
        let program = go.cache().join(&name);
        if !program.exists() {
            // Another process may build the same: each has files of its own until the last step, which replaces at once.
            let own = |ending: &str| go.cache().join(format!("{name}-{}{ending}", process::id()));
            let (overlay, built) = (own(".json"), own(""));
            fs::write(&overlay, overlay_of(go, folder))
                .map_err(|source| failure(&overlay, source))?;
            go.build(PACKAGE, &overlay, &built)?;
            fs::rename(&built, &program).map_err(|source| failure(&program, source))?;
            // Only a file in a cache, if it stays.
            let _ = fs::remove_file(&overlay);
        }
        Ok(Self { go, program })
    }
}

fn failure(path: &Path, source: io::Error) -> Error {
    Error::Start {
        command: path.display().to_string(),
        source,
    }
}

/// A number that another toolchain or source changes.
fn hash(go: &Go, folder: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    go.release().hash(&mut hasher);
    for name in SOURCES.iter().chain([&UNSYMBOLIZED]) {
        fs::read(folder.join(name))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// What `go build -overlay` reads: files of the toolchain's tree, and what stands for them.
fn overlay_of(go: &Go, folder: &Path) -> String {
    let source =
        |name: &str| fs::canonicalize(folder.join(name)).unwrap_or_else(|_| folder.join(name));
    let tree = go.root().join("src");
    let mut replaced: Vec<(PathBuf, PathBuf)> = SOURCES
        .iter()
        .map(|name| (tree.join(PACKAGE).join(name), source(name)))
        .collect();
    if go.version() == GoVersion::V1_19 {
        let place = tree.join("internal/trace/exectrace_unsymbolized.go");
        replaced.push((place, source(UNSYMBOLIZED)));
    }
    let mut json = String::from(r#"{"Replace": {"#);
    for (index, (place, file)) in replaced.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // As strings of Rust and of JSON paths without control characters look the same.
        let _ = write!(
            json,
            "{comma}{:?}: {:?}",
            place.to_string_lossy(),
            file.to_string_lossy()
        );
    }
    json.push_str("}}");
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_built() {
        let files = fs::read_dir(FOLDER).expect("the folder is there");
        let names = files.map(|file| file.expect("the folder can be read").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".go"))
            .collect();
        names.sort();
        assert_eq!(names, SOURCES);
    }

    #[test]
    fn the_program_is_formatted() {
        let Some(go) = Go::v1_19() else { return };
        let unformatted = go.unformatted(Path::new(FOLDER)).expect("gofmt runs");
        assert_eq!(unformatted, "", "gofmt -w these");
    }
}
