//! A reader that remembers how its source ended, whatever a decoder makes of it.

use std::io::{self, ErrorKind, Read};

/// Passes on what it reads.
#[derive(Debug)]
pub(super) struct Watched<R> {
    source: R,
    /// Somebody asked for bytes after the last one.
    pub(super) has_ended: bool,
    /// What kept the source from being read.
    pub(super) error: Option<io::Error>,
}

impl<R> Watched<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            has_ended: false,
            error: None,
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.source.read(out) {
            Ok(0) if !out.is_empty() => {
                self.has_ended = true;
                Ok(0)
            }
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                let kind = error.kind();
                self.error = Some(error);
                Err(kind.into())
            }
            other => other,
        }
    }
}
