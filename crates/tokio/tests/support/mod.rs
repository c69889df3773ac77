//! What the adapter's tests share: one recording at a time, checked by Go's own tools, and questions to what they read.
#![allow(dead_code, reason = "no test binary asks all questions")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exectrace::{Recorder, Session, Statistics};
use exectrace_testkit::{Accepted, Scratch, V1Dump, V2Dump, V2Line};

/// A process has one session at a time, so its tests take turns.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sink whose bytes can be looked at.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A session that is running.
pub(crate) struct Recording {
    memory: Memory,
    session: Session,
}

impl Recording {
    pub(crate) fn start() -> Self {
        let memory = Memory::default();
        let session = Recorder::new()
            .start(memory.clone())
            .expect("no other session");
        Self { memory, session }
    }

    /// Ends it. Both of Go's tools take what was recorded, and Go 1.19 counts what the recorder counted.
    #[track_caller]
    pub(crate) fn stop(self) -> Recorded {
        let statistics = self.session.stop();
        let scratch = Scratch::new("recording");
        let path = scratch.file(
            "recording.trace",
            &self.memory.0.lock().expect("no panic").clone(),
        );
        if let Ok(kept) = std::env::var("EXECTRACE_KEEP") {
            std::fs::copy(&path, kept).expect("the recording is kept");
        }
        assert!(statistics.is_complete(), "{statistics}");
        let accepted = exectrace_testkit::accepts(&path);
        if let Some(dump) = &accepted.v1 {
            let ours: BTreeMap<String, u64> = statistics
                .events
                .iter()
                .map(|(name, count)| (name.to_owned(), count))
                .collect();
            assert_eq!(dump.counts(), ours);
        }
        Recorded {
            statistics,
            path,
            accepted,
            _scratch: scratch,
        }
    }
}

/// A recording that both tools took.
pub(crate) struct Recorded {
    pub(crate) statistics: Statistics,
    pub(crate) path: PathBuf,
    pub(crate) accepted: Accepted,
    _scratch: Scratch,
}

impl Recorded {
    /// How many events of that name there are.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.statistics.events.of(name)
    }

    /// What Go 1.19 read; `None` without it.
    pub(crate) fn v1(&self) -> Option<&V1Dump> {
        self.accepted.v1.as_ref()
    }

    /// What Go 1.27 read; `None` without it.
    pub(crate) fn v2(&self) -> Option<&V2Dump> {
        self.accepted.v2.as_ref()
    }

    /// The numbers of the tasks whose entry function's name ends so, or that of a closure in it. `None` without Go 1.27.
    pub(crate) fn tasks_of(&self, entry: &str) -> Option<Vec<i64>> {
        let dump = self.v2()?;
        let created = dump.lines.iter().filter(|line| {
            line.detail.contains("NotExist->")
                && line
                    .transition_stack
                    .first()
                    .is_some_and(|frame| named(&frame.function, entry))
        });
        Some(created.filter_map(subject).collect())
    }

    /// What became of the tasks with that entry function: `Running->Waiting Reason="sleep"` and so on, in order. `None` without
    /// Go 1.27.
    pub(crate) fn transitions(&self, entry: &str) -> Option<Vec<&V2Line>> {
        let tasks = self.tasks_of(entry)?;
        let of_them = |line: &&V2Line| subject(line).is_some_and(|task| tasks.contains(&task));
        Some(self.v2()?.lines.iter().filter(of_them).collect())
    }
}

/// Whether a function, or the one that a closure stands in, is called so.
fn named(function: &str, name: &str) -> bool {
    function.ends_with(name) || function.trim_end_matches("::{{closure}}").ends_with(name)
}

/// The task that a state transition is about.
pub(crate) fn subject(line: &V2Line) -> Option<i64> {
    if line.kind != "StateTransition" {
        return None;
    }
    let (_, rest) = line.detail.split_once("GoID=")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Records what `work` does.
#[track_caller]
pub(crate) fn record<R>(work: impl FnOnce() -> R) -> (Recorded, R) {
    let recording = Recording::start();
    let result = work();
    (recording.stop(), result)
}

/// A runtime with two workers and everything on.
pub(crate) fn runtime_of_two() -> exectrace_tokio::runtime::Runtime {
    exectrace_tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}
