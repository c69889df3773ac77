//! The demonstration's HTTP server: each path waits, works or fails to get on in a way of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use exectrace::{Region, UserTask};
use exectrace_tokio as tokio;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Notify, mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};

/// The server's paths, each of which the client asks for in turn.
pub(crate) const PATHS: [&str; 8] = [
    "/sleep",
    "/lock",
    "/queue",
    "/fan-out",
    "/blocking",
    "/compute",
    "/page",
    "/race",
];

/// A job for the task behind the bounded queue.
struct Job {
    size: usize,
    answer: oneshot::Sender<usize>,
}

/// What handlers share.
struct Shared {
    /// Held across an await: handlers wait for each other.
    hits: Mutex<u64>,
    queue: mpsc::Sender<Job>,
}

/// A running server.
pub(crate) struct Server {
    address: SocketAddr,
    stop: Arc<Notify>,
    accepting: JoinHandle<()>,
    working: JoinHandle<()>,
}

impl Server {
    /// Listens on a free port of the loopback address.
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (queue, jobs) = mpsc::channel(2);
        let shared = Arc::new(Shared {
            hits: Mutex::new(0),
            queue,
        });
        let stop = Arc::new(Notify::new());
        let working = tokio::spawn(work(jobs));
        let accepting = tokio::spawn(accept(listener, router(shared), stop.clone()));
        Ok(Self {
            address,
            stop,
            accepting,
            working,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting, and waits until the queue is worked off.
    pub(crate) async fn stop(self) {
        self.stop.notify_one();
        // A server that panicked has said so on standard error.
        let _ = self.accepting.await;
        let _ = self.working.await;
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/sleep", get(sleep))
        .route("/lock", get(lock))
        .route("/queue", get(queue))
        .route("/fan-out", get(fan_out))
        .route("/blocking", get(blocking))
        .route("/compute", get(compute))
        .route("/page", get(page))
        .route("/race", get(race))
        .with_state(shared)
}

/// Accepts connections until told to stop; each is a task.
async fn accept(listener: TcpListener, router: Router, stop: Arc<Notify>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                connections.spawn(serve(stream, router.clone()));
            }
            () = stop.notified() => break,
        }
    }
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, router: Router) {
    let service = TowerToHyperService::new(router);
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A client that went away is no fault of ours.
    let _ = connection.await;
}

/// Works off the bounded queue, one job after the other.
async fn work(mut jobs: mpsc::Receiver<Job>) {
    while let Some(job) = jobs.recv().await {
        let sum = checksum(job.size);
        tokio::task::yield_now().await;
        // The handler may have been cancelled.
        let _ = job.answer.send(sum);
    }
}

/// Work for the CPU: so many rounds of a hash.
fn checksum(rounds: usize) -> usize {
    (0..rounds).fold(17, |sum, round| {
        std::hint::black_box(sum.rotate_left(5) ^ round.wrapping_mul(0x9E37_79B9))
    })
}

async fn sleep() -> &'static str {
    tokio::time::sleep(Duration::from_millis(5)).await;
    "slept\n"
}

async fn lock(State(shared): State<Arc<Shared>>) -> String {
    let mut hits = shared.hits.lock().await;
    *hits += 1;
    // Holding it over an await is what makes the others wait.
    tokio::time::sleep(Duration::from_millis(1)).await;
    format!("{hits} hits\n")
}

async fn queue(State(shared): State<Arc<Shared>>) -> Result<String, &'static str> {
    let (answer, answered) = oneshot::channel();
    let job = Job {
        size: 20_000,
        answer,
    };
    shared
        .queue
        .send(job)
        .await
        .map_err(|_| "the queue is closed\n")?;
    let sum = answered.await.map_err(|_| "the job was dropped\n")?;
    Ok(format!("{sum}\n"))
}

async fn fan_out() -> String {
    let mut parts = JoinSet::new();
    for part in 1..=4 {
        parts.spawn(async move {
            tokio::time::sleep(Duration::from_micros(200 * part)).await;
            part
        });
    }
    let mut sum = 0;
    while let Some(part) = parts.join_next().await {
        sum += part.unwrap_or(0);
    }
    format!("{sum}\n")
}

async fn blocking() -> String {
    let read = tokio::task::spawn_blocking(|| {
        let _system_call = exectrace::hook::Syscall::enter();
        std::thread::sleep(Duration::from_millis(2));
        std::fs::read("/proc/self/stat").map(|bytes| bytes.len())
    });
    match read.await {
        Ok(Ok(bytes)) => format!("{bytes} bytes\n"),
        Ok(Err(error)) => format!("{error}\n"),
        Err(error) => format!("{error}\n"),
    }
}

async fn compute() -> String {
    let start = Instant::now();
    let mut sum = 0;
    while start.elapsed() < Duration::from_millis(2) {
        sum ^= checksum(2_000);
    }
    format!("{sum}\n")
}

/// A page with a user task, nested regions and logs.
async fn page() -> String {
    let request = UserTask::new("page");
    exectrace::log("path", "/page");
    let text = {
        let _region = Region::new("load");
        let loaded = tokio::spawn(load_part()).await.unwrap_or(0);
        let _nested = Region::new("render");
        format!("{} of {loaded}\n", checksum(30_000))
    };
    exectrace::log("bytes", text.len().to_string());
    drop(request);
    text
}

async fn load_part() -> usize {
    let _region = Region::new("part");
    exectrace::log("source", "memory");
    tokio::time::sleep(Duration::from_micros(500)).await;
    checksum(5_000) % 1_000
}

/// Waits for the first of two.
async fn race(State(shared): State<Arc<Shared>>) -> &'static str {
    let notify = Notify::new();
    tokio::select! {
        _hits = shared.hits.lock() => "locked\n",
        () = notify.notified() => "notified\n",
        () = tokio::time::sleep(Duration::from_millis(3)) => "late\n",
    }
}
