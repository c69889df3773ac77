//! What the tests share: one recording at a time, and who let whom go on in it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exectrace::hook::TaskRef;
use exectrace::{Session, Statistics};
use exectrace_testkit::{Accepted, Scratch, V1Dump};

/// A process has one session at a time, so its tests take turns.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sink whose bytes can be looked at.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A recording that goes on.
pub(crate) struct Recording {
    memory: Memory,
    session: Session,
}

impl Recording {
    pub(crate) fn start() -> Self {
        let memory = Memory::default();
        let session = exectrace::start(memory.clone()).expect("the session starts");
        Self { memory, session }
    }

    /// Ends it. Both of Go's tools take it, and Go 1.19 counts what the recorder counted.
    pub(crate) fn check(self) -> (Statistics, Accepted) {
        self.check_by(exectrace_testkit::accepts)
    }

    /// As [`Self::check`], and every page and profile of the tools comes out.
    pub(crate) fn check_pages(self) -> (Statistics, Accepted) {
        self.check_by(exectrace_testkit::opens)
    }

    fn check_by(self, tools: fn(&Path) -> Accepted) -> (Statistics, Accepted) {
        let statistics = self.session.stop();
        assert!(statistics.is_complete(), "{statistics}");
        let scratch = Scratch::new("recording");
        let bytes = self.memory.0.lock().expect("no panic").clone();
        let accepted = tools(&scratch.file("recording.trace", &bytes));
        if let Some(dump) = &accepted.v1 {
            let counts: Vec<(String, u64)> = dump.counts().into_iter().collect();
            let ours: std::collections::BTreeMap<String, u64> = statistics
                .events
                .iter()
                .map(|(name, count)| (name.to_owned(), count))
                .collect();
            assert_eq!(counts, ours.into_iter().collect::<Vec<_>>());
        }
        (statistics, accepted)
    }
}

/// Records what `work` does, and returns what Go's tools read.
pub(crate) fn record<R>(work: impl FnOnce() -> R) -> (Accepted, R) {
    let recording = Recording::start();
    let result = work();
    (recording.check().1, result)
}

/// The task of the calling thread.
pub(crate) fn own_task() -> u64 {
    TaskRef::current().map_or(0, |task| task.id())
}

/// A thread that is about to wait, as others see it.
#[derive(Default)]
pub(crate) struct Sleeper {
    task: AtomicU64,
    thread: AtomicU64,
}

impl Sleeper {
    pub(crate) const fn new() -> Self {
        Self {
            task: AtomicU64::new(0),
            thread: AtomicU64::new(0),
        }
    }

    /// The calling thread does nothing but wait from now on.
    pub(crate) fn falls_asleep(&self) {
        let thread = fs::read_link("/proc/thread-self").expect("Linux has it");
        let id = thread.file_name().and_then(|name| name.to_str());
        let id = id.and_then(|id| id.parse().ok()).expect("a number");
        self.task.store(own_task(), Ordering::Relaxed);
        self.thread.store(id, Ordering::Release);
    }

    /// Waits until that thread sleeps; returns its task.
    pub(crate) fn until_asleep(&self) -> u64 {
        loop {
            let thread = self.thread.load(Ordering::Acquire);
            if thread != 0 {
                let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat"));
                let stat = stat.unwrap_or_default();
                let state = stat
                    .rsplit_once(") ")
                    .map(|(_, rest)| rest.starts_with('S'));
                if state == Some(true) {
                    return self.task.load(Ordering::Relaxed);
                }
            }
            std::thread::yield_now();
        }
    }
}

/// A wait in a recording: its event, and the task that ended it; 0 for nobody.
pub(crate) type Wait = (String, u64);

/// The waits of a task, in order.
pub(crate) fn waits_of(dump: &V1Dump, task: u64) -> Vec<Wait> {
    let mut waits = Vec::new();
    for line in &dump.lines {
        let is_wait = line.name.starts_with("GoBlock") || line.name == "GoSleep";
        if line.task == task && is_wait {
            waits.push((line.name.clone(), u64::MAX));
        }
        let is_wake = line.name == "GoUnblock" && argument(line, "g") == Some(task);
        if let (true, Some(wait)) = (is_wake, waits.last_mut()) {
            wait.1 = line.task;
        }
    }
    waits
}

fn argument(line: &exectrace_testkit::V1Line, name: &str) -> Option<u64> {
    line.argument(name)?.parse().ok()
}

/// Asserts that a task waited so, each wait ended by the given task.
#[track_caller]
pub(crate) fn assert_waits(accepted: &Accepted, task: u64, expected: &[(&str, u64)]) {
    assert_ne!(task, 0);
    if let Some(dump) = &accepted.v1 {
        let waits = waits_of(dump, task);
        let waits: Vec<(&str, u64)> = waits.iter().map(|(kind, by)| (&**kind, *by)).collect();
        assert_eq!(waits, expected, "task {task}");
    }
}
