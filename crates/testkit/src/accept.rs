//! The three levels of proof, as assertions.

use std::panic;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::{Error, Go, PROFILES, V1Dump, V2Dump, missing};

/// The largest page that a test's recording may make. Go 1.19 draws a line for every worker number up to the largest, whether
/// there is one or not.
const PAGE_BYTES_MAX: usize = 32 << 20;

/// What the tools read in an accepted trace.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The events by Go 1.19; `None` when the check was skipped.
    pub v1: Option<V1Dump>,
    /// The events by Go 1.27; `None` when the check was skipped.
    pub v2: Option<V2Dump>,
}

/// Asserts that both tools parse the trace in `path`, and returns what they read.
///
/// # Panics
///
/// When one refuses the file, with its reason; when a toolchain is missing and `EXECTRACE_REQUIRE_GO=1`.
#[track_caller]
pub fn accepts(path: &Path) -> Accepted {
    judge(path, |_| Ok(()))
}

/// As [`accepts`], and that all four profiles of both tools come out.
///
/// # Panics
///
/// As [`accepts`].
#[track_caller]
pub fn profiles(path: &Path) -> Accepted {
    judge(path, |go| all_profiles(go, path))
}

/// As [`profiles`], and that every page of both tools' web views answers as it should, one of each path.
///
/// The drawings need Graphviz.
///
/// # Panics
///
/// As [`accepts`]; without Graphviz when `EXECTRACE_REQUIRE_GO=1`.
#[track_caller]
pub fn opens(path: &Path) -> Accepted {
    opens_pages(path, 1)
}

/// As [`opens`], with three pages of each path: the one of all, that of a task, and the same to be downloaded. This is for recordings
/// that have all there is.
///
/// # Panics
///
/// As [`opens`].
#[track_caller]
pub fn opens_widely(path: &Path) -> Accepted {
    opens_pages(path, 3)
}

#[track_caller]
fn opens_pages(path: &Path, queries_a_path: usize) -> Accepted {
    let has_graphviz = graphviz_is_there();
    if !has_graphviz {
        missing::skip("Graphviz's dot", "apt-get install graphviz");
    }
    judge(path, |go| {
        all_profiles(go, path)?;
        if has_graphviz {
            all_pages(go, path, queries_a_path)?;
        }
        Ok(())
    })
}

/// What both tools read in `path`, and what `more` demands of each. The tools work side by side, since a test waits for them.
#[track_caller]
fn judge(path: &Path, more: impl Fn(&Go) -> Result<(), Error> + Sync) -> Accepted {
    let (go_1_19, go_1_27) = (Go::v1_19(), Go::v1_27());
    let by_1_19 = |go: &Go| {
        let dump = V1Dump::parse(&go.listing(path)?)?;
        more(go).map(|()| dump)
    };
    let by_1_27 = |go: &Go| {
        let dump = V2Dump::parse(&go.listing(path)?)?;
        more(go).map(|()| dump)
    };
    let (v1, v2) = thread::scope(|scope| {
        let v1 = scope.spawn(|| go_1_19.map(by_1_19).transpose());
        let v2 = go_1_27.map(by_1_27).transpose();
        // A failed assertion is this test's.
        (
            v1.join()
                .unwrap_or_else(|panic| panic::resume_unwind(panic)),
            v2,
        )
    });
    match (v1, v2) {
        (Ok(v1), Ok(v2)) => Accepted { v1, v2 },
        (Err(error), _) | (_, Err(error)) => panic!("{}: {error}", path.display()),
    }
}

fn all_profiles(go: &Go, path: &Path) -> Result<(), Error> {
    for kind in PROFILES {
        let profile = go.profile(path, kind)?;
        assert!(
            profile.starts_with(&[0x1f, 0x8b]),
            "{}: the {kind} profile by {} is not gzipped",
            path.display(),
            go.version()
        );
    }
    Ok(())
}

fn all_pages(go: &Go, path: &Path, queries_a_path: usize) -> Result<(), Error> {
    let pages = go.serve(path)?.crawl(queries_a_path)?;
    for page in &pages {
        assert!(
            page.body.len() <= PAGE_BYTES_MAX,
            "{}: {} of {} has {} bytes: is there a worker with a high number?",
            path.display(),
            page.target,
            go.version(),
            page.body.len()
        );
    }
    for target in [
        "/",
        "/goroutines",
        "/io",
        "/usertasks",
        "/userregions",
        "/mmu",
    ] {
        assert!(
            pages.iter().any(|page| page.target == target),
            "{}: no link of {} leads to {target}",
            path.display(),
            go.version()
        );
    }
    Ok(())
}

fn graphviz_is_there() -> bool {
    Command::new("dot")
        .arg("-V")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
