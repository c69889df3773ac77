//! The load on the demonstration's server: several clients that ask for all paths in turn.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use exectrace_tokio as tokio;
use tokio::task::JoinSet;

use super::client::Client;
use super::error::{DemoError, RequestError};
use super::server::PATHS;

/// Connections at a time.
const CLIENTS: usize = 8;

/// Loads the server for so long; returns how many requests were answered.
pub(crate) async fn run(address: SocketAddr, duration: Duration) -> Result<u64, DemoError> {
    let end = Instant::now() + duration;
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(ask(address, end, number));
    }
    let mut answered = 0;
    while let Some(client) = clients.join_next().await {
        match client {
            Ok(requests) => answered += requests?,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    Ok(answered)
}

/// One client: all paths in turn, beginning with one of its own.
async fn ask(address: SocketAddr, end: Instant, number: usize) -> Result<u64, DemoError> {
    let failed = |path| move |error: RequestError| DemoError::Request { path, error };
    let mut client = Client::connect(address).await.map_err(failed("/"))?;
    let mut requests = 0;
    for path in PATHS.iter().cycle().skip(number) {
        if Instant::now() >= end {
            break;
        }
        client.get(path).await.map_err(failed(path))?;
        requests += 1;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    client.close().await;
    Ok(requests)
}
