//! What programs do to their tasks and wakers: panics, aborts, wakers that outlive their tasks, strange executors.

#![expect(clippy::waker_clone_wake, reason = "both ways to wake are to be tried")]

mod support;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use exectrace_tokio as tokio;
use support::{Recording, record, runtime_of_two, turn};
use tokio::sync::{Notify, mpsc, oneshot};

async fn panicking() {
    tokio::task::yield_now().await;
    panic!("as it should");
}

#[test]
fn a_task_that_panics_ends_there_and_its_handle_says_so() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, error) = record(|| {
        runtime.block_on(async { tokio::spawn(panicking()).await.expect_err("a panic") })
    });
    assert_eq!(error.into_panic().downcast_ref(), Some(&"as it should"));
    let Some(transitions) = recorded.transitions("panicking") else {
        return;
    };
    let last = transitions.last().map(|line| line.detail.clone());
    assert!(last.is_some_and(|detail| detail.contains("Running->NotExist")));
}

/// Counts its drops, and notes whether it was dropped as a task of the recording.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        exectrace::log("dropped", "here");
        // Relaxed: joined before it is read.
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

async fn holding(_held: Dropped) {
    std::future::pending::<()>().await;
}

#[test]
fn an_aborted_task_s_future_is_dropped_once_and_as_the_task() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let drops = Arc::new(AtomicUsize::new(0));
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            // A waker is about, so that the task counts as waiting and not as gone for good.
            let notify = Arc::new(Notify::new());
            let held = Dropped(drops.clone());
            let waited = notify.clone();
            let task = tokio::spawn(async move {
                tokio::select! {
                    () = holding(held) => {}
                    () = waited.notified() => {}
                }
            });
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.expect_err("aborted").is_cancelled());
        });
    });
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    let Some(dump) = recorded.v1() else { return };
    let logs: Vec<_> = dump
        .named("UserLog")
        .filter(|line| line.argument("category") == Some("dropped"))
        .collect();
    assert_eq!(logs.len(), 1);
    let ends: Vec<u64> = dump.named("GoEnd").map(|line| line.task).collect();
    assert!(
        logs[0].task != 0 && ends.contains(&logs[0].task),
        "{:?} {ends:?}",
        logs[0]
    );
}

#[test]
fn a_task_that_aborts_itself_in_its_poll_ends_in_it() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let drops = Arc::new(AtomicUsize::new(0));
    let (recorded, error) = record(|| {
        runtime.block_on(async {
            let (handle, own) = oneshot::channel::<tokio::task::AbortHandle>();
            let held = Dropped(drops.clone());
            let task = tokio::spawn(async move {
                let _held = held;
                own.await.expect("a handle").abort();
                // The poll goes on until here.
                std::future::pending::<()>().await;
            });
            handle.send(task.abort_handle()).expect("a receiver");
            task.await.expect_err("aborted")
        })
    });
    assert!(error.is_cancelled());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    // Who waits for nothing at all has stopped for good: Tokio drops it right after, in the same breath.
    assert_eq!(recorded.count("GoEnd") + recorded.count("GoStop"), 2);
}

#[test]
fn a_future_that_drops_another_in_its_poll_ends_no_task() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            let task = tokio::spawn(async {
                let (sender, receiver) = oneshot::channel::<()>();
                let mut receiver = Box::pin(receiver);
                // Polled once, so that it holds a waker, and dropped inside of a later poll.
                let polled = poll_fn(|context| Poll::Ready(receiver.as_mut().poll(context)));
                assert!(polled.await.is_pending());
                tokio::task::yield_now().await;
                drop(receiver);
                assert!(sender.is_closed());
                tokio::task::yield_now().await;
            });
            task.await.expect("no panic");
        });
    });
    assert_eq!(recorded.count("GoEnd"), 2);
}

#[test]
fn tasks_that_a_runtime_drops_end() {
    let _turn = turn();
    let drops = Arc::new(AtomicUsize::new(0));
    let (recorded, ()) = record(|| {
        let runtime = runtime_of_two();
        for _ in 0..10 {
            runtime.spawn(holding(Dropped(drops.clone())));
        }
        // Some have run, some not.
        drop(runtime);
    });
    assert_eq!(drops.load(Ordering::Relaxed), 10);
    assert_eq!(recorded.count("GoCreate"), 10);
    assert_eq!(recorded.count("GoEnd") + recorded.count("GoStop"), 10);
}

