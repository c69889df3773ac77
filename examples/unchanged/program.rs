// A program as anybody writes it: it knows Tokio, and nothing of exectrace.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Notify, mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{sleep, timeout};

/// Answers whoever connects, until told to stop. Returns how many bytes it has echoed.
async fn serve(listener: TcpListener, stop: Arc<Notify>) -> u64 {
    let total = Arc::new(Mutex::new(0));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { break };
                connections.spawn(echo(stream, total.clone()));
            }
            () = stop.notified() => break,
        }
    }
    while connections.join_next().await.is_some() {}
    *total.lock().await
}

async fn echo(mut stream: TcpStream, total: Arc<Mutex<u64>>) {
    let mut buffer = [0; 128];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        *total.lock().await += length as u64;
        if stream.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn ask(
    address: std::net::SocketAddr,
    number: u8,
    results: mpsc::Sender<u64>,
) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let mut answer = [0; 16];
    for _ in 0..10 {
        stream.write_all(&[number; 16]).await?;
        stream.read_exact(&mut answer).await?;
        // A full channel makes us wait.
        let _ = results
            .send(answer.iter().map(|&byte| u64::from(byte)).sum())
            .await;
    }
    Ok(())
}

/// A few clients, a server, work for the blocking pool, tasks that stay on a thread.
async fn work() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = Arc::new(Notify::new());
    let server = tokio::spawn(serve(listener, stop.clone()));

    let (sender, mut receiver) = mpsc::channel(2);
    let clients: JoinSet<_> = (1..=4)
        .map(|number| ask(address, number, sender.clone()))
        .collect();
    drop(sender);
    let mut sum = 0;
    while let Some(result) = receiver.recv().await {
        sum += result;
    }
    let answered = clients
        .join_all()
        .await
        .iter()
        .filter(|result| result.is_ok())
        .count();
    stop.notify_one();
    let echoed = server.await.expect("no panic");

    let digest = tokio::task::spawn_blocking(move || {
        (1..=1000).fold(sum, |digest: u64, n| digest.rotate_left(5) ^ n)
    })
    .await
    .expect("no panic");

    let late = timeout(Duration::from_millis(5), sleep(Duration::from_secs(60)))
        .await
        .is_err();
    let (told, tell) = oneshot::channel::<&str>();
    let aborted = tokio::spawn(async { tell.await.unwrap_or("nobody") });
    aborted.abort();
    let aborted = aborted.await.is_err_and(|error| error.is_cancelled());
    drop(told);
    let panicked = tokio::spawn(async { std::panic::panic_any("on purpose") })
        .await
        .is_err_and(|error| error.is_panic());

    format!(
        "{answered} clients, {echoed} bytes, sum {sum}, digest {digest:x}, late {late}, aborted {aborted}, panicked {panicked}"
    )
}

/// Tasks that cannot leave their thread.
fn on_one_thread() -> u32 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let set = LocalSet::new();
    set.block_on(&runtime, async {
        let shared = Rc::new(6);
        let other = shared.clone();
        let task = tokio::task::spawn_local(async move {
            sleep(Duration::from_millis(1)).await;
            *other
        });
        *shared * (task.await.expect("no panic") + 1)
    })
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let local =
        tokio::task::block_in_place(|| std::thread::spawn(on_one_thread).join().expect("no panic"));
    println!("{}, local {local}", work().await);
}
