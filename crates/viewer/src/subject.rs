//! What is shown, and how far it was read.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread;

use exectrace_analysis::{Pass, Window};
use exectrace_json::{Distrust, TraceFile};
use exectrace_reader::{
    Description, Error, Format, Kind, Mode, Reader, Source, Timestamp, WallClock,
};
use serde::Serialize;

use crate::reports::{Computed, Reports};
use crate::timeline::{Recording, Timeline};

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
    bytes: Bytes,
    fault: Option<String>,
    /// The one that it is compared with.
    older: Option<Box<Subject>>,
    reports: Reports,
    timeline: Arc<RwLock<Timeline>>,
    status: Mutex<Status>,
}

/// How far a trace was read, and whether it is whole.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Status {
    state: State,
    bytes_read: u64,
    bytes: u64,
    /// Grows with what there is to see.
    revision: u64,
    name: String,
    /// The files as arguments of a command.
    arguments: String,
    /// The older trace that it is compared with.
    other: Option<String>,
    /// The format, `v1` or `v2`, and the version that the header names.
    format: &'static str,
    header: String,
    /// Whether to call tasks goroutines.
    is_of_go: bool,
    /// What the wall clock showed at the first event, in nanoseconds since 1970, if the trace says it.
    wall_clock_ns: Option<i64>,
    end_ns: u64,
    events: u64,
    verdict: &'static str,
    /// What was lost, put right or inferred, a line each.
    trust: Vec<String>,
    fault: Option<String>,
    samples: usize,
    /// What the trace's own clock showed at the first event.
    first_event_ns: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    #[default]
    Reading,
    Ready,
    /// Nothing could be read.
    Failed,
}

impl Status {
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }
}

/// The status is told once in so many events.
const EVENTS_A_STATUS: u64 = 1 << 16;

impl Bytes {
    fn as_slice(&self) -> &[u8] {
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
        self.reports.get(name, options, &self.trace(older.as_ref()))
    }

    fn trace<'a>(&'a self, older: Option<&'a TraceFile<'a>>) -> TraceFile<'a> {
        TraceFile {
            name: &self.name,
            arguments: &self.arguments,
            bytes: self.bytes.as_slice(),
            mode: Mode::Tolerant,
            fault: self.fault.as_deref(),
            older,
        }
    }

    /// Reads the trace from begin to end.
    pub(crate) fn read(&self) {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let bytes = self.bytes.as_slice();
            let reader = if processors > 1 {
                Reader::open_ahead(bytes, Mode::Tolerant, scope)
            } else {
                Reader::open(bytes, Mode::Tolerant)
            };
            match reader {
                Ok(reader) => self.take(reader),
                Err(fault) => self.fail(&fault),
            }
        });
    }

    fn take(&self, mut reader: Reader<'_>) {
        {
            let mut status = self.lock();
            let version = reader.version();
            status.format = match version.format() {
                Format::V1 => "v1",
                Format::V2 => "v2",
            };
            status.header = version.to_string();
            // A recording of exectrace says of itself that it is one.
            status.is_of_go = true;
        }
        let recording = Recording::new(Arc::clone(&self.timeline));
        let mut pass = Pass::new(Window::WHOLE, recording);
        let mut description = Description::default();
        let mut is_ours = false;
        let (mut events, mut offset, mut first) = (0, 0, None);
        while let Some(Ok(event)) = reader.next() {
            if first.is_none() {
                first = Some(event.time);
                self.begin(event.time);
            }
            if let Kind::UserLog { .. } = event.kind {
                description.add(&event, reader.tables());
                if description.writer().is_some() && !is_ours {
                    is_ours = true;
                    self.lock().is_of_go = false;
                }
            }
            pass.event(&event, reader.tables());
            offset = event.offset.max(offset);
            events += 1;
            if events % EVENTS_A_STATUS == 0 {
                self.progress(events, offset);
            }
        }
        pass.report(reader.tables());
        let mut loss = reader.loss().clone();
        description.add_to(&mut loss);
        let faults = self.fault.clone();
        let distrust = Distrust::of(faults, &loss, reader.repairs(), first.unwrap_or_default());
        self.progress(events, self.bytes.as_slice().len() as u64);
        let mut status = self.lock();
        status.trust = distrust.reasons().to_vec();
        status.verdict = if status.trust.is_empty() {
            "whole"
        } else {
            "partial"
        };
        status.state = State::Ready;
    }

    /// The first event was read.
    fn begin(&self, first: Timestamp) {
        let shift = WallClock::of(self.bytes.as_slice()).and_then(WallClock::shift_ns);
        let mut status = self.lock();
        status.first_event_ns = first.0;
        status.wall_clock_ns = shift.map(|shift| first.0.saturating_add(shift));
    }

    fn progress(&self, events: u64, bytes_read: u64) {
        let (end_ns, samples) = {
            let timeline = self.timeline();
            (timeline.end_ns, timeline.samples.len())
        };
        let mut status = self.lock();
        status.events = events;
        status.bytes_read = bytes_read;
        status.end_ns = end_ns;
        status.samples = samples;
        status.revision += 1;
    }

    fn fail(&self, fault: &Error) {
        let mut status = self.lock();
        status.fault = Some(fault.to_string());
        status.verdict = "refused";
        status.state = State::Failed;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
