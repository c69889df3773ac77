//! The demonstration's pool of std threads: a mutex, a condition variable and a channel.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exectrace_std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use exectrace_std::sync::{Condvar, Mutex};
use exectrace_std::thread::{self, Builder, JoinHandle};

const THREADS: usize = 3;

/// Jobs that wait, and a signal that there are some.
#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<u64>>,
    more: Condvar,
    closed: AtomicBool,
}

/// A running pool.
pub(crate) struct ThreadPool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts a thread that makes jobs, some that do them, and one that takes the results.
    pub(crate) fn start() -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let (results, taken) = sync_channel(4);
        let mut threads = vec![spawn("pool-results", move || take(&taken))?];
        for _ in 0..THREADS {
            let (queue, results) = (queue.clone(), results.clone());
            threads.push(spawn("pool-thread", move || work(&queue, &results))?);
        }
        drop(results);
        let made = queue.clone();
        threads.push(spawn("pool-jobs", move || make(&made))?);
        Ok(Self { queue, threads })
    }

    /// Closes the queue and waits for the threads.
    pub(crate) fn stop(self) {
        self.queue.closed.store(true, Ordering::SeqCst);
        self.queue.more.notify_all();
        for thread in self.threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.into()).spawn(work)
}

fn make(queue: &Queue) {
    let mut number = 0;
    while !queue.closed.load(Ordering::SeqCst) {
        if let Ok(mut jobs) = queue.jobs.lock() {
            jobs.extend([number, number + 1]);
        }
        queue.more.notify_all();
        number += 2;
        thread::sleep(Duration::from_millis(3));
    }
}

fn work(queue: &Queue, results: &SyncSender<u64>) {
    while let Some(job) = next(queue) {
        let sum = (0..20_000).fold(job, |sum, round| std::hint::black_box(sum ^ round));
        if results.send(sum).is_err() {
            return;
        }
    }
}

/// The next job; waits for it. `None` when the queue is closed.
fn next(queue: &Queue) -> Option<u64> {
    let mut jobs = queue.jobs.lock().ok()?;
    loop {
        if queue.closed.load(Ordering::SeqCst) {
            return None;
        }
        if let Some(job) = jobs.pop_front() {
            return Some(job);
        }
        // Bounded, since the closing does not hold the lock.
        let pause = Duration::from_millis(100);
        jobs = queue.more.wait_timeout(jobs, pause).ok()?.0;
    }
}

fn take(results: &Receiver<u64>) {
    for sum in results {
        std::hint::black_box(sum);
    }
}
