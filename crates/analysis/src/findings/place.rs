//! Places in code, and which of a stack is the program's own.

use exectrace_reader::{Frame, StackId, Tables};

/// A place in code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The function.
    pub function: String,
    /// The file; empty if that is not told.
    pub file: String,
    /// The line; 0 if that is not told.
    pub line: u64,
}

impl Place {
    /// Whether it is the program's own code, as far as names tell, and not that of a library.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !is_library(&self.function)
    }

    fn of(frame: &Frame, tables: &Tables<'_>) -> Self {
        Self {
            function: tables.text(frame.function).into_owned(),
            file: tables.text(frame.file).into_owned(),
            line: frame.line,
        }
    }
}

/// How many places are told of a stack.
const PLACES_MAX: usize = 16;

/// The places of a stack, innermost first, from what the program calls on: how a library does it is nobody's business here.
pub(super) fn from_own(stack: StackId, tables: &Tables<'_>) -> Vec<Place> {
    let frames = tables.frames(stack);
    let own = frames
        .clone()
        .position(|frame| !is_library(&tables.text(frame.function)));
    let from = own.unwrap_or(0).saturating_sub(1);
    let places = frames.skip(from).map(|frame| Place::of(frame, tables));
    places.take(PLACES_MAX).collect()
}

/// The innermost place that is the program's own; if all is in libraries the innermost of all.
pub(super) fn own(stack: StackId, tables: &Tables<'_>) -> Option<Place> {
    let mut frames = tables.frames(stack);
    let innermost = frames.clone().next()?;
    let own = frames.find(|frame| !is_library(&tables.text(frame.function)));
    Some(Place::of(own.unwrap_or(innermost), tables))
}

/// The outermost place: what a task runs.
pub(super) fn outermost(stack: StackId, tables: &Tables<'_>) -> Option<Place> {
    let frame = tables.frames(stack).last()?;
    Some(Place::of(frame, tables))
}

/// Crates that programs are built on, in whose code nobody looks for what is wrong with the program.
const CRATES: [&str; 36] = [
    "alloc",
    "async_channel",
    "async_lock",
    "axum",
    "axum_core",
    "backtrace",
    "core",
    "crossbeam",
    "crossbeam_channel",
    "event_listener",
    "exectrace",
    "exectrace_std",
    "exectrace_tokio",
    "flume",
    "futures",
    "futures_channel",
    "futures_core",
    "futures_executor",
    "futures_util",
    "h2",
    "hashbrown",
    "hyper",
    "hyper_util",
    "mio",
    "parking_lot",
    "parking_lot_core",
    "rayon",
    "rayon_core",
    "std",
    "tokio",
    "tokio_stream",
    "tokio_util",
    "tower",
    "tower_service",
    "tracing",
    "tracing_core",
];

/// First elements of the paths of Go's own packages.
const GO_PACKAGES: [&str; 44] = [
    "archive",
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
];

/// Whether a function belongs to what programs are built on.
fn is_library(function: &str) -> bool {
    // `<T as a::B>::c` belongs to T, and to a if T is of the language; `&mut T` to T.
    let (subject, of_trait) = match function
        .strip_prefix('<')
        .unwrap_or(function)
        .split_once(" as ")
    {
        Some((subject, of_trait)) if function.starts_with('<') => (subject, Some(of_trait)),
        _ => (function, None),
    };
    let path = subject.trim_start_matches(['<', '&', '*', '(', '[']);
    let path = ["mut ", "const ", "dyn "]
        .iter()
        .fold(path, |path, word| path.strip_prefix(word).unwrap_or(path));
    let root = path
        .split_once("::")
        .or(of_trait.and_then(|path| path.split_once("::")));
    if let Some((root, _)) = root {
        return CRATES.binary_search(&root).is_ok();
    }
    // Go: `net/http.(*conn).serve`, `main.work`, `example.org/app.Run`.
    match path.split_once(['/', '.']) {
        Some((root, _)) => GO_PACKAGES.binary_search(&root).is_ok(),
        // C.
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_functions_are_told_from_those_of_libraries() {
        assert!(CRATES.is_sorted() && GO_PACKAGES.is_sorted());
        for function in [
            "tokio::sync::mutex::Mutex<T>::lock",
            "<tokio::time::sleep::Sleep as core::future::future::Future>::poll",
            "<&mut tokio::net::TcpStream as Read>::read",
            "std::thread::sleep",
            "<u64 as core::iter::traits::accum::Sum>::sum::{{closure}}",
            "<F as core::ops::function::FnOnce<()>>::call_once",
            "malloc",
            "__libc_start_main",
            "runtime.gopark",
            "net/http.(*conn).serve",
            "sync.(*Mutex).Lock",
            "internal/poll.runtime_pollWait",
        ] {
            assert!(is_library(function), "{function}");
        }
        for function in [
            "app::serve",
            "<app::Timer as core::future::future::Future>::poll",
            "main.work",
            "main.main.func1",
            "example.org/app/db.(*Pool).Get",
            "mini_redis::server::Handler::run",
        ] {
            assert!(!is_library(function), "{function}");
        }
    }
}
