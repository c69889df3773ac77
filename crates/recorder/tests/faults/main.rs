//! Faults: what breaks around a recording, or is called as nobody should call it. The program goes on, the file stays one that
//! Go's tools take, and nothing is lost in silence: written + dropped = emitted.

#[path = "../support/mod.rs"]
mod support;

mod collector;
mod contradictions;
mod emitted;
mod process;
mod regions;
mod session;
mod signal;
mod sink;
mod sinks;
mod texts;
mod threads;

use std::time::Duration;

/// Runs `work` on a thread of its own and fails if it takes longer than anything here should: a hang is a failure.
#[track_caller]
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, result) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    match result.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(error) => panic!("hangs, or panicked: {error}"),
    }
}
