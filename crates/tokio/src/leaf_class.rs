//! Why a task waits, read off the functions on the stack where its waker was cloned.
//!
//! A leaf future clones the waker deep inside of a library; the functions from there up to the first one of the program tell
//! what it waits for. Some primitives are made of others (a bounded channel of a semaphore, a barrier of a watch), so the
//! rows of [`ROWS`] are in order of precedence: the first row that has all of its functions in that stretch decides.

use exectrace::hook::{self, BlockReason, LeafClass};

/// Lets the recorder tell leaves apart by [`classify`].
pub(crate) fn install() {
    hook::set_leaf_classifier(classify);
}

/// What the functions on a leaf's stack, innermost first, say of the wait.
pub(crate) fn classify(functions: &[&str]) -> LeafClass {
    let len = functions
        .iter()
        .position(|function| is_program_s(function))
        .unwrap_or(functions.len());
    let library = &functions[..len];
    ROWS.iter()
        .find(|row| row.stands_in(library))
        .map_or(LeafClass::Waits(BlockReason::Other), |row| row.class)
}

/// A kind of wait, and the functions that give it away.
struct Row {
    /// Each of these must be the beginning of a function's path.
    paths: &'static [&'static str],
    /// The end that one of the functions of the last path must have; empty for any.
    end: &'static str,
    class: LeafClass,
}

impl Row {
    fn stands_in(&self, functions: &[&str]) -> bool {
        let ends = |index: usize| {
            if index + 1 == self.paths.len() {
                self.end
            } else {
                ""
            }
        };
        self.paths.iter().enumerate().all(|(index, path)| {
            functions
                .iter()
                .any(|function| begins_with(function, path) && function.ends_with(ends(index)))
        })
    }
}

const fn row(paths: &'static [&'static str], class: LeafClass) -> Row {
    Row {
        paths,
        end: "",
        class,
    }
}

const fn row_of(path: &'static [&'static str], end: &'static str, class: LeafClass) -> Row {
    Row {
        paths: path,
        end,
        class,
    }
}

const RECEIVE: LeafClass = LeafClass::Waits(BlockReason::Receive);
const SEND: LeafClass = LeafClass::Waits(BlockReason::Send);
const SYNC: LeafClass = LeafClass::Waits(BlockReason::Sync);
const COND: LeafClass = LeafClass::Waits(BlockReason::Cond);
const NET: LeafClass = LeafClass::Waits(BlockReason::Net);
const SELECT: LeafClass = LeafClass::Waits(BlockReason::Select);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // A turn given up: `yield_now`, a spent budget.
    row(&["tokio::runtime::scheduler::defer"], LeafClass::Yields),
    row(&["tokio::runtime::context::defer"], LeafClass::Yields),
    // Sets of futures, which wake themselves.
    row(&["tokio::task::join_set"], SELECT),
    row(&["tokio::util::idle_notified_set"], SELECT),
    row(&["futures_util::stream::futures_unordered"], SELECT),
    // Made of a watch, a semaphore, a notification.
    row(&["tokio::sync::barrier"], SYNC),
    row(&["tokio::sync::once_cell"], SYNC),
    row(&["tokio::sync::set_once"], SYNC),
    // Until nobody receives any more.
    row_of(&["tokio::sync::mpsc"], "closed", COND),
    row_of(&["tokio::sync::oneshot"], "closed", COND),
    row_of(&["tokio::sync::broadcast"], "closed", COND),
    row_of(&["tokio::sync::watch"], "closed", COND),
    // Room in a bounded channel is a permit.
    row(&["tokio::sync::batch_semaphore", "tokio::sync::mpsc"], SEND),
    row(&["tokio::sync::mpsc"], RECEIVE),
    row(&["tokio::sync::oneshot"], RECEIVE),
    row(&["tokio::sync::broadcast"], RECEIVE),
    row(&["tokio::sync::watch"], RECEIVE),
    row(&["tokio::sync::notify"], COND),
    row(&["tokio::sync::batch_semaphore"], SYNC),
    row(&["tokio::runtime::task::join"], SYNC),
    // Readiness of sockets, pipes and whatever else the I/O driver watches.
    row(&["tokio::runtime::io"], NET),
    // Pipes in memory.
    row_of(&["tokio::io::util::mem"], "poll_read", RECEIVE),
    row_of(&["tokio::io::util::mem"], "poll_read_internal", RECEIVE),
    row(&["tokio::io::util::mem"], SEND),
    // What is common beside Tokio's own.
    row_of(&["futures_channel::mpsc"], "poll_ready", SEND),
    row(&["futures_channel::mpsc"], RECEIVE),
    row(&["futures_channel::oneshot"], RECEIVE),
    row(&["futures_util::lock"], SYNC),
    row(&["futures_util::future::future::shared"], SYNC),
    row(&["event_listener", "async_channel::Send"], SEND),
    row(&["event_listener", "async_channel"], RECEIVE),
    row(&["event_listener"], SYNC),
    row(&["flume::async::SendFut"], SEND),
    row(&["flume::async"], RECEIVE),
    // Timers count only if the task waits for nothing else.
    row(&["tokio::runtime::time"], LeafClass::Timer),
    row(&["tokio::time"], LeafClass::Timer),
];

