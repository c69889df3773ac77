//! Large traces to measure the reader with, recorded by the program in the folder `bigtrace`.
//!
//! The toolchain gives the format. No trace is like another, so what is there already is
//! left alone, and two runs of the bench read the same files.

mod format;
mod kind;
mod size;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exectrace_testkit::Go;

use crate::error::Error;
use crate::workspace::Workspace;
pub(crate) use format::Format;
pub(crate) use kind::Kind;
pub(crate) use size::Size;

/// What is to be recorded.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What the traced program does; all kinds unless given.
    #[arg(long)]
    kind: Option<Kind>,
    /// How the traces are written; both formats unless given.
    #[arg(long)]
    format: Option<Format>,
    /// How large a trace is to be, about.
    #[arg(long, value_enum, default_value_t = Size::Mb100)]
    size: Size,
    /// Where the traces go [default: `bigtrace` in the target directory].
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// The folder of the program, from the root.
const PROGRAM: &str = "bigtrace";

/// How long the program may take: 1 GB of format v1 is five minutes on an idle machine.
const LIMIT: Duration = Duration::from_secs(3600);

/// Records what is asked for and not there yet.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    let directory = match &arguments.dir {
        Some(directory) => directory.clone(),
        None => directory(workspace),
    };
    let directory =
        std::path::absolute(&directory).map_err(|source| Error::write(&directory, source))?;
    fs::create_dir_all(&directory).map_err(|source| Error::write(&directory, source))?;
    let kinds = arguments.kind.map_or(Kind::ALL.to_vec(), |kind| vec![kind]);
    let formats = arguments
        .format
        .map_or(Format::ALL.to_vec(), |format| vec![format]);
    for format in formats {
        let wanted = kinds.iter().map(|&kind| {
            (
                kind,
                directory.join(file_name(format, kind, arguments.size)),
            )
        });
        let (there, missing): (Vec<_>, Vec<_>) = wanted.partition(|(_, path)| path.exists());
        for (_, path) in there {
            println!("{} is there already", path.display());
        }
        if missing.is_empty() {
            continue;
        }
        let version = format.writer();
        let go = Go::find(version)?.ok_or(Error::NoGo { version })?;
        for (kind, path) in missing {
            let bytes = record(&go, workspace, kind, arguments.size.bytes(), &path)?;
            let written_mb = bytes as f64 / 1e6;
            println!("{}: {written_mb:.1} MB by {version}", path.display());
        }
    }
    Ok(())
}

/// Where traces are when no other place is named.
pub(crate) fn directory(workspace: &Workspace) -> PathBuf {
    workspace.target_dir("bigtrace").into()
}

/// The name of a trace: the bench looks for it.
fn file_name(format: Format, kind: Kind, size: Size) -> String {
    format!("{format}-{kind}-{size}.trace")
}

/// Records a trace of about this size and returns its real one.
fn record(
    go: &Go,
    workspace: &Workspace,
    kind: Kind,
    bytes: u64,
    path: &Path,
) -> Result<u64, Error> {
    // The name of a whole trace is given to whole traces only.
    let partial = path.with_extension("partial");
    let (kind, bytes) = (kind.to_string(), bytes.to_string());
    let words: [&OsStr; 5] = [
        "-load".as_ref(),
        kind.as_ref(),
        "-bytes".as_ref(),
        bytes.as_ref(),
        partial.as_ref(),
    ];
    let recorded = go.run(&workspace.root.join(PROGRAM), &words, LIMIT);
    if recorded.is_err() {
        // It may not even have been made.
        let _ = fs::remove_file(&partial);
    }
    recorded?;
    fs::rename(&partial, path).map_err(|source| Error::write(path, source))?;
    let written = fs::metadata(path).map_err(|source| Error::write(path, source))?;
    Ok(written.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use exectrace_testkit::{Scratch, V1Dump, V2Dump};

    type Counts = BTreeMap<String, u64>;

    const BYTES: u64 = 1_000_000;

    fn workspace() -> Workspace {
        Workspace::load().expect("cargo knows this workspace")
    }

    /// Records a small trace of each kind: Go's own tool opens it, and it has what its kind promises.
    fn check(format: Format, go: &Go, counts: fn(&str) -> Counts, names: [&str; 3]) {
        let [any, annotated, sampled] = names;
        let scratch = Scratch::new("bigtrace");
        for kind in Kind::ALL {
            let path = scratch.path().join(file_name(format, kind, Size::Mb100));
            let bytes = record(go, &workspace(), kind, BYTES, &path).expect("the program runs");
            // What is in flight when the trace is full still goes in, which tells only in a small trace.
            assert!((BYTES..10 * BYTES).contains(&bytes), "{kind}: {bytes}");
            let counts = counts(&go.listing(&path).expect("Go reads its own trace"));
            let count = |name: &str| counts.get(name).copied().unwrap_or_default();
            let is_mix = kind == Kind::Mix;
            assert!(count(any) > 10_000, "{kind}: {counts:?}");
            assert_eq!(count(annotated) > 100, is_mix, "{kind}: {counts:?}");
            assert_eq!(count(sampled) > 0, is_mix, "{kind}: {counts:?}");
        }
    }

    #[test]
    fn go_1_19_records_format_v1() {
        let Some(go) = Go::v1_19() else { return };
        let counts = |text: &_| V1Dump::parse(text).expect("a listing").counts();
        check(
            Format::V1,
            go,
            counts,
            ["GoUnblock", "UserRegion", "CPUSample"],
        );
    }

    #[test]
    fn go_1_27_records_format_v2() {
        let Some(go) = Go::v1_27() else { return };
        let counts = |text: &_| V2Dump::parse(text).expect("a listing").counts();
        check(
            Format::V2,
            go,
            counts,
            ["StateTransition", "RegionBegin", "StackSample"],
        );
    }

    #[test]
    fn the_program_is_formatted() {
        let Some(go) = Go::v1_19() else { return };
        let folder = workspace().root.join(PROGRAM);
        let unformatted = go.unformatted(&folder).expect("gofmt runs");
        assert_eq!(unformatted, "", "gofmt -w these");
    }

    #[test]
    fn a_trace_that_is_there_is_left_alone() {
        let scratch = Scratch::new("bigtrace-there");
        for format in Format::ALL {
            let _ = scratch.file(&file_name(format, Kind::PingPong, Size::Gb1), b"kept");
        }
        let arguments = Arguments {
            kind: Some(Kind::PingPong),
            format: None,
            size: Size::Gb1,
            dir: Some(scratch.path().to_owned()),
        };
        run(&workspace(), &arguments).expect("there is nothing to do");
        for format in Format::ALL {
            let path = scratch
                .path()
                .join(file_name(format, Kind::PingPong, Size::Gb1));
            assert_eq!(fs::read(path).expect("the file is there"), b"kept");
        }
    }
}