/// Gives its waker away, and is ready when told.
fn with_waker(slot: Arc<Mutex<Option<Waker>>>, ready: Arc<AtomicBool>) -> impl Future<Output = ()> {
    poll_fn(move |context| {
        *slot.lock().expect("no panic") = Some(context.waker().clone());
        // Acquire: pairs with the tests' Release stores.
        if ready.load(Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

fn take(slot: &Mutex<Option<Waker>>) -> Waker {
    loop {
        if let Some(waker) = slot.lock().expect("no panic").take() {
            return waker;
        }
        thread::yield_now();
    }
}

#[test]
fn a_waker_is_of_use_long_after_its_task() {
    let _turn = turn();
    let slot = Arc::new(Mutex::new(None));
    let ready = Arc::new(AtomicBool::new(false));
    let runtime = runtime_of_two();
    let (_, waker) = record(|| {
        let task = runtime.spawn(with_waker(slot.clone(), ready.clone()));
        let waker = take(&slot);
        // Release: pairs with the Acquire of the task.
        ready.store(true, Ordering::Release);
        waker.wake_by_ref();
        runtime.block_on(task).expect("no panic");
        waker.wake_by_ref();
        waker
    });
    drop(runtime);
    // That of the last poll, if there were two: the first one may have been told in time.
    drop(slot.lock().expect("no panic").take());
    let (recorded, ()) = record(|| {
        for _ in 0..100 {
            waker.clone().wake();
            waker.wake_by_ref();
        }
        drop(waker);
    });
    assert_eq!(recorded.count("GoUnblock"), 0);
}

#[test]
fn a_waker_that_four_threads_use_a_hundred_thousand_times_is_told_once_a_wait() {
    let _turn = turn();
    const WAKES: usize = 25_000;
    let slot = Arc::new(Mutex::new(None));
    let ready = Arc::new(AtomicBool::new(false));
    let runtime = runtime_of_two();
    let (recorded, ()) = record(|| {
        let task = runtime.spawn(with_waker(slot.clone(), ready.clone()));
        let waker = take(&slot);
        thread::scope(|scope| {
            for _ in 0..4 {
                let waker = waker.clone();
                scope.spawn(move || {
                    for round in 0..WAKES {
                        if round % 2 == 0 {
                            waker.wake_by_ref()
                        } else {
                            waker.clone().wake()
                        }
                    }
                });
            }
        });
        // Release: pairs with the Acquire of the task.
        ready.store(true, Ordering::Release);
        waker.wake();
        runtime.block_on(task).expect("no panic");
    });
    // Each unblock is one of a wait.
    let waits: u64 = ["GoBlock", "GoBlockSync", "GoBlockSelect"]
        .iter()
        .map(|name| recorded.count(name))
        .sum();
    assert!(
        recorded.count("GoUnblock") <= waits,
        "{}",
        recorded.statistics
    );
    assert!(recorded.count("GoUnblock") > 0);
}

/// An executor of its own: polls by hand, each time with another waker.
struct Counting {
    wakes: AtomicUsize,
    thread: thread::Thread,
}

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        // Relaxed: the unpark orders it.
        self.wakes.fetch_add(1, Ordering::Relaxed);
        self.thread.unpark();
    }
}

fn poll_by_hand<F: Future>(future: F, changing: bool) -> (F::Output, Vec<Arc<Counting>>) {
    let mut future = pin!(future);
    let mut wakers = Vec::new();
    loop {
        if changing || wakers.is_empty() {
            wakers.push(Arc::new(Counting {
                wakes: AtomicUsize::new(0),
                thread: thread::current(),
            }));
        }
        let waker = wakers
            .last()
            .map(|counting: &Arc<Counting>| Waker::from(counting.clone()))
            .expect("just made");
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (output, wakers);
        }
        thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn a_set_that_is_polled_by_hand_is_woken_by_whoever_it_was_given() {
    let _turn = turn();
    let runtime = runtime_of_two();
    for changing in [false, true] {
        let (recorded, wakers) = record(|| {
            let _entered = runtime.enter();
            let (sender, mut receiver) = mpsc::channel(1);
            let sending = tokio::spawn(async move {
                for number in 0..20 {
                    sender.send(number).await.expect("a receiver");
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            });
            let local = tokio::task::LocalSet::new();
            let received = local.spawn_local(async move {
                let mut sum = 0;
                while let Some(number) = receiver.recv().await {
                    sum += number;
                }
                sum
            });
            let (sum, wakers) = poll_by_hand(local.run_until(received), changing);
            assert_eq!(sum.expect("no panic"), 190);
            runtime.block_on(sending).expect("no panic");
            wakers
        });
        assert!(recorded.count("GoBlockRecv") > 5, "{}", recorded.statistics);
        // Relaxed: all is over.
        let wakes: usize = wakers
            .iter()
            .map(|waker| waker.wakes.load(Ordering::Relaxed))
            .sum();
        assert!(wakes > 5, "{wakes}");
        for waker in wakers {
            assert_eq!(Arc::strong_count(&waker), 1);
        }
    }
}

/// Polls a future inside of a task with a waker that is another one each time, and wakes by all of them.
struct Relay<F>(Pin<Box<F>>);

struct Forward(Waker);

impl Wake for Forward {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

impl<F: Future> Future for Relay<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let waker = Waker::from(Arc::new(Forward(context.waker().clone())));
        self.0.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

#[test]
fn a_combinator_with_wakers_of_its_own_still_wakes_its_task() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            let (sender, receiver) = oneshot::channel();
            let task = tokio::spawn(Relay(Box::pin(async { receiver.await.expect("a sender") })));
            tokio::task::yield_now().await;
            sender.send(7).expect("a receiver");
            assert_eq!(task.await.expect("no panic"), 7);
        });
    });
    assert!(recorded.count("GoEnd") >= 2);
}

#[test]
fn no_waker_is_leaked_whatever_a_task_does_with_it() {
    let _turn = turn();
    let alive = Arc::new(());
    let recording = Recording::start();
    let runtime = runtime_of_two();
    runtime.block_on(async {
        for round in 0..100 {
            let alive = alive.clone();
            let (sender, receiver) = oneshot::channel::<()>();
            let task = tokio::spawn(async move {
                let _alive = alive;
                let _ = tokio::time::timeout(Duration::from_secs(60), receiver).await;
            });
            tokio::task::yield_now().await;
            match round % 3 {
                0 => drop(sender),
                1 => task.abort(),
                _ => sender.send(()).expect("a receiver"),
            }
            let _ = task.await;
        }
    });
    drop(runtime);
    recording.stop();
    // Tokio frees a task with its last reference, and each waker owns one.
    assert_eq!(Arc::strong_count(&alive), 1);
}
