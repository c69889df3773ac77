//! What the recorder's integration tests share: one recording at a time, checked by Go's own tools.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exectrace::{Recorder, Statistics};
use exectrace_testkit::{Accepted, Scratch};

/// A process has one session at a time, so its tests take turns.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sink whose bytes can be looked at.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no panic").clone()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A recording, its account, and where it is.
pub struct Recorded {
    pub statistics: Statistics,
    pub path: PathBuf,
    _scratch: Scratch,
}

impl Recorded {
    /// Both of Go's tools take it, and Go 1.19 counts what the recorder counted.
    pub fn check(&self) -> Accepted {
        self.check_counts(exectrace_testkit::accepts(&self.path))
    }

    /// As [`Self::check`], and every page and profile of the tools comes out.
    pub fn check_pages(&self) -> Accepted {
        self.check_counts(exectrace_testkit::opens(&self.path))
    }

    fn check_counts(&self, accepted: Accepted) -> Accepted {
        if let Some(dump) = &accepted.v1 {
            let ours: std::collections::BTreeMap<String, u64> = self
                .statistics
                .events
                .iter()
                .map(|(name, count)| (name.to_owned(), count))
                .collect();
            assert_eq!(dump.counts(), ours);
        }
        accepted
    }
}

/// Records what `work` does.
pub fn record<R>(work: impl FnOnce() -> R) -> (Recorded, R) {
    record_with(Recorder::new(), work)
}

/// Records what `work` does, with options.
pub fn record_with<R>(recorder: Recorder, work: impl FnOnce() -> R) -> (Recorded, R) {
    let memory = Memory::default();
    let session = recorder.start(memory.clone()).expect("the session starts");
    let result = work();
    let statistics = session.stop();
    (save(&memory, statistics), result)
}

/// Puts a recording that was made by hand where Go's tools find it.
pub fn save(memory: &Memory, statistics: Statistics) -> Recorded {
    let scratch = Scratch::new("recording");
    let path = scratch.file("recording.trace", &memory.bytes());
    Recorded {
        statistics,
        path,
        _scratch: scratch,
    }
}
