//! What is run, once with plain Tokio and once with ours.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use crate::{process_cpu_ns, thread_cpu_ns};

/// An operation, repeated.
pub(crate) struct Workload {
    pub(crate) row: &'static str,
    /// The row of the bytes that an operation takes in the recording.
    pub(crate) bytes_row: Option<&'static str>,
    pub(crate) operations: u64,
    /// The row tells which part of the time is lost.
    pub(crate) is_loss: bool,
    /// CPU nanoseconds of an operation.
    pub(crate) run: fn(Contender, u64) -> f64,
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
    Workload {
        is_loss: true,
        ..workload("tcp_echo", None, 60_000, echoes)
    },
];

const fn workload(
    row: &'static str,
    bytes_row: Option<&'static str>,
    operations: u64,
    run: fn(Contender, u64) -> f64,
) -> Workload {
    Workload {
        row,
        bytes_row,
        operations,
        is_loss: false,
        run,
    }
}

impl Contender {
    fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        match self {
            Self::Plain => tokio::spawn(future),
            Self::Traced => exectrace_tokio::spawn(future),
        }
    }

    /// Runs `body` on a runtime with one worker, and tells the CPU nanoseconds that it took.
    fn run(self, body: impl Future<Output = f64> + Send + 'static) -> f64 {
        match self {
            Self::Plain => {
                let mut builder = tokio::runtime::Builder::new_multi_thread();
                let runtime = builder
                    .worker_threads(1)
                    .enable_all()
                    .build()
                    .expect("a runtime");
                runtime.block_on(async { tokio::spawn(body).await.expect("no panic") })
            }
            Self::Traced => {
                let mut builder = exectrace_tokio::runtime::Builder::new_multi_thread();
                let runtime = builder
                    .worker_threads(1)
                    .enable_all()
                    .build()
                    .expect("a runtime");
                runtime.block_on(async { exectrace_tokio::spawn(body).await.expect("no panic") })
            }
        }
    }
}

/// The CPU nanoseconds of each of `operations` that `work` does.
async fn timed(operations: u64, work: impl Future<Output = ()>) -> f64 {
    let before = process_cpu_ns();
    work.await;
    (process_cpu_ns() - before) / operations as f64
}

const TASKS: u64 = 8;

/// Eight tasks, each of which wakes itself in every poll.
fn polls(contender: Contender, operations: u64) -> f64 {
    contender.run(timed(operations, async move {
        let tasks = [(); TASKS as usize].map(|()| {
            let mut left = operations / TASKS;
            contender.spawn(poll_fn(move |context| {
                if left == 0 {
                    return Poll::Ready(());
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
fn yields(contender: Contender, operations: u64) -> f64 {
    contender.run(timed(operations, async move {
        let tasks = [(); TASKS as usize].map(|()| {
            contender.spawn(async move {
                for _ in 0..operations / TASKS {
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
fn wakes(contender: Contender, operations: u64) -> f64 {
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
fn messages(contender: Contender, operations: u64) -> f64 {
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
fn spawns(contender: Contender, operations: u64) -> f64 {
    contender.run(timed(operations, async move {
        for _ in 0..operations {
            contender.spawn(async {}).await.expect("no panic");
        }
    }))
}

/// A server that echoes what it gets on 64 connections; who sends is plain Tokio on a thread of its own, which does not count.
fn echoes(contender: Contender, operations: u64) -> f64 {
    const CONNECTIONS: u64 = 64;

    async fn serve(mut stream: tokio::net::TcpStream) {
        let mut buffer = [0; 64];
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            stream.write_all(&buffer[..length]).await.expect("a peer");
        }
    }

    async fn ask(address: std::net::SocketAddr, times: u64) {
        let mut stream = tokio::net::TcpStream::connect(address)
            .await
            .expect("a server");
        let mut buffer = [0; 16];
        for _ in 0..times {
            stream.write_all(&buffer).await.expect("a peer");
            stream.read_exact(&mut buffer).await.expect("an echo");
        }
    }

    contender.run(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let before = process_cpu_ns();
        let clients = std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let runtime = builder.enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let clients = [(); CONNECTIONS as usize]
                    .map(|()| tokio::spawn(ask(address, operations / CONNECTIONS)));
                for client in clients {
                    client.await.expect("no panic");
                }
            });
            thread_cpu_ns()
        });
        let mut servers = Vec::new();
        for _ in 0..CONNECTIONS {
            let (stream, _) = listener.accept().await.expect("a client");
            servers.push(contender.spawn(serve(stream)));
        }
        for server in servers {
            server.await.expect("no panic");
        }
        let clients_ns = clients.join().expect("no panic");
        (process_cpu_ns() - before - clients_ns) / operations as f64
    })
}
