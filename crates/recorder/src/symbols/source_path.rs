//! From a source file to the module that it most likely is.
//!
//! With `debug = "line-tables-only"`, which is what the recorder asks of a program, rustc names an inlined function without
//! its path: `poll<…>`, `new`, `next`. Its file says the rest: `…/tokio-1.54.1/src/sync/mpsc/chan.rs` is `tokio::sync::mpsc::chan`.
//! Types and modules inside of a file stay unknown, and a crate whose folder is named differently gets the folder's name.

/// Between the path of a crate's root file and the name of a unit, in what rustc calls a unit.
const UNIT_MARK: &str = "/@/";

/// Where the sources of a program's crates lie.
///
/// rustc names each unit `src/main.rs/@/app.0123456789abcdef-cgu.0`, from the directory where it was run. An incremental build
/// leaves the crate's name out; then the functions that have a whole name tell it ([`CrateRoots::learn`]). Crates of which all
/// code is generic have no unit; their paths alone must do.
#[derive(Debug, Default)]
pub(super) struct CrateRoots {
    /// By folder.
    roots: Vec<CrateRoot>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CrateRoot {
    folder: String,
    file: String,
    /// Empty until learned.
    name: String,
}

/// Whether a unit of this name comes from rustc.
pub(super) fn is_rust_unit(name: &[u8]) -> bool {
    name.windows(UNIT_MARK.len())
        .any(|part| part == UNIT_MARK.as_bytes())
}

impl CrateRoots {
    /// Takes in the name of a unit and the directory where it was compiled.
    pub(super) fn note(&mut self, unit: &[u8], directory: &[u8]) {
        let texts = (str::from_utf8(unit), str::from_utf8(directory));
        let (Ok(unit), Ok(directory)) = texts else {
            return;
        };
        let Some(root) = CrateRoot::of_unit(unit, directory) else {
            return;
        };
        // The units of a crate stand together.
        if self.roots.last() != Some(&root) {
            self.roots.push(root);
        }
    }

    /// To be called once all are noted.
    pub(super) fn arrange(&mut self) {
        self.roots.sort_unstable();
        self.roots.dedup();
    }

    /// Takes in that `function`, with its whole name, stands in `file`.
    pub(super) fn learn(&mut self, file: &str, function: &str) {
        if let Some((name, _)) = function.split_once("::")
            && is_name(name)
            && let Some((index, _)) = self.nearest(file)
            && self.roots[index].name.is_empty()
        {
            name.clone_into(&mut self.roots[index].name);
        }
    }

    /// The module that `file` is, as far as its path tells.
    pub(super) fn module_of(&self, file: &str) -> Option<String> {
        if !file.ends_with(".rs") {
            return None;
        }
        match self.nearest(file) {
            Some((index, inside)) if !self.roots[index].name.is_empty() => {
                Some(self.roots[index].module(inside))
            }
            _ => module_by_path(file),
        }
    }

    /// The root in whose folder `file` is, and the rest of the path: the innermost folder; of a library and a program in one
    /// folder the one whose root it is, else the library.
    fn nearest<'f>(&self, file: &'f str) -> Option<(usize, &'f str)> {
        let inside = |root: &CrateRoot| file.strip_prefix(&root.folder)?.strip_prefix('/');
        let roots = self.roots.iter().enumerate();
        roots
            .filter_map(|(index, root)| Some((index, inside(root)?)))
            .min_by_key(|(index, inside)| (inside.len(), *inside != self.roots[*index].file))
    }
}

impl CrateRoot {
    fn of_unit(unit: &str, directory: &str) -> Option<Self> {
        let (path, unit) = unit.split_once(UNIT_MARK)?;
        let name = unit.split_once('.').map_or("", |(name, _hash)| name);
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = match folder {
            absolute if path.starts_with('/') => absolute.to_owned(),
            "" => directory.to_owned(),
            relative => format!("{}/{relative}", directory.trim_end_matches('/')),
        };
        Some(Self {
            folder,
            file: file.to_owned(),
            name: name.to_owned(),
        })
    }

