//! Programs without a fault.

use std::time::Duration;

use exectrace_std::sync::mpsc::sync_channel;
use exectrace_std::thread;
use exectrace_tokio::runtime::Builder;
use exectrace_tokio::sync::mpsc;
use exectrace_tokio::task::JoinSet;
use exectrace_tokio::time::sleep;

/// Tasks that hand each other messages, with pauses.
pub(crate) fn channels() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be started");
    runtime.block_on(async {
        let mut set = JoinSet::new();
        for _ in 0..4 {
            let (sender, mut receiver) = mpsc::channel(16);
            set.spawn(async move {
                for number in 0..60_u64 {
                    sender.send(number).await.expect("is received");
                    sleep(Duration::from_millis(10)).await;
                }
            });
            set.spawn(async move {
                let mut sum = 0;
                while let Some(number) = receiver.recv().await {
                    sum += number;
                }
                assert_eq!(sum, 59 * 60 / 2);
            });
        }
        set.join_all().await;
    });
}

/// Threads that take jobs from a channel and are idle most of the time.
pub(crate) fn thread_pool() {
    let (sender, receiver) = sync_channel::<u64>(4);
    let worker = thread::spawn(move || receiver.iter().sum::<u64>());
    for number in 0..60 {
        sender.send(number).expect("is received");
        thread::sleep(Duration::from_millis(10));
    }
    drop(sender);
    assert_eq!(worker.join().expect("no panic"), 59 * 60 / 2);
}
