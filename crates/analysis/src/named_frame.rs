//! Frames of stacks as texts.

use std::borrow::Cow;

/// A frame of a stack, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct NamedFrame {
    /// The function; empty where the trace has no names.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The address.
    pub pc: u64,
}

/// Crates whose code says little of a program: the standard library, and what programs wait with.
const CRATES: [&str; 15] = [
    "alloc",
    "atomic_waker",
    "core",
    "exectrace",
    "exectrace_std",
    "exectrace_tokio",
    "futures_channel",
    "futures_core",
    "futures_executor",
    "futures_util",
    "parking_lot",
    "parking_lot_core",
    "std",
    "tokio",
    "tokio_util",
];

/// What Go's packages of that kind begin with.
const PACKAGES: [&str; 11] = [
    "bufio", "context", "internal", "io", "iter", "net", "os", "runtime", "sync", "syscall", "time",
];

impl NamedFrame {
    /// What to call it: its function, or its address.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        if self.function.is_empty() {
            Cow::Owned(format!("{:#x}", self.pc))
        } else {
            Cow::Borrowed(&self.function)
        }
    }

    /// Whether it is code that says little of a program: of its language's runtime and standard library, or of what it waits with.
    ///
    /// Told by the name of the function, so that a stack can be shown by its innermost frame that is the program's own.
    #[must_use]
    pub fn is_of_library(&self) -> bool {
        let name = self.function.trim_start_matches(['<', '&', '(', '[']);
        let Some((path, _)) = name.split_once("::") else {
            // What has neither is of C.
            let package = name.split_once(['/', '.']);
            return package.is_none_or(|(package, _)| PACKAGES.contains(&package));
        };
        // Of `<T as core::future::Future>::poll` the trait says more.
        let path = path.rsplit(' ').next().unwrap_or_default();
        CRATES.contains(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(function: &str, is_of_library: bool) {
        let frame = NamedFrame {
            function: function.to_owned(),
            file: String::new(),
            line: 1,
            pc: 1,
        };
        assert_eq!(frame.is_of_library(), is_of_library, "{function}");
    }

    #[test]
    fn libraries_are_told_by_names() {
        for function in [
            "",
            "start_thread",
            "runtime.chanrecv1",
            "sync.(*Mutex).Lock",
            "internal/poll.(*FD).Read",
            "net/http.(*conn).serve",
            "std::thread::park",
            "<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll",
            "<T as core::future::future::Future>::poll",
            "<&mut F as core::future::future::Future>::poll",
            "exectrace_std::sync::condvar::Condvar::wait",
        ] {
            check(function, true);
        }
        for function in [
            "main.main",
            "main.(*T).run[go.shape.int]",
            "github.com/a/runtime.F",
            "runtimes.f",
            "app::serve::{{closure}}",
            "<app::Task as core::future::future::Future>::poll",
            "tokio_app::run",
        ] {
            check(function, false);
        }
    }
}
