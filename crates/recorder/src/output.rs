//! The bytes on their way to the sink, and the account of them.

use std::io::{self, Write};

use crate::statistics::EventCounts;

/// The sink, and what it took.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    /// Bytes ready to be written.
    pub(crate) buffer: Vec<u8>,
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
        Self {
            sink,
            buffer: Vec::new(),
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

    /// Gives the buffer to the sink. After the sink's first error everything counts as dropped.
    pub(crate) fn write_out(&mut self) {
        let events = std::mem::take(&mut self.events);
        if self.error.is_none() {
            match self.write_all() {
                Ok(()) => {
                    self.written.add_all(&events);
                    self.buffer.clear();
                    return;
                }
                Err(error) => self.error = Some(error),
            }
        }
        self.dropped.add_all(&events);
        self.bytes_unwritten += self.buffer.len() as u64;
        self.buffer.clear();
    }

    /// Writes the buffer; what the sink took before an error is taken out of it.
    fn write_all(&mut self) -> io::Result<()> {
        let mut at = 0;
        let result = loop {
            if at == self.buffer.len() {
                break Ok(());
            }
            match self.sink.write(&self.buffer[at..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => at += taken.min(self.buffer.len() - at),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.bytes_written += at as u64;
        self.buffer.drain(..at);
        result
    }

    /// Flushes the sink.
    pub(crate) fn finish(&mut self) {
        if self.error.is_none()
            && let Err(error) = self.sink.flush()
        {
            self.error = Some(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn every_byte_and_event_is_written_or_counted() {
        let mut output = Output::new(Box::new(Narrow { room: 7 }));
        let mut counts = [0; crate::batch::EVENT_TYPES];
        counts[15] = 2;
        output.buffer.extend([1; 5]);
        output.events.add(&counts);
        output.write_out();
        assert!(output.error.is_none());
        for _ in 0..2 {
            output.buffer.extend([1; 5]);
            output.events.add(&counts);
            output.write_out();
        }
        assert_eq!((output.bytes_written, output.bytes_unwritten), (7, 8));
        assert_eq!(
            (output.written.of("GoEnd"), output.dropped.of("GoEnd")),
            (2, 4)
        );
        let kind = output.error.map(|error| error.kind());
        assert_eq!(kind, Some(io::ErrorKind::StorageFull));
    }
}
