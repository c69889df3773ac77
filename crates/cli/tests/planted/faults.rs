//! Programs with a fault.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use exectrace_std::sync::Mutex as ThreadMutex;
use exectrace_std::thread;
use exectrace_tokio::runtime::{Builder, Runtime};
use exectrace_tokio::sync::{Mutex, Notify};
use exectrace_tokio::task::{JoinSet, LocalSet, yield_now};
use exectrace_tokio::time::sleep;
use rustix::time::{ClockId, clock_gettime};

/// How long each runs.
const DURATION: Duration = Duration::from_millis(700);

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .expect("threads can be started")
}

/// How long threads have used a processor by `burn`, and how long of that they did not have it, in nanoseconds.
static BURNT_NS: AtomicU64 = AtomicU64::new(0);
static TAKEN_NS: AtomicU64 = AtomicU64::new(0);

/// A round of `burn` takes some microseconds; where one took longer somebody else had the processor.
const ROUND_MAX: Duration = Duration::from_micros(100);

/// Uses a processor.
fn burn(time: Duration) {
    let begin = Instant::now();
    let mut before = begin;
    let mut taken = Duration::ZERO;
    while before - begin < time {
        black_box((0..100).sum::<u64>());
        let now = Instant::now();
        if now - before > ROUND_MAX {
            taken += now - before;
        }
        before = now;
    }
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    BURNT_NS.fetch_add(nanoseconds(before - begin), Ordering::Relaxed);
    TAKEN_NS.fetch_add(nanoseconds(taken), Ordering::Relaxed);
}

/// The share of the time since the last call in which threads that used a processor did not have it.
pub(crate) fn taken_share() -> f64 {
    let (burnt_ns, taken_ns) = (
        BURNT_NS.swap(0, Ordering::Relaxed),
        TAKEN_NS.swap(0, Ordering::Relaxed),
    );
    taken_ns as f64 / burnt_ns.max(1) as f64
}

/// Tasks that are no fault: they sleep and run for a moment.
async fn tick(pause: Duration, end: Instant) {
    while Instant::now() < end {
        sleep(pause).await;
        burn(Duration::from_micros(20));
    }
}

/// A task that lets its thread sleep.
async fn stall(pause: Duration, end: Instant) {
    while Instant::now() < end {
        std::thread::sleep(pause);
        sleep(Duration::from_millis(1)).await;
    }
}

pub(crate) fn sleep_in_a_task(pause: Duration, tasks: usize) {
    let end = Instant::now() + DURATION;
    runtime(2).block_on(async {
        let mut set = JoinSet::new();
        for _ in 0..tasks {
            set.spawn(tick(Duration::from_millis(1), end));
        }
        set.spawn(stall(pause, end));
        set.join_all().await;
    });
}

/// A task that holds a lock while it sleeps.
async fn hold(lock: Arc<Mutex<u64>>, pause: Duration, end: Instant) {
    while Instant::now() < end {
        let mut held = lock.lock().await;
        sleep(pause).await;
        *held += 1;
        drop(held);
        yield_now().await;
    }
}

pub(crate) fn mutex_over_an_await(pause: Duration, tasks: usize) {
    let end = Instant::now() + DURATION;
    runtime(2).block_on(async {
        let lock = Arc::new(Mutex::new(0));
        let mut set = JoinSet::new();
        for _ in 0..tasks {
            set.spawn(hold(lock.clone(), pause, end));
        }
        set.join_all().await;
    });
}

/// A task that is always ready to run.
async fn spin(turn: Duration, end: Instant) {
    while Instant::now() < end {
        burn(turn);
        yield_now().await;
    }
}

pub(crate) fn starving_queue(turn: Duration, tasks: usize) {
    let end = Instant::now() + DURATION;
    runtime(1).block_on(async {
        let mut set = JoinSet::new();
        set.spawn(tick(Duration::from_millis(1), end));
        for _ in 0..tasks {
            set.spawn(spin(turn, end));
        }
        set.join_all().await;
    });
}

/// A task that only one thread may run.
async fn pinned(turn: Duration, end: Instant) {
    while Instant::now() < end {
        burn(turn);
        yield_now().await;
    }
}

pub(crate) fn one_hot_worker(turn: Duration, tasks: usize) {
    let end = Instant::now() + DURATION;
    let others = runtime(2);
    let ticking = others.spawn(tick(Duration::from_millis(20), end));
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("needs no thread");
    let local = LocalSet::new();
    for _ in 0..tasks {
        local.spawn_local(pinned(turn, end));
    }
    runtime.block_on(local);
    others.block_on(ticking).expect("no panic");
}

/// A task that computes without a pause now and then.
async fn crunch(time: Duration, end: Instant) {
    while Instant::now() < end {
        burn(time);
        sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) fn late_timer(time: Duration, tasks: usize) {
    let end = Instant::now() + DURATION;
    runtime(1).block_on(async {
        let mut set = JoinSet::new();
        for _ in 0..tasks {
            set.spawn(tick(Duration::from_millis(5), end));
        }
        set.spawn(crunch(time, end));
        set.join_all().await;
    });
}

/// A thread that does nothing but allocate, for so much CPU time: samples are taken by that.
fn storm(bytes: usize) {
    let cpu_time = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
    let end = cpu_time() + DURATION;
    let mut kept: Vec<Vec<u8>> = Vec::new();
    while cpu_time() < end {
        for place in 0..1_000 {
            kept.push(Vec::with_capacity(bytes + place % 64));
        }
        black_box(&kept);
        kept.clear();
    }
}

pub(crate) fn allocation_storm(bytes: usize, threads: usize) {
    let threads: Vec<_> = (0..threads)
        .map(|_| thread::spawn(move || storm(bytes)))
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}

/// A task that is woken with all others for each thing to do.
async fn graze(items: Arc<AtomicU64>, news: Arc<Notify>, end: Instant) {
    while Instant::now() < end {
        news.notified().await;
        let item = items.swap(0, Ordering::Relaxed);
        if item > 0 {
            burn(Duration::from_micros(200));
        }
    }
}

pub(crate) fn herd(tasks: usize) {
    let end = Instant::now() + DURATION;
    let (items, news) = (Arc::new(AtomicU64::new(0)), Arc::new(Notify::new()));
    runtime(1).block_on(async {
        let mut set = JoinSet::new();
        for _ in 0..tasks {
            set.spawn(graze(items.clone(), news.clone(), end));
        }
        let producer = exectrace_tokio::spawn(async move {
            while Instant::now() < end {
                sleep(Duration::from_millis(1)).await;
                items.store(1, Ordering::Relaxed);
                news.notify_waiters();
            }
        });
        producer.await.expect("no panic");
        set.shutdown().await;
    });
}

/// A thread that takes a lock again as soon as it has let it go.
fn convoy(lock: &ThreadMutex<u64>, hold: Duration, end: Instant) {
    while Instant::now() < end {
        let mut held = lock.lock().expect("no panic");
        burn(hold);
        *held += 1;
    }
}

pub(crate) fn lock_convoy(hold: Duration, threads: usize) {
    let end = Instant::now() + DURATION;
    let lock = Arc::new(ThreadMutex::new(0));
    let threads: Vec<_> = (0..threads)
        .map(|_| {
            let lock = lock.clone();
            thread::spawn(move || convoy(&lock, hold, end))
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}
