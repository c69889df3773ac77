//! `exectrace demo`: records a real workload for a few seconds and says what is in the recording.

mod client;
mod error;
mod load;
mod server;
mod summary;
mod thread_pool;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exectrace::{Recorder, Statistics};
use exectrace_tokio as tokio;

pub(crate) use self::error::DemoError;
use crate::error::CommandError;

/// Arguments of `exectrace demo`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where the recording goes.
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "exectrace-demo.trace"
    )]
    output: PathBuf,
    /// How long to record.
    #[arg(short, long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
}

/// The longest demonstration: an hour.
const SECONDS_MAX: f64 = 3_600.0;

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= SECONDS_MAX => Ok(seconds),
        Ok(_) => Err(format!("must be above 0 and at most {SECONDS_MAX}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Runs the demonstration.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let duration = Duration::from_secs_f64(arguments.seconds);
    let statistics = record(&arguments.output, duration)?;
    if let Some(error) = &statistics.sink_error {
        return Err(CommandError::Demo(DemoError::Write {
            path: arguments.output.clone(),
            error: io::Error::new(error.kind(), error.to_string()),
        }));
    }
    summary::print(&arguments.output, &statistics)?;
    Ok(())
}

/// Records the workload into `path`.
fn record(path: &Path, duration: Duration) -> Result<Statistics, DemoError> {
    let file = File::create(path).map_err(|error| DemoError::Create {
        path: path.to_owned(),
        error,
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("demo-worker")
        .build()
        .map_err(DemoError::Runtime)?;
    let pool = thread_pool::ThreadPool::start().map_err(DemoError::Threads)?;
    let server = runtime
        .block_on(server::Server::start())
        .map_err(DemoError::Listen)?;
    // The server and the pool live already: the recording introduces them.
    let session = Recorder::new().start(file)?;
    let address = server.address();
    let requests = runtime.block_on(async {
        tokio::select! {
            answered = load::run(address, duration) => answered.map(drop),
            // Whoever has seen enough gets what there is: a file that nobody has ended is one that nobody can open.
            Ok(()) = tokio::signal::ctrl_c() => Ok(()),
        }
    });
    pool.stop();
    runtime.block_on(server.stop());
    let statistics = session.stop();
    runtime.shutdown_timeout(Duration::from_secs(1));
    requests?;
    Ok(statistics)
}
