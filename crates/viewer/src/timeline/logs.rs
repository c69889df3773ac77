//! What the program logged, in order of time.

use std::collections::HashMap;

use exectrace_reader::{Event, StackId, StringId, UserTaskId};
use rustc_hash::FxBuildHasher;

use super::lot::Names;
use super::place::{Arena, Stretch};

/// The logs of a trace.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    logs: Vec<Log>,
    /// What they say: seldom the same twice.
    texts: Arena,
    keys: HashMap<StringId, String, FxBuildHasher>,
}

/// A message that the program logged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    pub(crate) at_ns: u64,
    /// Whose life; `None` where no task ran.
    pub(crate) life: Option<u32>,
    pub(crate) worker: i64,
    pub(crate) thread: u64,
    /// Which it belongs to; 0 for none.
    pub(crate) user_task: UserTaskId,
    pub(crate) stack: StackId,
    key: StringId,
    text: Stretch,
}

impl Logs {
    pub(super) fn add(
        &mut self,
        event: &Event,
        (at_ns, life): (u64, Option<u32>),
        user_task: UserTaskId,
        (key, message): (StringId, String),
        names: &Names,
    ) {
        let text = self.texts.keep(message.as_bytes());
        self.keys
            .entry(key)
            .or_insert_with(|| names.text(key).to_owned());
        self.logs.push(Log {
            at_ns,
            life,
            worker: event.worker.0,
            thread: event.thread.0,
            user_task,
            stack: event.stack,
            key,
            text,
        });
    }

    /// All was read: what was written side by side stands in order.
    pub(super) fn finish(&mut self) {
        self.logs.sort_by_key(|log| log.at_ns);
    }

    /// Those from one time to before another.
    pub(crate) fn between(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = &Log> {
        let start = self.logs.partition_point(|log| log.at_ns < from_ns);
        let logs = self.logs[start..].iter();
        logs.take_while(move |log| log.at_ns < to_ns)
    }

    /// All of them, in order of time.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Log> {
        self.logs.iter()
    }

    /// What it says.
    pub(crate) fn text(&self, log: &Log) -> &str {
        str::from_utf8(self.texts.bytes(log.text)).unwrap_or_default()
    }

    /// Its category; empty for none.
    pub(crate) fn key(&self, log: &Log) -> &str {
        self.keys.get(&log.key).map_or("", |key| key)
    }
}