/// Crates whose functions stand between a leaf and the program.
const LIBRARIES: [&str; 18] = [
    "alloc",
    "async_channel",
    "async_lock",
    "core",
    "event_listener",
    "event_listener_strategy",
    "exectrace",
    "exectrace_tokio",
    "flume",
    "futures",
    "futures_channel",
    "futures_core",
    "futures_util",
    "parking_lot",
    "std",
    "tokio",
    "tokio_stream",
    "tokio_util",
];

/// Whether a function is the program's own. One without a path is nobody's: a parameter's method, an intrinsic.
fn is_program_s(function: &str) -> bool {
    let path = subject(function);
    match path.split_once("::") {
        Some((root, _)) if root.bytes().all(is_word) => !LIBRARIES.contains(&root),
        _ => false,
    }
}

fn begins_with(function: &str, path: &str) -> bool {
    subject(function)
        .strip_prefix(path)
        .is_some_and(|rest| !rest.bytes().next().is_some_and(is_word))
}

/// A function's path, of a trait's function that of the type which has the trait.
fn subject(function: &str) -> &str {
    let mut path = function.trim_start_matches(['<', '&', '*', '(']);
    for word in ["mut ", "const ", "dyn "] {
        path = path.strip_prefix(word).unwrap_or(path);
    }
    path
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(functions: &[&str], expect: LeafClass) {
        assert_eq!(classify(functions), expect, "{functions:#?}");
    }

    /// Each as it was recorded with Tokio 1.54, optimised or not, the standard library's functions in between left out.
    #[test]
    fn tokio_s_leaves_are_known_by_their_functions() {
        check(
            &[
                "tokio::sync::task::atomic_waker::AtomicWaker::do_register",
                "tokio::runtime::time::entry::TimerEntry::poll_elapsed",
                "<tokio::time::sleep::Sleep as core::future::future::Future>::poll",
                "app::sleeper",
            ],
            LeafClass::Timer,
        );
        check(
            &[
                "tokio::sync::task::atomic_waker::AtomicWaker::register_by_ref",
                "tokio::sync::mpsc::chan::Rx<T,S>::recv",
                "tokio::sync::mpsc::bounded::Receiver<T>::recv",
                "app::receiver",
            ],
            RECEIVE,
        );
        check(
            &[
                "<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll",
                "tokio::sync::mpsc::bounded::Sender<T>::reserve_inner",
                "app::sender",
            ],
            SEND,
        );
        check(
            &[
                "<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll",
                "tokio::sync::mutex::Mutex<T>::acquire",
                "app::locker",
            ],
            SYNC,
        );
        check(
            &[
                "tokio::sync::notify::Notified::poll_notified",
                "<tokio::sync::notify::Notified as core::future::future::Future>::poll",
                "app::waiter",
            ],
            COND,
        );
        check(
            &[
                "tokio::runtime::io::scheduled_io::ScheduledIo::poll_readiness",
                "tokio::runtime::io::registration::Registration::poll_ready",
                "<tokio::net::tcp::stream::TcpStream as tokio::io::async_read::AsyncRead>::poll_read",
                "app::reader",
            ],
            NET,
        );
        check(
            &[
                "tokio::runtime::scheduler::defer::Defer::defer",
                "tokio::task::yield_now::yield_now",
                "app::yielder",
            ],
            LeafClass::Yields,
        );
    }

    #[test]
    fn what_a_primitive_is_made_of_does_not_name_it() {
        check(
            &[
                "tokio::sync::notify::Notified::poll_notified",
                "tokio::sync::watch::changed_impl",
                "tokio::sync::barrier::Barrier::wait_internal",
            ],
            SYNC,
        );
        check(
            &[
                "tokio::sync::notify::Notified::poll_notified",
                "tokio::sync::watch::Receiver<T>::changed",
            ],
            RECEIVE,
        );
        check(
            &[
                "tokio::sync::notify::Notified::poll_notified",
                "tokio::sync::watch::Sender<T>::closed",
            ],
            COND,
        );
    }

    #[test]
    fn what_lies_beyond_the_program_s_own_function_does_not_count() {
        check(
            &[
                "<tokio::time::sleep::Sleep as core::future::future::Future>::poll",
                "app::make",
                "tokio::sync::once_cell::OnceCell<T>::get_or_init",
            ],
            LeafClass::Timer,
        );
        check(
            &["app::future", "tokio::sync::mpsc::recv"],
            LeafClass::Waits(BlockReason::Other),
        );
    }

    #[test]
    fn a_path_is_a_whole_word_and_a_type_s_own() {
        check(
            &["tokio::sync::watchmaker::f"],
            LeafClass::Waits(BlockReason::Other),
        );
        check(
            &["tokio_postgres::f", "tokio::sync::notify::f"],
            LeafClass::Waits(BlockReason::Other),
        );
        check(
            &["std::panicking::catch_unwind<tokio::sync::notify::f>"],
            LeafClass::Waits(BlockReason::Other),
        );
        check(
            &[
                "T",
                "<&mut T as a::B>::f",
                "<&mut tokio::sync::notify::Notified as F>::poll",
            ],
            COND,
        );
        check(&[], LeafClass::Waits(BlockReason::Other));
    }
}
