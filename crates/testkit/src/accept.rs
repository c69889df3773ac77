//! The three levels of proof, as assertions.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Error, Go, PROFILES, V1Dump, V2Dump, missing};

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
    let v1 =
        Go::v1_19().map(|go| good(path, go.listing(path).and_then(|text| V1Dump::parse(&text))));
    let v2 =
        Go::v1_27().map(|go| good(path, go.listing(path).and_then(|text| V2Dump::parse(&text))));
    Accepted { v1, v2 }
}

/// As [`accepts`], and that all four profiles of both tools come out.
///
/// # Panics
///
/// As [`accepts`].
#[track_caller]
pub fn profiles(path: &Path) -> Accepted {
    let accepted = accepts(path);
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        for kind in PROFILES {
            let profile = good(path, go.profile(path, kind));
            assert!(
                profile.starts_with(&[0x1f, 0x8b]),
                "{}: the {kind} profile by {} is not gzipped",
                path.display(),
                go.version()
            );
        }
    }
    accepted
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

/// As [`opens`], with three pages of each path: the one of all, that of a task, and the same to be downloaded. Each drawing takes a
/// second, so this is for recordings that have all there is.
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
    let accepted = profiles(path);
    if !graphviz_is_there() {
        missing::skip("Graphviz's dot", "apt-get install graphviz");
        return accepted;
    }
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        let server = go.serve(path);
        let pages = server.and_then(|server| server.crawl(queries_a_path));
        let pages = good(path, pages);
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
    }
    accepted
}

#[track_caller]
fn good<T>(path: &Path, answer: Result<T, Error>) -> T {
    match answer {
        Ok(value) => value,
        Err(error) => panic!("{}: {error}", path.display()),
    }
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
