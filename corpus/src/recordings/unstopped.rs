//! A process that ends with its recording running: what was full by then is in the file.

use std::fs::File;
use std::process;
use std::thread::sleep;
use std::time::Duration;

use exectrace::{Recorder, Region};
use exectrace_std::thread;

use crate::error::Error;

/// Batches have 64 KiB but for a thread's first.
const STEPS: u32 = 6_000;

pub(super) fn record(file: File) -> Result<(), Error> {
    let session = Recorder::new().without_cpu_samples().start(file)?;
    let busy = thread::spawn(|| {
        for step in 0..STEPS {
            let _region = Region::new("step");
            exectrace::log("step", step.to_string());
        }
    });
    let _ = busy.join();
    // The collector writes what is full meanwhile.
    sleep(Duration::from_millis(500));
    std::mem::forget(session);
    process::exit(0);
}
