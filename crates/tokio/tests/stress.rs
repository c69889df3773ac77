//! Random programs on four workers, through recordings that begin and end anywhere: both of Go's tools take all of them.

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use exectrace_testkit::Random;
use exectrace_tokio as tokio;
use support::{record, turn};
use tokio::sync::{Mutex, Notify, Semaphore, mpsc};
use tokio::task::JoinSet;

/// What all tasks share.
struct Kitchen {
    /// Nobody begins anything new.
    over: AtomicBool,
    /// All cooks have gone; until then somebody must wake them.
    empty: AtomicBool,
    mutex: Mutex<u64>,
    permits: Semaphore,
    bell: Notify,
    orders: mpsc::Sender<u64>,
    /// Wakers that a thread of its own uses, when it likes and as often as it likes.
    wakers: SyncMutex<Vec<Waker>>,
}

impl Kitchen {
    fn is_over(&self) -> bool {
        // Relaxed: a signal to stop.
        self.over.load(Ordering::Relaxed)
    }

    fn keep(&self, waker: &Waker) {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        wakers.push(waker.clone());
    }

    /// Is ready after a few polls, each of which leaves a waker behind.
    fn simmer(&self, polls: u64) -> impl Future<Output = ()> {
        let mut left = polls;
        std::future::poll_fn(move |context| {
            self.keep(context.waker());
            if left == 0 || self.is_over() {
                return Poll::Ready(());
            }
            left -= 1;
            Poll::Pending
        })
    }
}

fn cook(
    kitchen: Arc<Kitchen>,
    mut random: Random,
    depth: u32,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        for _ in 0..random.below(40) {
            if kitchen.is_over() {
                return;
            }
            match random.below(14) {
                0 => tokio::task::yield_now().await,
                1 => tokio::time::sleep(Duration::from_micros(random.below(300))).await,
                2 => *kitchen.mutex.lock().await += 1,
                3 => {
                    let _permit = kitchen.permits.acquire().await;
                    tokio::task::yield_now().await;
                }
                4 => drop(
                    tokio::time::timeout(Duration::from_micros(200), kitchen.bell.notified()).await,
                ),
                5 => kitchen.bell.notify_waiters(),
                6 => drop(kitchen.orders.try_send(1)),
                7 => kitchen.simmer(random.below(3)).await,
                8 => tokio::task::block_in_place(|| thread::sleep(Duration::from_micros(50))),
                9 => drop(
                    tokio::task::spawn_blocking(|| thread::sleep(Duration::from_micros(50))).await,
                ),
                10 => {
                    tokio::select! {
                        () = kitchen.simmer(1) => {}
                        () = tokio::time::sleep(Duration::from_micros(100)) => {}
                    }
                }
                11 if depth > 0 => {
                    let mut set = JoinSet::new();
                    for _ in 0..random.below(4) {
                        set.spawn(cook(kitchen.clone(), random.split(), depth - 1));
                    }
                    if random.below(2) == 0 {
                        set.abort_all();
                    }
                    while set.join_next().await.is_some() {}
                }
                12 if depth > 0 => {
                    let other = tokio::spawn(cook(kitchen.clone(), random.split(), depth - 1));
                    match random.below(3) {
                        0 => other.abort(),
                        1 => drop(other.await),
                        _ => {}
                    }
                }
                _ => exectrace::log("cook", "stirs"),
            }
        }
    })
}

/// A runtime of one thread beside the other, with tasks that stay on it.
fn side_kitchen(kitchen: &Arc<Kitchen>, mut random: Random) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    while !kitchen.is_over() {
        let local = tokio::task::LocalSet::new();
        for _ in 0..random.below(4) {
            let kitchen = kitchen.clone();
            local.spawn_local(async move {
                tokio::task::yield_now().await;
                drop(
                    tokio::time::timeout(Duration::from_micros(100), kitchen.bell.notified()).await,
                );
            });
        }
        let rest = Duration::from_micros(random.below(400));
        local.block_on(&runtime, async { tokio::time::sleep(rest).await });
    }
}

fn wake_at_random(kitchen: &Kitchen, mut random: Random) {
    // Relaxed: a signal to stop.
    while !kitchen.empty.load(Ordering::Relaxed) {
        let taken = std::mem::take(
            &mut *kitchen
                .wakers
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        for waker in taken {
            match random.below(3) {
                0 => waker.wake(),
                1 => {
                    waker.wake_by_ref();
                    waker.wake_by_ref();
                }
                // Once more later, though its task may be gone by then.
                _ if random.below(2) == 0 => {
                    waker.wake_by_ref();
                    kitchen.keep(&waker);
                }
                _ => waker.wake_by_ref(),
            }
        }
        thread::sleep(Duration::from_micros(random.below(200)));
    }
}

#[test]
fn random_programs_make_recordings_without_contradictions() {
    const RECORDINGS: u64 = 10;
    let _turn = turn();
    let mut random = Random::from_environment();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("a runtime");
    let (orders, mut served) = mpsc::channel(4);
    let kitchen = Arc::new(Kitchen {
        over: AtomicBool::new(false),
        empty: AtomicBool::new(false),
        mutex: Mutex::new(0),
        permits: Semaphore::new(2),
        bell: Notify::new(),
        orders,
        wakers: SyncMutex::default(),
    });
    let serving = runtime.spawn(async move { while served.recv().await.is_some() {} });
    thread::scope(|scope| {
        let (waking, side) = (random.split(), random.split());
        scope.spawn(|| wake_at_random(&kitchen, waking));
        scope.spawn(|| side_kitchen(&kitchen, side));
        let cooking = runtime.spawn({
            let (kitchen, mut random) = (kitchen.clone(), random.split());
            async move {
                while !kitchen.is_over() {
                    let mut set = JoinSet::new();
                    for _ in 0..8 {
                        set.spawn(cook(kitchen.clone(), random.split(), 2));
                    }
                    while set.join_next().await.is_some() {}
                }
            }
        });
        for _ in 0..RECORDINGS {
            thread::sleep(Duration::from_millis(random.below(10)));
            let length = Duration::from_millis(1 + random.below(40));
            let (recorded, ()) = record(|| thread::sleep(length));
            assert!(recorded.statistics.events.total() > 0);
        }
        // Relaxed: as in `is_over`.
        kitchen.over.store(true, Ordering::Relaxed);
        kitchen.bell.notify_waiters();
        runtime.block_on(cooking).expect("no panic");
        // Relaxed: as in `wake_at_random`.
        kitchen.empty.store(true, Ordering::Relaxed);
    });
    serving.abort();
}
