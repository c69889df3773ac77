//! mini-redis, recorded: a server that knows nothing of exectrace, on a runtime that exectrace built.
//!
//! ```sh
//! cargo run --release -- mini-redis.trace 6379     # until Ctrl-C
//! redis-benchmark -p 6379 -t set,get -n 100000 -q
//! go tool trace mini-redis.trace
//! ```

use std::error::Error;
use std::fs::File;
use std::io::Write;

use exectrace_tokio as tokio;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "mini-redis.trace".into());
    let port = arguments.next().unwrap_or_else(|| "6379".into()).parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let session = exectrace::start(File::create(&path)?)?;
    runtime.block_on(serve(port))?;
    let untraced = tokio::untraced_tasks(&runtime.handle().clone());
    drop(runtime);
    let statistics = session.stop();
    writeln!(std::io::stdout(), "{path}\n{statistics}\nuntraced tasks: {untraced}")?;
    for (name, count) in statistics.events.iter() {
        writeln!(std::io::stdout(), "  {name:16} {count:>9}")?;
    }
    Ok(())
}

/// Serves until Ctrl-C.
async fn serve(port: u16) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    writeln!(std::io::stdout(), "listening on {}", listener.local_addr()?)?;
    let served = mini_redis::server::run(listener, tokio::signal::ctrl_c()).await;
    served.map_err(std::io::Error::other)
}
