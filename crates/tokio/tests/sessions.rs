//! Recordings that begin and end in the middle of everything.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use exectrace_tokio as tokio;
use support::{Recording, record, runtime_of_two, turn};
use tokio::sync::{Notify, Semaphore, mpsc};

#[test]
fn a_recording_starts_and_stops_inside_of_a_traced_task() {
    let _turn = turn();
    let runtime = runtime_of_two();
    for _ in 0..20 {
        let recorded = runtime.block_on(async {
            tokio::spawn(async {
                let before =
                    tokio::spawn(async { tokio::time::sleep(Duration::from_millis(1)).await });
                let recording = Recording::start();
                for _ in 0..4 {
                    tokio::spawn(tokio::task::yield_now())
                        .await
                        .expect("no panic");
                }
                before.await.expect("no panic");
                recording.stop()
            })
            .await
            .expect("no panic")
        });
        // The task itself, four of its children, the one from before, the root.
        assert!(recorded.count("GoCreate") >= 6, "{}", recorded.statistics);
    }
}

#[test]
fn twenty_thousand_tasks_that_live_already_are_introduced() {
    let _turn = turn();
    const TASKS: usize = 20_000;
    let runtime = runtime_of_two();
    let gate = Arc::new(Semaphore::new(0));
    let arrived = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (gate, arrived) = (gate.clone(), arrived.clone());
            runtime.spawn(async move {
                // Relaxed: a count.
                arrived.fetch_add(1, Ordering::Relaxed);
                drop(gate.acquire().await.expect("open"));
            })
        })
        .collect();
    // Relaxed: as above.
    while arrived.load(Ordering::Relaxed) < TASKS {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(20));
    let (recorded, ()) = record(|| std::thread::sleep(Duration::from_millis(100)));
    assert_eq!(
        recorded.count("GoWaiting"),
        TASKS as u64,
        "{}",
        recorded.statistics
    );
    let (recorded, ()) = record(|| {
        gate.add_permits(TASKS);
        runtime.block_on(async {
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    assert_eq!(
        recorded.count("GoCreate"),
        TASKS as u64 + 1,
        "{}",
        recorded.statistics
    );
    assert_eq!(recorded.count("GoEnd"), TASKS as u64 + 1);
}

#[test]
fn a_task_that_began_to_wait_before_is_seen_in_full_from_its_next_poll_on() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (sender, mut receiver) = mpsc::channel::<u8>(1);
    let task = runtime.spawn(async move { while receiver.recv().await.is_some() {} });
    std::thread::sleep(Duration::from_millis(20));
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            for number in 0..4 {
                sender.send(number).await.expect("a receiver");
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            drop(sender);
            task.await.expect("no panic");
        });
    });
    assert!(
        recorded.count("GoBlockRecv") >= 3,
        "{}",
        recorded.statistics
    );
}

#[test]
fn recordings_one_after_the_other_under_load_are_all_whole() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let over = Arc::new(AtomicBool::new(false));
    let notify = Arc::new(Notify::new());
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let (over, notify) = (over.clone(), notify.clone());
            runtime.spawn(async move {
                // Relaxed: a signal to stop.
                while !over.load(Ordering::Relaxed) {
                    match number % 4 {
                        0 => tokio::task::yield_now().await,
                        1 => tokio::time::sleep(Duration::from_micros(200)).await,
                        2 => drop(
                            tokio::time::timeout(Duration::from_millis(1), notify.notified()).await,
                        ),
                        _ => {
                            notify.notify_waiters();
                            let inner = tokio::spawn(tokio::task::yield_now());
                            if number == 3 {
                                inner.abort();
                            }
                            drop(inner.await);
                        }
                    }
                }
            })
        })
        .collect();
    for round in 0..12 {
        let (recorded, ()) = record(|| std::thread::sleep(Duration::from_millis(5 + round)));
        assert!(recorded.statistics.events.total() > 0);
    }
    // Relaxed: as above.
    over.store(true, Ordering::Relaxed);
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("no panic");
        }
    });
}
