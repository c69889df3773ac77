//! A trace is read from begin to end, while others look at what is there so far.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use exectrace_analysis::{Findings, Pass, Window};
use exectrace_json::Distrust;
use exectrace_reader::{
    Description, Error, Event, Format, Kind, Mode, Reader, Timestamp, WallClock,
};

use crate::gaps;
use crate::status::State;
use crate::subject::Subject;
use crate::timeline::Recording;

/// The status is told once in so many events.
const EVENTS_A_STATUS: u64 = 1 << 16;

/// Reads a trace, and tells its status how far it is.
pub(crate) fn read(subject: &Subject) {
    let ended = Ended { subject };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let bytes = subject.bytes.as_slice();
        let reader = if processors > 1 {
            Reader::open_ahead(bytes, Mode::Tolerant, scope)
        } else {
            Reader::open(bytes, Mode::Tolerant)
        };
        match reader {
            Ok(reader) => Reading::new(subject).take(reader),
            Err(fault) => fail(subject, &fault.to_string()),
        }
    });
    drop(ended);
}

/// When this is dropped, the trace is not read any more: also after a panic.
struct Ended<'a> {
    subject: &'a Subject,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let is_reading = self.subject.lock().state == State::Reading;
        if is_reading {
            fail(
                self.subject,
                "reading failed, which is a bug of the viewer; what was read before is shown",
            );
        }
    }
}

fn fail(subject: &Subject, fault: &str) {
    let mut status = subject.lock();
    status.fault = Some(fault.to_owned());
    status.verdict = "refused";
    status.state = State::Failed;
}

/// A trace that is being read.
struct Reading<'a> {
    subject: &'a Subject,
    description: Description,
    events: u64,
    /// Some are not syncs.
    has_events: bool,
    first: Option<Timestamp>,
    offset: u64,
}

impl<'a> Reading<'a> {
    fn new(subject: &'a Subject) -> Self {
        Self {
            subject,
            description: Description::default(),
            events: 0,
            has_events: false,
            first: None,
            offset: 0,
        }
    }

    fn take(mut self, mut reader: Reader<'_>) {
        self.begin(&reader);
        let recording = match Recording::new(Arc::clone(&self.subject.timeline)) {
            Ok(recording) => recording,
            Err(error) => {
                let fault = format!(
                    "no thread for the timeline can be had: {error}; end other programs, and open the trace again"
                );
                return fail(self.subject, &fault);
            }
        };
        // The first screen shows both: so the trace is read once for them.
        let mut pass = Pass::new(Window::WHOLE, (recording, Findings::default()));
        let fault = loop {
            match reader.lend_next() {
                Ok(Some((event, reader))) => {
                    self.event(event, reader);
                    pass.event(event, reader.tables());
                }
                Ok(None) => break None,
                Err(fault) => break Some(fault),
            }
        };
        let (timeline, findings) = pass.report(reader.tables());
        if self.has_events {
            self.subject
                .keep_findings(&findings, self.first.unwrap_or_default());
        }
        timeline.finish();
        self.end(&reader, fault);
    }

    fn begin(&self, reader: &Reader<'_>) {
        let mut status = self.subject.lock();
        let version = reader.version();
        status.format = match version.format() {
            Format::V1 => "v1",
            Format::V2 => "v2",
        };
        status.header = version.to_string();
        // A recording of exectrace says of itself that it is one.
        status.is_of_go = true;
    }

    fn event(&mut self, event: &Event, reader: &Reader<'_>) {
        if self.first.is_none() {
            self.first = Some(event.time);
            let clock = WallClock::of(self.subject.bytes.as_slice());
            let shift = clock.and_then(WallClock::shift_ns);
            let mut status = self.subject.lock();
            status.first_event_ns = event.time.0;
            status.wall_clock_ns = shift.map(|shift| event.time.0.saturating_add(shift));
        }
        if let Kind::UserLog { .. } = event.kind {
            let was_told = self.description.writer().is_some();
            self.description.add(event, reader.tables());
            if !was_told && self.description.writer().is_some() {
                self.subject.lock().is_of_go = false;
            }
        }
        self.has_events |= event.kind != Kind::Sync;
        self.offset = self.offset.max(event.offset);
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_A_STATUS) {
            self.tell(self.offset);
        }
    }

    /// Tells how far it is.
    fn tell(&self, bytes_read: u64) {
        let (end_ns, samples, logs) = {
            let timeline = self.subject.timeline();
            let (samples, logs) = (timeline.samples.len(), timeline.logs.iter().len());
            (timeline.end_ns, samples, logs)
        };
        let mut status = self.subject.lock();
        status.events = self.events;
        status.bytes_read = bytes_read;
        status.end_ns = end_ns;
        status.samples = samples;
        status.logs = logs;
        status.revision += 1;
    }

    /// All was read that will be.
    fn end(self, reader: &Reader<'_>, fault: Option<Error>) {
        let mut loss = reader.loss().clone();
        self.description.add_to(&mut loss);
        let mut faults: Vec<String> = Vec::new();
        faults.extend(self.subject.fault.clone());
        faults.extend(fault.map(|fault| fault.to_string()));
        if !self.has_events {
            faults.push(String::from(
                "there are no events: the program may have ended before the trace was stopped",
            ));
        }
        let first = self.first.unwrap_or_default();
        let distrust = Distrust::of(faults, &loss, reader.repairs(), first);
        self.tell(self.subject.bytes.as_slice().len() as u64);
        let mut status = self.subject.lock();
        status.trust = distrust.reasons().to_vec();
        status.gaps = gaps::of(&loss, first);
        if !status.trust.is_empty() {
            status.verdict = "partial";
        }
        status.state = State::Ready;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use exectrace_json::Report;
    use exectrace_testkit::Corpus;

    use super::*;
    use crate::subject::FINDINGS_MAX;

    #[test]
    fn findings_that_came_of_reading_are_those_of_the_report() {
        let most = FINDINGS_MAX.to_string();
        let mut found = 0;
        for trace in Corpus::shipped().traces() {
            let subject = Subject::of_bytes(trace.bytes());
            read(&subject);
            let options = BTreeMap::from([(String::from("most"), most.clone())]);
            let kept = subject.kept("findings", &options);
            let file = subject.trace(None);
            let report = Report::named("findings").expect("there is one");
            match report.run([("most", most.as_str())], &file) {
                Ok(told) => {
                    let kept = kept.unwrap_or_else(|| panic!("{}: none is kept", trace.file()));
                    assert!(*kept == told, "{}", trace.file());
                    found += usize::from(told.windows(7).any(|text| text == b"\"class\""));
                }
                Err(_) => assert!(kept.is_none(), "{}", trace.file()),
            }
        }
        assert!(found > 3, "few traces have findings: {found}");
    }
}
