//! What the recorder's integration tests share: one recording at a time, checked by Go's own tools.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exectrace::{Recorder, Statistics};
use exectrace_testkit::{Accepted, Scratch};

/// A process has one session at a time, so its tests take turns.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sink whose bytes can be looked at.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    pub(crate) fn bytes(&self) -> Vec<u8> {
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
pub(crate) struct Recorded {
    pub(crate) statistics: Statistics,
    pub(crate) path: PathBuf,
    _scratch: Scratch,
}

impl Recorded {
    /// Both of Go's tools take it by the test kit's `level`, and Go 1.19 counts what the recorder counted.
    #[track_caller]
    pub(crate) fn check(&self, level: fn(&Path) -> Accepted) -> Accepted {
        let accepted = level(&self.path);
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
pub(crate) fn record<R>(recorder: Recorder, work: impl FnOnce() -> R) -> (Recorded, R) {
    let memory = Memory::default();
    let session = recorder.start(memory.clone()).expect("the session starts");
    let result = work();
    let statistics = session.stop();
    (save(&memory, statistics), result)
}

/// Puts a recording that was made by hand where Go's tools find it.
pub(crate) fn save(memory: &Memory, statistics: Statistics) -> Recorded {
    let scratch = Scratch::new("recording");
    let path = scratch.file("recording.trace", &memory.bytes());
    Recorded {
        statistics,
        path,
        _scratch: scratch,
    }
}
