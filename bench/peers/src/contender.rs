//! Who takes part: plain Tokio, and a row for each way of tracing it.

use std::future::Future;
use std::path::PathBuf;
use std::{env, fs, process};

use dial9::{Dial9HandleTokioExt, DiskBuffer, TokioAttachOptions};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// A way to run Tokio.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Runs a body on a runtime of one worker, from the tracer's start to its end.
    pub(crate) run: fn(Body),
    /// How its users spawn.
    pub(crate) spawner: Spawner,
}

/// What to run.
pub(crate) type Body = Box<dyn FnOnce(&Runtime)>;

/// A way to spawn a task.
#[derive(Clone, Copy)]
pub(crate) enum Spawner {
    Tokio,
    Dial9,
    Ours,
}

/// Plain Tokio first: the others are measured against it.
pub(crate) const CONTENDERS: &[Contender] = &[
    Contender {
        name: "plain",
        run: plain,
        spawner: Spawner::Tokio,
    },
    // Tokio's hooks alone: polls are seen, wakes are not.
    Contender {
        name: "dial9_hooks",
        run: dial9,
        spawner: Spawner::Tokio,
    },
    // Its own spawn: wakes too.
    Contender {
        name: "dial9_spawn",
        run: dial9,
        spawner: Spawner::Dial9,
    },
    // Polls, wakes with their stacks, and the stack where a task waits.
    Contender {
        name: "exectrace",
        run: exectrace,
        spawner: Spawner::Ours,
    },
];

impl Spawner {
    pub(crate) fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        match self {
            Self::Tokio => tokio::spawn(future),
            Self::Dial9 => dial9::spawn(future),
            Self::Ours => exectrace_tokio::spawn(future),
        }
    }
}

fn builder() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1);
    builder
}

fn plain(body: Body) {
    let runtime = builder().build().expect("a runtime can be built");
    body(&runtime);
}

fn dial9(body: Body) {
    let folder = Folder::new();
    let writer = DiskBuffer::builder()
        .base_path(folder.0.join("trace"))
        .max_file_size(256 << 20)
        .max_total_size(1 << 30)
        .build()
        .expect("the folder can be written");
    let recorder = dial9::recorder(writer).build();
    let options = TokioAttachOptions::builder()
        .task_tracking_enabled(true)
        .build();
    let runtime = recorder
        .handle()
        .attach_tokio_runtime(builder(), options)
        .expect("a runtime can be traced");
    body(&runtime);
    drop(runtime);
    drop(recorder);
    let written = fs::read_dir(&folder.0).map_or(0, Iterator::count);
    assert!(
        written > 0,
        "the tracer wrote nothing, so it was not measured"
    );
}

fn exectrace(body: Body) {
    let folder = Folder::new();
    let file = fs::File::create(folder.0.join("trace")).expect("the folder can be written");
    let session = exectrace::start(file).expect("the only session");
    let runtime = builder().build().expect("a runtime can be built");
    body(&runtime);
    drop(runtime);
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    assert!(statistics.events.total() > 1000, "it was not measured");
}

/// A folder for traces, which goes with the process.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("exectrace-peers-{}", process::id()));
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
