//! The bytes on their way to the sink, and the account of them.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use exectrace_format::Version;
use exectrace_format::go_v1::{EventType, Records};
use exectrace_format::role::Role;

use crate::statistics::EventCounts;

/// The version of what is written.
const VERSION: Version = Version::Go1_19;

/// The sink, and what it took.
pub(crate) struct Output {
    /// `None` once it has panicked or is finished.
    sink: Option<Box<dyn Write + Send>>,
    panicked: bool,
    /// Bytes ready to be written: whole records, behind the header in the first.
    pub(crate) buffer: Vec<u8>,
    /// Where in the buffer the first record stands.
    records_at: usize,
    /// Events whose records are in the buffer.
    pub(crate) events: EventCounts,
    pub(crate) written: EventCounts,
    pub(crate) dropped: EventCounts,
    pub(crate) bytes_written: u64,
    pub(crate) bytes_unwritten: u64,
    pub(crate) error: Option<io::Error>,
}

impl Output {
    pub(crate) fn new(sink: Box<dyn Write + Send>) -> Self {
        let header = VERSION.header();
        Self {
            sink: Some(sink),
            panicked: false,
            buffer: header.to_vec(),
            records_at: header.len(),
            events: EventCounts::default(),
            written: EventCounts::default(),
            dropped: EventCounts::default(),
            bytes_written: 0,
            bytes_unwritten: 0,
            error: None,
        }
    }

    /// Bytes given to the sink and bytes that wait for it.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.bytes_written + self.buffer.len() as u64
    }

    /// Whether the sink takes no more.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some() || self.sink.is_none()
    }

    /// Whether a call of the sink has panicked.
    pub(crate) fn has_panicked(&self) -> bool {
        self.panicked
    }

    /// So many events' records have been put into the buffer.
    pub(crate) fn count(&mut self, event_type: EventType, count: u32) {
        self.events.add_some(event_type, count);
    }

    /// Gives the buffer to the sink. After the sink's first failure everything counts as dropped.
    pub(crate) fn write_out(&mut self) {
        let events = std::mem::take(&mut self.events);
        let written = self.write_all();
        self.bytes_written += written as u64;
        if written == self.buffer.len() {
            self.written.add_all(&events);
        } else {
            let whole = self.events_before(written);
            self.dropped.add_difference(&events, &whole);
            self.written.add_all(&whole);
            self.bytes_unwritten += (self.buffer.len() - written) as u64;
        }
        self.buffer.clear();
        self.records_at = 0;
    }

    /// Events whose records end in the first `bytes` of the buffer.
    fn events_before(&self, bytes: usize) -> EventCounts {
        let mut counts = EventCounts::default();
        let whole = self.buffer.get(self.records_at..bytes).unwrap_or_default();
        for record in Records::resume(VERSION, whole, 0).map_while(Result::ok) {
            if record.event_type.spec().role != Role::Structure {
                counts.add_some(record.event_type, 1_u32);
            }
        }
        counts
    }

    /// Writes the buffer as far as the sink takes it; how far that is.
    fn write_all(&mut self) -> usize {
        let mut at = 0;
        while at < self.buffer.len() && !self.has_failed() {
            let rest = &self.buffer[at..];
            let rest_bytes = rest.len();
            let answer = call(&mut self.sink, &mut self.panicked, |sink| sink.write(rest));
            match answer {
                Some(Ok(0)) => self.error = Some(io::ErrorKind::WriteZero.into()),
                Some(Ok(taken)) => at += taken.min(rest_bytes),
                Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Some(Err(error)) => self.error = Some(error),
                None => {}
            }
        }
        at
    }

    /// Flushes the sink, and drops it: both may fail.
    pub(crate) fn finish(&mut self) {
        while self.error.is_none() {
            match call(&mut self.sink, &mut self.panicked, |sink| sink.flush()) {
                Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Some(Err(error)) => self.error = Some(error),
                Some(Ok(())) | None => break,
            }
        }
        if let Some(sink) = self.sink.take() {
            self.panicked |= contain(|| drop(sink)).is_none();
        }
    }
}

/// Calls the sink, which is not called again once it has panicked: `None`.
fn call<R>(
    sink: &mut Option<Box<dyn Write + Send>>,
    panicked: &mut bool,
    call: impl FnOnce(&mut (dyn Write + Send)) -> R,
) -> Option<R> {
    let mut inner = sink.take()?;
    let answer = contain(|| call(&mut *inner));
    if answer.is_some() {
        *sink = Some(inner);
    } else {
        *panicked = true;
        // Its drop may panic as well.
        let _ = contain(|| drop(inner));
    }
    answer
}

/// Runs `work`; `None` if it panics. The panic has been reported by the process's hook then.
pub(crate) fn contain<R>(work: impl FnOnce() -> R) -> Option<R> {
    // A panic's payload is the program's, and may panic once more when it is dropped: it is leaked.
    catch_unwind(AssertUnwindSafe(work))
        .map_err(std::mem::forget)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use exectrace_format::go_v1::{Batch, Event, EventType, GoEnd};

    struct Narrow {
        room: usize,
    }

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(self.room).min(3);
            self.room -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn append_two_ends(output: &mut Output) {
        let mut counts = [0; crate::batch::EVENT_TYPES];
        Batch::default().append(0, &mut output.buffer);
        GoEnd {}.append(7, &mut output.buffer);
        GoEnd {}.append(300, &mut output.buffer);
        counts[EventType::GoEnd as usize] = 2;
        output.events.add(&counts);
    }

    #[test]
    fn every_byte_and_event_is_written_or_counted() {
        // The header, two batches, and of the third the first event and a byte of the second.
        let batch_bytes = 3 + 2 + 3;
        let mut output = Output::new(Box::new(Narrow {
            room: 16 + 2 * batch_bytes + 3 + 2 + 1,
        }));
        for _ in 0..2 {
            append_two_ends(&mut output);
            output.write_out();
            assert!(!output.has_failed());
        }
        for _ in 0..2 {
            append_two_ends(&mut output);
            output.write_out();
            assert!(output.has_failed() && !output.has_panicked());
        }
        let bytes = (output.bytes_written, output.bytes_unwritten);
        assert_eq!(bytes, (16 + 16 + 6, 2 + 8));
        let events = (output.written.of("GoEnd"), output.dropped.of("GoEnd"));
        assert_eq!(events, (5, 3));
        let kind = output.error.map(|error| error.kind());
        assert_eq!(kind, Some(io::ErrorKind::StorageFull));
    }

    /// Panics when it is called, and when it is dropped.
    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("this sink panics when it is called")
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Drop for Broken {
        fn drop(&mut self) {
            panic!("this sink panics when it is dropped")
        }
    }

    #[test]
    fn a_sink_that_panics_is_called_once_and_harms_nobody() {
        let mut output = Output::new(Box::new(Broken));
        for _ in 0..2 {
            output.buffer.extend([1; 5]);
            output.write_out();
            assert!(output.has_panicked());
        }
        output.finish();
        assert_eq!((output.bytes_written, output.bytes_unwritten), (0, 16 + 10));
        let mut unused = Output::new(Box::new(Broken));
        unused.finish();
        assert!(unused.has_panicked(), "its drop counts");
    }
}