    fn module(&self, inside: &str) -> String {
        if inside == self.file {
            self.name.clone()
        } else {
            module(&self.name, inside)
        }
    }
}

fn module_by_path(file: &str) -> Option<String> {
    if let Some((folder, inside)) = file.rsplit_once("/src/") {
        let folder = folder.rsplit('/').next()?;
        if let Some(inside) = inside.strip_prefix("bin/") {
            return binary(inside);
        }
        return is_name(folder).then(|| module(without_version(folder), inside));
    }
    ["/examples/", "/tests/", "/benches/"]
        .iter()
        .find_map(|folder| binary(file.rsplit_once(folder)?.1))
}

/// A file that is a crate of its own, or the root of one.
fn binary(inside: &str) -> Option<String> {
    let (name, inside) = match inside.split_once('/') {
        Some((name, inside)) => (name, inside),
        None => (inside.strip_suffix(".rs")?, "main.rs"),
    };
    is_name(name).then(|| module(name, inside))
}

fn module(name: &str, inside: &str) -> String {
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
        check_in(&[], file, expect);
    }

    #[track_caller]
    fn check_in(units: &[&str], file: &str, expect: Option<&str>) {
        let mut roots = CrateRoots::default();
        for unit in units {
            roots.note(unit.as_bytes(), b"/home/u/app");
        }
        roots.arrange();
        assert_eq!(roots.module_of(file).as_deref(), expect);
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
            "/home/u/vendor/bytes/src/buf/buf_impl.rs",
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
    fn the_units_of_a_crate_tell_its_name() {
        let units = [
            "src/main.rs/@/big.31ba0591ee13b56e-cgu.00",
            "src/main.rs/@/big.31ba0591ee13b56e-cgu.01",
            "src/lib.rs/@/big_lib.41ba0591ee13b56e-cgu.0",
            "crates/recorder/src/lib.rs/@/exectrace.31ba-cgu.0",
            "/r/md-5-0.10.6/src/lib.rs/@/md5.31ba-cgu.0",
            "examples/echo.rs/@/echo.31ba-cgu.0",
            "malloc.c",
        ];
        let in_app =
            |file: &str, expect| check_in(&units, &format!("/home/u/app/{file}"), Some(expect));
        in_app("src/main.rs", "big");
        in_app("src/lib.rs", "big_lib");
        in_app("src/net/tcp.rs", "big_lib::net::tcp");
        in_app("crates/recorder/src/lane.rs", "exectrace::lane");
        in_app("examples/echo.rs", "echo");
        check_in(&units, "/r/md-5-0.10.6/src/block.rs", Some("md5::block"));
        check_in(
            &units,
            "/rustc/0a/library/core/src/option.rs",
            Some("core::option"),
        );
    }

    #[test]
    fn an_incremental_build_tells_crates_by_their_functions() {
        let mut roots = CrateRoots::default();
        for unit in [
            "src/lib.rs/@/0ovdln3y85yjcwzkz",
            "src/lib.rs/@/2kricrcy312gqmmp6",
        ] {
            roots.note(unit.as_bytes(), b"/home/u/my-app");
        }
        roots.arrange();
        let file = "/home/u/my-app/src/net.rs";
        assert_eq!(roots.module_of(file).as_deref(), Some("my_app::net"));
        // Not the crate's: elsewhere, or named by a type.
        roots.learn("/rustc/0a/library/core/src/option.rs", "core::option::map");
        roots.learn(file, "<app::Server as core::fmt::Debug>::fmt");
        assert_eq!(roots.module_of(file).as_deref(), Some("my_app::net"));
        roots.learn(file, "app::net::accept");
        assert_eq!(roots.module_of(file).as_deref(), Some("app::net"));
        roots.learn(file, "other::net::accept");
        assert_eq!(roots.module_of(file).as_deref(), Some("app::net"));
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
        check_in(&["/@/", "malloc.c", "a/@/b"], "malloc.c", None);
        assert!(is_rust_unit(b"src/main.rs/@/big.31ba-cgu.0"));
        assert!(!is_rust_unit(b"malloc.c"));
    }
}
