//! The program's own callbacks on tasks, and ours around them.

use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Handle, TaskMeta};

use crate::id_number::number_of;
use crate::task_hooks;

type Callback = Option<Arc<dyn Fn(&TaskMeta<'_>) + Send + Sync>>;

/// The program's callbacks: Tokio keeps one of each kind, which is ours.
#[derive(Default)]
pub(super) struct TaskCallbacks {
    pub(super) spawn: Callback,
    pub(super) before_poll: Callback,
    pub(super) after_poll: Callback,
    pub(super) terminate: Callback,
}

/// The number of a runtime that is yet to be built.
#[derive(Clone, Default)]
pub(super) struct FutureNumber(Arc<OnceLock<u64>>);

impl FutureNumber {
    /// The runtime is there. Nobody can have spawned on it so far.
    pub(super) fn set(&self, handle: &Handle) {
        // It was not set before: each build has one of its own.
        let _ = self.0.set(number_of(handle.id()));
    }

    fn get(&self) -> u64 {
        self.0.get().copied().unwrap_or(0)
    }
}

impl TaskCallbacks {
    /// Sets ours, which call the program's: inside of a task's run where there is one.
    pub(super) fn install(&self, builder: &mut Builder) -> FutureNumber {
        let number = FutureNumber::default();
        let (own, runtime) = (self.spawn.clone(), number.clone());
        builder.on_task_spawn(move |meta| {
            task_hooks::spawned(meta.id(), runtime.get());
            call(&own, meta);
        });
        let own = self.before_poll.clone();
        builder.on_before_task_poll(move |meta| {
            task_hooks::poll_begins(meta.id());
            call(&own, meta);
        });
        let own = self.after_poll.clone();
        builder.on_after_task_poll(move |meta| {
            call(&own, meta);
            task_hooks::poll_ends(meta.id());
        });
        let own = self.terminate.clone();
        builder.on_task_terminate(move |meta| {
            call(&own, meta);
            task_hooks::terminated(meta.id());
        });
        number
    }
}

fn call(callback: &Callback, meta: &TaskMeta<'_>) {
    if let Some(callback) = callback {
        callback(meta);
    }
}
