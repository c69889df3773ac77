//! What is shown.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread;

use exectrace_analysis::FindingsReport;
use exectrace_json::{FindingsLine, TraceFile};
use exectrace_reader::{Mode, Source, Timestamp};

use crate::export;
use crate::filters::Filters;
use crate::kept_times;
use crate::reports::{Computed, Question, Reports};
use crate::status::Status;
use crate::timeline::Timeline;
use crate::turns::Turns;

/// The bytes of a trace.
#[derive(Debug)]
pub enum Bytes {
    /// A file.
    Source(Source),
    /// Several, put together.
    Joined(Vec<u8>),
}

/// A trace that is shown.
#[derive(Debug)]
pub struct Subject {
    name: String,
    /// The same as arguments of a command, for a shell.
    arguments: String,
    pub(crate) bytes: Bytes,
    /// Why not all of a packed file could be unpacked.
    pub(crate) fault: Option<String>,
    /// The one that it is compared with.
    older: Option<Box<Subject>>,
    reports: Reports,
    pub(crate) filters: Filters,
    pub(crate) turns: Turns,
    pub(crate) timeline: Arc<RwLock<Timeline>>,
    status: Mutex<Status>,
}

/// How many findings the first screen asks for.
pub(crate) const FINDINGS_MAX: usize = 50;

/// The report that the timeline has all of.
const AT_HAND: &str = "tasks";

/// Of a file of more bytes a pass takes half a minute and gigabytes, which nobody asked for.
const PREPARED_MAX: usize = 1 << 28;

impl Bytes {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Source(source) => source.bytes(),
            Self::Joined(bytes) => bytes,
        }
    }
}

impl Subject {
    /// A trace of some name; `arguments` are its files as arguments of a command, for a shell.
    #[must_use]
    pub fn new(name: &str, arguments: &str, bytes: Bytes) -> Self {
        let status = Status {
            bytes: bytes.as_slice().len() as u64,
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            verdict: "whole",
            ..Status::default()
        };
        Self {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            bytes,
            fault: None,
            older: None,
            reports: Reports::default(),
            filters: Filters::default(),
            turns: Turns::default(),
            timeline: Arc::default(),
            status: Mutex::new(status),
        }
    }

    /// The same where not all of a packed file could be unpacked, and why.
    #[must_use]
    pub fn with_fault(mut self, fault: String) -> Self {
        self.fault = Some(fault);
        self
    }

    /// The same with an older trace that it is compared with.
    #[must_use]
    pub fn compared_with(mut self, older: Self) -> Self {
        self.lock().other = Some(older.name.clone());
        self.older = Some(Box::new(older));
        self
    }

    /// The files of the trace that it is compared with, as arguments of a command.
    pub(crate) fn older_arguments(&self) -> Option<&str> {
        let older = self.older.as_ref();
        older.map(|older| older.arguments.as_str())
    }

    pub(crate) fn status(&self) -> Status {
        self.lock().clone()
    }

    pub(crate) fn timeline(&self) -> RwLockReadGuard<'_, Timeline> {
        self.timeline.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `exectrace NAME --json` prints; `None` where too much is asked for at once.
    pub(crate) fn report(
        &self,
        name: &str,
        options: &BTreeMap<String, String>,
    ) -> Option<Computed> {
        let older = self.older.as_ref().map(|older| older.trace(None));
        let at_hand = || self.at_hand(name, options);
        let trace = self.trace(older.as_ref());
        self.reports.get(name, options, at_hand, &trace)
    }

    /// Computes several reports by as few passes as can be, to be there when they are asked for.
    pub(crate) fn prepare(&self, questions: Vec<Question>) {
        let questions = self.keep_at_hand(questions);
        let older = self.older.as_ref().map(|older| older.trace(None));
        self.reports.prepare(questions, &self.trace(older.as_ref()));
    }

    /// Computes those that need no look at the file; the others come back.
    fn keep_at_hand(&self, questions: Vec<Question>) -> Vec<Question> {
        let at_hand = |(name, options): &Question| self.at_hand(name, options);
        self.reports.keep_at_hand(questions, at_hand)
    }

    /// Computes what pages begin with, to be there when they are opened: by one pass, and beside it what needs no look at the file.
    pub(crate) fn prepare_pages(&self) {
        let questions = export::begun_with().into_iter();
        let (at_hand, mut read): (Vec<_>, Vec<_>) =
            questions.partition(|(name, _)| name == AT_HAND);
        if self.bytes.as_slice().len() > PREPARED_MAX {
            read.clear();
        }
        let left = thread::scope(|scope| {
            let thread = thread::Builder::new().name(String::from("exectrace-page"));
            // Where no thread can be had, who asks has to wait.
            let beside = thread.spawn_scoped(scope, || self.keep_at_hand(at_hand));
            self.prepare(read);
            beside.map_or(Vec::new(), |thread| thread.join().unwrap_or_default())
        });
        self.prepare(left);
    }

    /// A report that can be told without a look at the file.
    fn at_hand(&self, name: &str, options: &BTreeMap<String, String>) -> Option<Vec<u8>> {
        let is_at_hand = name == AT_HAND;
        is_at_hand
            .then(|| kept_times::tasks(&self.timeline(), &self.name, options))
            .flatten()
    }

    /// Keeps what came of reading: it is what the first screen asks for.
    pub(crate) fn keep_findings(&self, findings: &FindingsReport, first: Timestamp) {
        let about = self.trace(None).about(first);
        let line = FindingsLine::of(findings, &about, FINDINGS_MAX);
        let options = BTreeMap::from([(String::from("most"), FINDINGS_MAX.to_string())]);
        // What cannot be told now is told when it is asked for.
        if let Ok(bytes) = serde_json::to_vec(&line) {
            self.reports.keep("findings", options, bytes);
        }
    }

    /// A report that is there already.
    #[cfg(test)]
    pub(crate) fn kept(
        &self,
        name: &str,
        options: &BTreeMap<String, String>,
    ) -> Option<Arc<Vec<u8>>> {
        self.reports.kept(name, options)
    }

    pub(crate) fn trace<'a>(&'a self, older: Option<&'a TraceFile<'a>>) -> TraceFile<'a> {
        TraceFile {
            name: &self.name,
            arguments: &self.arguments,
            bytes: self.bytes.as_slice(),
            mode: Mode::Tolerant,
            fault: self.fault.as_deref(),
            older,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Subject {
    /// A trace of these bytes, not read yet.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        let limit = exectrace_reader::UnpackLimit::default();
        let source = Source::from_bytes(bytes, limit).expect("can be unpacked");
        Self::new("a.trace", "a.trace", Bytes::Source(source))
    }
}

#[cfg(test)]
mod tests {
    use exectrace_testkit::Corpus;

    use super::*;
    use crate::reading::read;

    #[test]
    fn pages_are_there_before_they_are_opened() {
        let traces = Corpus::shipped().traces();
        let trace = traces.first().expect("there are some");
        let subject = Subject::of_bytes(trace.bytes());
        read(&subject);
        subject.prepare_pages();
        let begun = export::begun_with();
        assert!(begun.len() > 5 && begun.iter().any(|(name, _)| name == AT_HAND));
        for (name, options) in begun {
            assert!(subject.kept(&name, &options).is_some(), "{name}");
        }
    }
}
