//! Threads of the standard library that wait for each other.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use exectrace::Region;
use exectrace_std::sync::{Barrier, Condvar, Mutex, RwLock, mpsc};
use exectrace_std::thread;

use crate::error::Error;

const THREADS: usize = 3;

/// What the threads share.
struct Shared {
    ready: (Mutex<usize>, Condvar),
    total: RwLock<u64>,
    end: Barrier,
}

pub(super) fn record(file: File) -> Result<(), Error> {
    let session = exectrace::start(file)?;
    let shared = Arc::new(Shared {
        ready: (Mutex::new(0), Condvar::new()),
        total: RwLock::new(0),
        end: Barrier::new(THREADS),
    });
    let (sender, receiver) = mpsc::channel();
    let mut threads = Vec::new();
    for number in 0..THREADS {
        let (shared, sender) = (shared.clone(), sender.clone());
        let thread = thread::Builder::new().name(format!("worker-{number}"));
        threads.push(thread.spawn(move || work(number, &shared, &sender))?);
    }
    drop(sender);
    for (number, total) in receiver {
        exectrace::log("received", format!("{total} of {number}"));
    }
    for thread in threads {
        let _ = thread.join();
    }
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    Ok(())
}

fn work(number: usize, shared: &Shared, sender: &mpsc::Sender<(usize, u64)>) {
    {
        let _region = Region::new("ready");
        thread::sleep(Duration::from_millis(1 + number as u64));
        let (count, all_are_ready) = &shared.ready;
        let mut count = count.lock().unwrap_or_else(|poison| poison.into_inner());
        *count += 1;
        all_are_ready.notify_all();
        while *count < THREADS {
            count = all_are_ready
                .wait(count)
                .unwrap_or_else(|poison| poison.into_inner());
        }
    }
    for step in 0..20 {
        let _region = Region::new("step");
        let total = {
            let mut total = shared
                .total
                .write()
                .unwrap_or_else(|poison| poison.into_inner());
            *total += step;
            *total
        };
        if step % 5 == 0 {
            // The receiver lives for as long as there are senders.
            let _ = sender.send((number, total));
        }
        thread::sleep(Duration::from_micros(200));
    }
    shared.end.wait();
}
