//! The moment in which a local task is spawned, by whatever function.

use exectrace::hook::TaskRef;
use tokio::runtime::{RuntimeFlavor, RuntimeMetrics};

use crate::id_number::number_of;
use crate::own_spawn::OwnSpawn;
use crate::traced::Traced;

/// Finds out whether a runtime counts a task as one of its own: a local runtime does, a local set does not, and Tokio does not
/// say which takes it.
pub(super) struct LocalSpawn {
    task: TaskRef,
    runtime: Option<CurrentRuntime>,
    _own: OwnSpawn,
}

struct CurrentRuntime {
    number: u64,
    metrics: RuntimeMetrics,
    tasks_before: usize,
}

impl LocalSpawn {
    /// `future` is about to be spawned.
    pub(super) fn begin<F>(future: &Traced<F>) -> Self {
        Self {
            task: future.task().reference(),
            runtime: CurrentRuntime::of_one_thread(),
            _own: OwnSpawn::begin(),
        }
    }

    /// It was.
    pub(super) fn end(self) {
        if let Some(runtime) = &self.runtime
            && runtime.metrics.num_alive_tasks() > runtime.tasks_before
        {
            self.task.set_runtime(runtime.number);
        }
    }
}

impl CurrentRuntime {
    fn of_one_thread() -> Option<Self> {
        let handle = tokio::runtime::Handle::try_current().ok()?;
        if handle.runtime_flavor() != RuntimeFlavor::CurrentThread {
            return None;
        }
        let metrics = handle.metrics();
        Some(Self {
            number: number_of(handle.id()),
            tasks_before: metrics.num_alive_tasks(),
            metrics,
        })
    }
}
