//! From a source file to the module that it most likely is.
//!
//! With `debug = "line-tables-only"`, which is what the recorder asks of a program, rustc names an inlined function without
//! its path: `poll<…>`, `new`, `next`. Its file says the rest: `…/tokio-1.54.1/src/sync/mpsc/chan.rs` is `tokio::sync::mpsc::chan`.
//! Types and modules inside of a file stay unknown, and a crate whose folder is named differently gets the folder's name.

/// The crate that a compilation unit belongs to: where its sources lie and what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CrateRoot<'a> {
    folder: &'a str,
    name: &'a str,
}

impl<'a> CrateRoot<'a> {
    /// Reads the name that rustc gives a unit: `src/main.rs/@/app.0123456789abcdef-cgu.0`.
    pub(super) fn of_unit(name: &'a str) -> Option<Self> {
        let (root, unit) = name.split_once("/@/")?;
        let (folder, _file) = root.rsplit_once('/')?;
        let (name, _hash) = unit.split_once('.')?;
        Some(Self { folder, name })
    }
}

/// The module that `file` is, of the crate of its unit or of another one, as far as the path tells.
///
/// `directory` is where the unit was compiled: paths of the unit's own crate are relative to it.
pub(super) fn module_of(file: &str, directory: &str, own: Option<CrateRoot<'_>>) -> Option<String> {
    if !file.ends_with(".rs") {
        return None;
    }
    if let Some(own) = own
        && let Some(inside) = inside(file, directory, own.folder)
    {
        return Some(path(own.name, inside));
    }
    if let Some((folder, inside)) = file.rsplit_once("/src/") {
        let folder = folder.rsplit('/').next()?;
        if let Some(inside) = inside.strip_prefix("bin/") {
            return binary(inside);
        }
        return is_name(folder).then(|| path(without_version(folder), inside));
    }
    ["/examples/", "/tests/", "/benches/"]
        .iter()
        .find_map(|folder| binary(file.rsplit_once(folder)?.1))
}

fn inside<'f>(file: &'f str, directory: &str, folder: &str) -> Option<&'f str> {
    let relative = match file.strip_prefix(directory) {
        Some(relative) if !folder.starts_with('/') => relative.trim_start_matches('/'),
        _ => file,
    };
    relative.strip_prefix(folder)?.strip_prefix('/')
}

/// A file that is a crate of its own, or the root of one.
fn binary(inside: &str) -> Option<String> {
    let (name, inside) = match inside.split_once('/') {
        Some((name, inside)) => (name, inside),
        None => (inside.strip_suffix(".rs")?, "main.rs"),
    };
    is_name(name).then(|| path(name, inside))
}

fn path(name: &str, inside: &str) -> String {
    let inside = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut path = name.replace('-', "_");
    for part in inside.split('/') {
        if !matches!(part, "lib" | "main" | "mod") {
            path.push_str("::");
            path.push_str(part);
        }
    }
    path
}

/// `tokio-1.54.1` is `tokio`; `utf-8` is not `utf`.
fn without_version(folder: &str) -> &str {
    let is_version = |text: &str| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < text.len() && rest.starts_with('.')
    };
    folder
        .match_indices('-')
        .find(|(at, _)| is_version(&folder[at + 1..]))
        .map_or(folder, |(at, _)| &folder[..at])
}

fn is_name(text: &str) -> bool {
    let letters = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    letters
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, expect: Option<&str>) {
        assert_eq!(module_of(file, "/home/u/app", None).as_deref(), expect);
    }

    #[track_caller]
    fn check_own(unit: &str, file: &str, expect: Option<&str>) {
        let own = CrateRoot::of_unit(unit);
        assert!(own.is_some(), "{unit}");
        assert_eq!(module_of(file, "/home/u/app", own).as_deref(), expect);
    }

    #[test]
    fn a_dependency_is_named_by_its_folder() {
        let registry = "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f";
        check(
            &format!("{registry}/tokio-1.54.1/src/sync/mpsc/mod.rs"),
            Some("tokio::sync::mpsc"),
        );
        check(
            &format!("{registry}/tokio-1.54.1/src/lib.rs"),
            Some("tokio"),
        );
        check(
            &format!("{registry}/http-body-1.0.0-rc.2/src/limited.rs"),
            Some("http_body::limited"),
        );
        check(
            &format!("{registry}/utf-8-0.7.6/src/read.rs"),
            Some("utf_8::read"),
        );
        check(
            "/rustc/0a1b2c/library/core/src/option.rs",
            Some("core::option"),
        );
        check(
            "/rustc/0a1b2c/library/std/src/../../backtrace/src/symbolize/mod.rs",
            Some("backtrace::symbolize"),
        );
        check(
            "/work/vendor/bytes/src/buf/buf_impl.rs",
            Some("bytes::buf::buf_impl"),
        );
    }

    #[test]
    fn a_binary_is_a_crate_of_its_own() {
        check("/home/u/app/src/bin/load-test.rs", Some("load_test"));
        check("/home/u/app/src/bin/server/http.rs", Some("server::http"));
        check("/home/u/app/examples/echo.rs", Some("echo"));
        check("/home/u/app/tests/it/main.rs", Some("it"));
    }

    #[test]
    fn the_crate_of_the_unit_has_its_own_name() {
        check_own(
            "src/main.rs/@/big.31ba0591ee13b56e-cgu.00",
            "/home/u/app/src/net/tcp.rs",
            Some("big::net::tcp"),
        );
        check_own(
            "src/main.rs/@/big.31ba0591ee13b56e-cgu.00",
            "src/net/tcp.rs",
            Some("big::net::tcp"),
        );
        check_own(
            "crates/recorder/src/lib.rs/@/exectrace.31ba-cgu.0",
            "/home/u/app/crates/recorder/src/lane.rs",
            Some("exectrace::lane"),
        );
        check_own(
            "/r/tokio-1.54.1/src/lib.rs/@/tokio.31ba-cgu.0",
            "/r/tokio-1.54.1/src/task/mod.rs",
            Some("tokio::task"),
        );
        check_own(
            "src/main.rs/@/big.31ba-cgu.0",
            "/rustc/0a/library/core/src/option.rs",
            Some("core::option"),
        );
    }

    #[test]
    fn what_tells_no_module_is_none() {
        for file in [
            "",
            "/",
            "x.c",
            "/usr/src/glibc/malloc.c",
            "/t/build/gen-12/out/parser.rs",
            "/src/",
            "//src/lib.rs",
            "/tests/",
        ] {
            check(file, None);
        }
        assert_eq!(CrateRoot::of_unit("malloc.c"), None);
        assert_eq!(CrateRoot::of_unit("/@/"), None);
    }
}
