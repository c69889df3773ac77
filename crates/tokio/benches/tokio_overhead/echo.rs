//! How much of a server's throughput tracing costs: a TCP echo with 64 connections.
//!
//! Two servers run side by side, one on plain Tokio and one traced, each with one worker; a session runs all the time. A client asks
//! them by turns, a stretch of some milliseconds each, so that both meet the same machine; each stretch counts the CPU time, user and
//! system, of the server's worker alone. Of each pair of neighbours the ratio is taken, and of many ratios the median. The recorder's own
//! threads look around fifty times a second, whatever the server does: so their share of a processor in the whole run is added,
//! as if they had the worker's processor.

use std::net::SocketAddr;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::one_worker::OneWorker;
use crate::workload::Contender;
use crate::{process_cpu_ns, thread_cpu_ns};

const CONNECTIONS: usize = 64;
/// Requests on a connection in a stretch.
const TIMES: usize = 8;
const REQUESTS: f64 = (CONNECTIONS * TIMES) as f64;
/// Pairs of stretches.
const PAIRS: usize = 401;
/// Pairs before those that count: meanwhile the recorder looks at the program's code.
const PAIRS_BEFORE: usize = 50;

/// Begins a message that asks for the worker's CPU time instead of an echo.
const ASK_CPU: u8 = 1;
const MESSAGE_BYTES: usize = 16;
type Message = [u8; MESSAGE_BYTES];

/// What was found, in percent of the throughput.
pub(crate) struct Loss {
    /// Quartiles of what the pairs say.
    pub(crate) quartiles: [f64; 3],
    /// By the quickest stretch of either server.
    pub(crate) quickest: f64,
    /// Of it, what the recorder's own threads use.
    pub(crate) recorder: f64,
    /// CPU nanoseconds of a request without tracing, by the median stretch.
    pub(crate) plain_ns: f64,
}

/// Measures it.
pub(crate) fn measure() -> Loss {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let client = builder.enable_all().build().expect("a runtime");
    // The first recording looks up the program's functions.
    let session = exectrace::start(std::io::sink()).expect("the only session");
    let mut peers = [Contender::Plain, Contender::Traced].map(|it| Peer::new(it, &client));
    session.stop();
    let session = exectrace::start(std::io::sink()).expect("the only session");
    let mut costs: [Vec<f64>; 2] = Default::default();
    let (mut beside_ns, mut start) = (0.0, Instant::now());
    for pair in 0..PAIRS_BEFORE + PAIRS {
        if pair == PAIRS_BEFORE {
            costs = Default::default();
            (beside_ns, start) = (process_cpu_ns() - thread_cpu_ns(), Instant::now());
        }
        // By turns first, so that what grows or wears off in time favours nobody.
        for number in [pair % 2, 1 - pair % 2] {
            costs[number].push(peers[number].stretch(&client));
        }
    }
    beside_ns = process_cpu_ns() - thread_cpu_ns() - beside_ns;
    let time_ns = start.elapsed().as_nanos() as f64;
    drop(peers);
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");

    let [plain, traced] = costs;
    // What neither this thread nor the workers used.
    beside_ns -= plain.iter().chain(&traced).sum::<f64>();
    let recorder_share = beside_ns / time_ns;
    let lost = |traced: f64, plain: f64| 100.0 * (1.0 - plain * (1.0 - recorder_share) / traced);
    let losses = traced.iter().zip(&plain).map(|(t, p)| lost(*t, *p));
    let losses = sorted(losses.collect());
    let (plain, traced) = (sorted(plain), sorted(traced));
    Loss {
        quartiles: [PAIRS / 4, PAIRS / 2, PAIRS * 3 / 4].map(|index| losses[index]),
        quickest: lost(traced[0], plain[0]),
        recorder: 100.0 * recorder_share,
        plain_ns: plain[PAIRS / 2] / REQUESTS,
    }
}

fn sorted(mut figures: Vec<f64>) -> Vec<f64> {
    figures.sort_by(f64::total_cmp);
    figures
}

/// A server, and the client's side of its connections.
struct Peer {
    _runtime: OneWorker,
    streams: Vec<TcpStream>,
    /// Of the server's worker, at the last look.
    cpu_ns: f64,
}

impl Peer {
    fn new(contender: Contender, client: &Runtime) -> Self {
        let runtime = OneWorker::new(contender);
        let listener = client.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            listener.into_std().expect("a listener")
        });
        let address = listener.local_addr().expect("an address");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a listener");
            contender.spawn(accept(contender, listener));
        });
        let mut peer = Self {
            _runtime: runtime,
            streams: client.block_on(connect(address)),
            cpu_ns: 0.0,
        };
        peer.stretch(client);
        peer
    }

    /// Asks the server on all connections; CPU nanoseconds that its worker used for that.
    fn stretch(&mut self, client: &Runtime) -> f64 {
        let streams = std::mem::take(&mut self.streams);
        self.streams = client.block_on(ask_on_all(streams));
        let now = client.block_on(ask_cpu(&mut self.streams[0]));
        let used = now - self.cpu_ns;
        self.cpu_ns = now;
        used
    }
}

async fn accept(contender: Contender, listener: TcpListener) {
    for _ in 0..CONNECTIONS {
        let (stream, _) = listener.accept().await.expect("a client");
        contender.spawn(serve(stream));
    }
}

/// The server of a connection.
async fn serve(mut stream: TcpStream) {
    let mut message: Message = [0; MESSAGE_BYTES];
    while stream.read_exact(&mut message).await.is_ok() {
        if message[0] == ASK_CPU {
            message[..8].copy_from_slice(&thread_cpu_ns().to_ne_bytes());
        }
        stream.write_all(&message).await.expect("a peer");
    }
}

async fn connect(address: SocketAddr) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..CONNECTIONS {
        streams.push(TcpStream::connect(address).await.expect("a server"));
    }
    streams
}

async fn ask_on_all(streams: Vec<TcpStream>) -> Vec<TcpStream> {
    let asking: Vec<_> = streams
        .into_iter()
        .map(|mut stream| {
            tokio::spawn(async move {
                for _ in 0..TIMES {
                    ask(&mut stream, 0).await;
                }
                stream
            })
        })
        .collect();
    let mut streams = Vec::new();
    for asking in asking {
        streams.push(asking.await.expect("no panic"));
    }
    streams
}

async fn ask_cpu(stream: &mut TcpStream) -> f64 {
    let answer = ask(stream, ASK_CPU).await;
    f64::from_ne_bytes(*answer.first_chunk().expect("eight bytes"))
}

async fn ask(stream: &mut TcpStream, what: u8) -> Message {
    let mut message = [0; MESSAGE_BYTES];
    message[0] = what;
    stream.write_all(&message).await.expect("a peer");
    stream.read_exact(&mut message).await.expect("an echo");
    message
}
