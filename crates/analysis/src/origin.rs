//! Whose code a function is: told by its name, so that a stack can be shown by what is the program's own.

/// Whose code a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program's own.
    Own,
    /// Of what programs are built on: servers, clients, channels.
    Framework,
    /// Of the language's runtime and standard library, or of what programs wait with.
    Runtime,
}

use Origin::{Framework, Runtime};

/// Crates that are not a program's own, by name.
const CRATES: [(&str, Origin); 37] = [
    ("alloc", Runtime),
    ("async_channel", Framework),
    ("async_lock", Framework),
    ("atomic_waker", Runtime),
    ("axum", Framework),
    ("axum_core", Framework),
    ("backtrace", Framework),
    ("core", Runtime),
    ("crossbeam", Framework),
    ("crossbeam_channel", Framework),
    ("event_listener", Framework),
    ("exectrace", Runtime),
    ("exectrace_std", Runtime),
    ("exectrace_tokio", Runtime),
    ("flume", Framework),
    ("futures", Framework),
    ("futures_channel", Runtime),
    ("futures_core", Runtime),
    ("futures_executor", Runtime),
    ("futures_util", Runtime),
    ("h2", Framework),
    ("hashbrown", Framework),
    ("hyper", Framework),
    ("hyper_util", Framework),
    ("mio", Framework),
    ("parking_lot", Runtime),
    ("parking_lot_core", Runtime),
    ("rayon", Framework),
    ("rayon_core", Framework),
    ("std", Runtime),
    ("tokio", Runtime),
    ("tokio_stream", Framework),
    ("tokio_util", Runtime),
    ("tower", Framework),
    ("tower_service", Framework),
    ("tracing", Framework),
    ("tracing_core", Framework),
];

/// First elements of the paths of Go's own packages, by name.
const PACKAGES: [(&str, Origin); 44] = [
    ("archive", Framework),
    ("bufio", Runtime),
    ("bytes", Framework),
    ("cmp", Framework),
    ("compress", Framework),
    ("container", Framework),
    ("context", Runtime),
    ("crypto", Framework),
    ("database", Framework),
    ("debug", Framework),
    ("embed", Framework),
    ("encoding", Framework),
    ("errors", Framework),
    ("expvar", Framework),
    ("flag", Framework),
    ("fmt", Framework),
    ("go", Framework),
    ("hash", Framework),
    ("html", Framework),
    ("image", Framework),
    ("index", Framework),
    ("internal", Runtime),
    ("io", Runtime),
    ("iter", Runtime),
    ("log", Framework),
    ("maps", Framework),
    ("math", Framework),
    ("mime", Framework),
    ("net", Runtime),
    ("os", Runtime),
    ("path", Framework),
    ("plugin", Framework),
    ("reflect", Framework),
    ("regexp", Framework),
    ("runtime", Runtime),
    ("slices", Framework),
    ("sort", Framework),
    ("strconv", Framework),
    ("strings", Framework),
    ("sync", Runtime),
    ("syscall", Runtime),
    ("testing", Framework),
    ("text", Framework),
    ("time", Runtime),
];

impl Origin {
    /// That of a function of Rust, Go or C.
    pub(crate) fn of(function: &str) -> Self {
        // `<T as a::B>::c` is T's, and a's where T says nothing; `&mut T` is T's.
        let is_cast = function.starts_with('<');
        let cast = function.split_once(" as ").filter(|_| is_cast);
        let (subject, of_trait) = cast.map_or((function, ""), |cast| cast);
        let path = subject.trim_start_matches(['<', '&', '*', '(', '[']);
        let path = ["mut ", "const ", "dyn "]
            .iter()
            .fold(path, |path, word| path.strip_prefix(word).unwrap_or(path));
        let root = path.split_once("::").or_else(|| of_trait.split_once("::"));
        if let Some((root, _)) = root {
            return find(&CRATES, root);
        }
        // `net/http.(*conn).serve`, `main.work`, `example.org/app.Run`; what has neither is of C.
        path.split_once(['/', '.'])
            .map_or(Runtime, |(root, _)| find(&PACKAGES, root))
    }
}

fn find(table: &[(&str, Origin)], name: &str) -> Origin {
    let row = table.binary_search_by_key(&name, |(name, _)| name);
    row.map_or(Origin::Own, |row| table[row].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_by_names() {
        assert!(CRATES.is_sorted_by_key(|row| row.0) && PACKAGES.is_sorted_by_key(|row| row.0));
        for function in [
            "",
            "malloc",
            "start_thread",
            "runtime.chanrecv1",
            "sync.(*Mutex).Lock",
            "internal/poll.(*FD).Read",
            "net/http.(*conn).serve",
            "std::thread::park",
            "tokio::sync::mutex::Mutex<T>::lock",
            "<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll",
            "<&mut tokio::net::TcpStream as Read>::read",
            "<T as core::future::future::Future>::poll",
            "<&mut F as core::future::future::Future>::poll",
            "<u64 as core::iter::traits::accum::Sum>::sum::{{closure}}",
            "exectrace_std::sync::condvar::Condvar::wait",
        ] {
            assert_eq!(Origin::of(function), Runtime, "{function}");
        }
        for function in [
            "hyper::server::conn::http1::serve",
            "encoding/json.Unmarshal",
        ] {
            assert_eq!(Origin::of(function), Framework, "{function}");
        }
        for function in [
            "main.main",
            "main.main.func1",
            "main.(*T).run[go.shape.int]",
            "github.com/a/runtime.F",
            "example.org/app/db.(*Pool).Get",
            "runtimes.f",
            "app::serve::{{closure}}",
            "<app::Task as core::future::future::Future>::poll",
            "mini_redis::server::Handler::run",
            "tokio_app::run",
        ] {
            assert_eq!(Origin::of(function), Origin::Own, "{function}");
        }
    }
}
