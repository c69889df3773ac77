//! Tokio: requests as user tasks, with regions, logs, and CPU samples.

use std::fs::File;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exectrace::{Region, UserTask};
use exectrace_tokio as tokio;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::error::Error;

const REQUESTS: u32 = 12;

/// A question, and where its answer goes.
type Question = (u32, oneshot::Sender<u64>);

pub(super) fn record(file: File) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .thread_name("futures-worker")
        .build()?;
    let session = exectrace::start(file)?;
    runtime.block_on(serve());
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    Ok(())
}

async fn serve() {
    let (questions, answers) = mpsc::channel::<Question>(2);
    let store = tokio::spawn(answer(answers));
    let turn = Arc::new(Mutex::new(()));
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..REQUESTS {
        let (questions, turn) = (questions.clone(), turn.clone());
        requests.spawn(async move {
            let request = UserTask::new("request");
            exectrace::log("number", number.to_string());
            {
                let _turn = turn.lock().await;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let (sender, receiver) = oneshot::channel();
            if questions.send((number, sender)).await.is_ok() {
                let sum = receiver.await.unwrap_or_default();
                exectrace::log("sum", sum.to_string());
            }
            drop(request);
        });
    }
    drop(questions);
    while requests.join_next().await.is_some() {}
    let _ = store.await;
}

/// Answers one question after the other, the last of them on a thread of its own.
async fn answer(mut questions: mpsc::Receiver<Question>) {
    while let Some((number, answer)) = questions.recv().await {
        let sum = if number + 1 == REQUESTS {
            tokio::task::spawn_blocking(compute)
                .await
                .unwrap_or_default()
        } else {
            compute()
        };
        // Who asked may be gone.
        let _ = answer.send(sum);
    }
}

/// Some milliseconds of work, which samples find.
fn compute() -> u64 {
    let _region = Region::new("compute");
    let begun = Instant::now();
    let mut sum = 0;
    while begun.elapsed() < Duration::from_millis(10) {
        sum = (0..1000).fold(sum, |sum: u64, number| black_box(sum.wrapping_add(number)));
    }
    sum
}
