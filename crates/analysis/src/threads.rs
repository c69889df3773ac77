//! The threads of a recording.

use std::collections::BTreeMap;

use exectrace_reader::{Event, Tables, ThreadDescription, ThreadId, WorkerId};

/// What a recording of exectrace said of its threads, by the workers that they are in it; empty for a trace of Go's.
///
/// What was said last of a worker counts: a thread that ended may have a successor.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    by_worker: BTreeMap<i64, ThreadDescription>,
    /// What each was called last, also those that have a successor.
    names: BTreeMap<u64, String>,
}

impl Threads {
    /// The thread that a worker is.
    #[must_use]
    pub fn of_worker(&self, worker: WorkerId) -> Option<&ThreadDescription> {
        self.by_worker.get(&worker.0)
    }

    /// What a thread is called.
    #[must_use]
    pub fn name(&self, thread: ThreadId) -> Option<&str> {
        self.names.get(&thread.0).map(String::as_str)
    }

    /// Whether a worker runs the tasks of a runtime.
    #[must_use]
    pub fn is_runtime_worker(&self, worker: WorkerId) -> bool {
        self.of_worker(worker)
            .is_some_and(|thread| thread.role == "worker")
    }

    /// All, by worker.
    pub fn iter(&self) -> impl Iterator<Item = &ThreadDescription> {
        self.by_worker.values()
    }

    /// Takes note of an event, if it describes a thread.
    pub(crate) fn add(&mut self, event: &Event, tables: &Tables<'_>) {
        if let Some(thread) = ThreadDescription::of(event, tables) {
            self.names.insert(thread.thread, thread.name.clone());
            self.by_worker.insert(thread.worker.0, thread);
        }
    }
}
