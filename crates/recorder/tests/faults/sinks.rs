//! Sinks that fail, each in its own way.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};

use crate::support::Memory;

/// A sink that does what a closure says with the bytes that are offered.
pub(crate) struct Custom(Box<WriteFn>);

type WriteFn = dyn FnMut(&[u8]) -> io::Result<usize> + Send;

impl Custom {
    pub(crate) fn new(write: impl FnMut(&[u8]) -> io::Result<usize> + Send + 'static) -> Self {
        Self(Box::new(write))
    }
}

impl Write for Custom {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sink that takes `room` bytes and then, once the test drops the sender, does what `then` says.
pub(crate) fn after(
    room: usize,
    mut then: impl FnMut() -> io::Result<usize> + Send + 'static,
) -> (Memory, Sender<()>, Custom) {
    let memory = Memory::default();
    let (go_on, wait) = channel();
    let (mut kept, mut left) = (memory.clone(), room);
    let sink = Custom::new(move |bytes| {
        if left == 0 {
            // An error, once it is disconnected.
            let _ = wait.recv();
            return then();
        }
        let taken = bytes.len().min(left);
        left -= taken;
        kept.write(&bytes[..taken])
    });
    (memory, go_on, sink)
}

/// A sink that takes nothing until the test drops the sender, and then all.
pub(crate) fn gated() -> (Memory, Sender<()>, Custom) {
    let memory = Memory::default();
    let (go_on, wait) = channel();
    let mut kept = memory.clone();
    let sink = Custom::new(move |bytes| {
        // An error, once it is disconnected.
        let _ = wait.recv();
        kept.write(bytes)
    });
    (memory, go_on, sink)
}
