//! What is run, once with plain Tokio and once with ours.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use tokio::task::JoinHandle;

use crate::lap::{lap, quickest_lap, start_laps};
use crate::one_worker::OneWorker;
use crate::process_cpu_ns;

/// An operation, repeated.
pub(crate) struct Workload {
    pub(crate) row: &'static str,
    /// The row of the bytes that an operation takes in the recording.
    pub(crate) bytes_row: Option<&'static str>,
    pub(crate) operations: u64,
    /// What an operation costs.
    pub(crate) run: fn(Contender, u64) -> Cost,
}

/// What an operation costs.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// CPU nanoseconds, on average.
    pub(crate) cpu_ns: f64,
    /// Nanoseconds in the quickest stretch of some microseconds.
    pub(crate) quickest_ns: f64,
}

/// Whose runtime runs it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Contender {
    Plain,
    Traced,
}

/// Sizes that take some tenths of a second.
pub(crate) const WORKLOADS: &[Workload] = &[
    workload("tokio_poll", Some("poll_bytes"), 2_000_000, polls),
    workload("tokio_yield", None, 2_000_000, yields),
    workload("tokio_poll_wake", Some("poll_wake_bytes"), 2_000_000, wakes),
    workload("tokio_poll_stacks", None, 1_000_000, messages),
    workload("tokio_spawn_join", None, 500_000, spawns),
];

const fn workload(
    row: &'static str,
    bytes_row: Option<&'static str>,
    operations: u64,
    run: fn(Contender, u64) -> Cost,
) -> Workload {
    Workload {
        row,
        bytes_row,
        operations,
        run,
    }
}

impl Contender {
    pub(crate) fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        match self {
            Self::Plain => tokio::spawn(future),
            Self::Traced => exectrace_tokio::spawn(future),
        }
    }

    /// Runs `body` on the worker of a runtime with one, and tells what it tells.
    fn run(self, body: impl Future<Output = Cost> + Send + 'static) -> Cost {
        let runtime = OneWorker::new(self);
        runtime.block_on(async move { self.spawn(body).await.expect("no panic") })
    }
}

/// What each of `operations` costs that `work` does on the worker that runs this, alone.
async fn timed(operations: u64, work: impl Future<Output = ()>) -> Cost {
    start_laps();
    let before = process_cpu_ns();
    work.await;
    Cost {
        cpu_ns: (process_cpu_ns() - before) / operations as f64,
        quickest_ns: quickest_lap(),
    }
}

const TASKS: u64 = 8;
/// Whether it is the first, for each of the tasks.
const FIRST: [bool; TASKS as usize] = [true, false, false, false, false, false, false, false];

/// Eight tasks, each of which wakes itself in every poll.
fn polls(contender: Contender, operations: u64) -> Cost {
    contender.run(timed(operations, async move {
        let tasks = FIRST.map(|is_first| {
            let mut left = operations / TASKS;
            contender.spawn(poll_fn(move |context| {
                if left == 0 {
                    return Poll::Ready(());
                }
                if is_first {
                    lap(left, TASKS);
                }
                left -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            }))
        });
        for task in tasks {
            task.await.expect("no panic");
        }
    }))
}

/// Eight tasks that yield in turn.
fn yields(contender: Contender, operations: u64) -> Cost {
    contender.run(timed(operations, async move {
        let tasks = FIRST.map(|is_first| {
            contender.spawn(async move {
                for number in 0..operations / TASKS {
                    if is_first {
                        lap(number, TASKS);
                    }
                    tokio::task::yield_now().await;
                }
            })
        });
        for task in tasks {
            task.await.expect("no panic");
        }
    }))
}

/// Two tasks that wake each other in turn, by wakers that they keep.
fn wakes(contender: Contender, operations: u64) -> Cost {
    struct Pair {
        turn: AtomicUsize,
        wakers: [Mutex<Option<Waker>>; 2],
    }

    fn player(pair: Arc<Pair>, number: usize, mut left: u64) -> impl Future<Output = ()> {
        poll_fn(move |context| {
            let other = 1 - number;
            let mut own = pair.wakers[number].lock().expect("no panic");
            own.get_or_insert_with(|| context.waker().clone());
            drop(own);
            // Relaxed: all of it happens on one thread.
            if pair.turn.load(Ordering::Relaxed) != number {
                return Poll::Pending;
            }
            pair.turn.store(other, Ordering::Relaxed);
            if let Some(waker) = &*pair.wakers[other].lock().expect("no panic") {
                waker.wake_by_ref();
            }
            if number == 0 {
                lap(left, 2);
            }
            left -= 1;
            if left == 0 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
    }

    contender.run(timed(operations, async move {
        let pair = Arc::new(Pair {
            turn: AtomicUsize::new(0),
            wakers: [const { Mutex::new(None) }; 2],
        });
        let tasks =
            [1, 0].map(|number| contender.spawn(player(pair.clone(), number, operations / 2)));
        for task in tasks {
            task.await.expect("no panic");
        }
    }))
}

/// Two tasks that send one message to and fro, some calls deep.
fn messages(contender: Contender, operations: u64) -> Cost {
    use tokio::sync::mpsc::{Receiver, Sender, channel};

    async fn server(mut requests: Receiver<u64>, answers: Sender<u64>) {
        while serve_one(&mut requests, &answers).await.is_some() {}
    }

    async fn serve_one(requests: &mut Receiver<u64>, answers: &Sender<u64>) -> Option<()> {
        let request = next_request(requests).await?;
        answers.send(request).await.ok()
    }

    async fn next_request(requests: &mut Receiver<u64>) -> Option<u64> {
        requests.recv().await
    }

    async fn client(operations: u64, requests: Sender<u64>, mut answers: Receiver<u64>) {
        for number in 0..operations {
            lap(number, 2);
            call(number, &requests, &mut answers).await;
        }
    }

    async fn call(number: u64, requests: &Sender<u64>, answers: &mut Receiver<u64>) {
        requests.send(number).await.expect("a server");
        next_request(answers).await.expect("an answer");
    }

    contender.run(timed(operations, async move {
        let (requests, at_server) = channel(1);
        let (answers, at_client) = channel(1);
        let server = contender.spawn(server(at_server, answers));
        let client = contender.spawn(client(operations / 2, requests, at_client));
        client.await.expect("no panic");
        server.await.expect("no panic");
    }))
}

/// An empty task, spawned and awaited over and over.
fn spawns(contender: Contender, operations: u64) -> Cost {
    contender.run(timed(operations, async move {
        for number in 0..operations {
            lap(number, 1);
            contender.spawn(async {}).await.expect("no panic");
        }
    }))
}
