//! Tasks that somebody else's Tokio spawned on a runtime of ours, seen through Tokio's hooks.
//!
//! The hooks tell of every task, also of those that are traced already. Those never get into the map: while one is spawned, an
//! [`OwnSpawn`] is about on the thread. Of the others a hook knows that a poll begins and ends, but neither how it ended nor
//! who woke the task: a poll that ends is a block for a reason unknown, and the next one's start an unblock by nobody.
//!
//! A hook that panics hangs its worker, so none can: they look up, insert and remove, and what they drop is ours.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use exectrace::hook::{Run, Task};
use tokio::task::Id;

use crate::id_number::number_of;
use crate::own_spawn::OwnSpawn;

/// Shards of the map, so that workers seldom meet.
const SHARDS: usize = 64;

static TASKS: LazyLock<[Mutex<HashMap<u64, Hooked>>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));

/// Tasks in the map. While it has none, polls need not look.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A task in the map.
struct Hooked {
    task: Arc<Task>,
    runtime: u64,
}

/// A poll that has begun and not ended.
struct Polled {
    id: u64,
    // Declared before its task, so dropped before it.
    run: Option<Run<'static>>,
    _task: Arc<Task>,
}

thread_local! {
    /// The polls that the thread is in, the innermost last: a task may run a runtime of one thread.
    static POLLED: RefCell<Vec<Polled>> = const { RefCell::new(Vec::new()) };
}

/// How many live tasks are seen through hooks alone.
pub(crate) fn count() -> usize {
    // Relaxed: a figure for a report.
    COUNT.load(Ordering::Relaxed)
}

/// A task is spawned on the runtime with the number `runtime`.
pub(crate) fn spawned(id: Id, runtime: u64) {
    if OwnSpawn::is_happening() {
        return;
    }
    let task = Task::new(spawned_elsewhere as fn() as *const ());
    task.set_runtime(runtime);
    let id = number_of(id);
    let hooked = Hooked {
        task: Arc::new(task),
        runtime,
    };
    // Relaxed: whoever polls the task got it from its spawn, in order.
    COUNT.fetch_add(1, Ordering::Relaxed);
    let former = shard(id).insert(id, hooked);
    // Tokio may use the number of a task that is gone.
    forget(former);
}

/// What such a task is called by: nobody knows its future.
fn spawned_elsewhere() {
    std::hint::black_box(());
}

/// A poll of a task begins on the calling thread.
pub(crate) fn poll_begins(id: Id) {
    if count() == 0 {
        return;
    }
    let id = number_of(id);
    let Some(task) = shard(id).get(&id).map(|hooked| hooked.task.clone()) else {
        return;
    };
    let run = Some(task.start_detached());
    with_polled(|polled| {
        polled.push(Polled {
            id,
            run,
            _task: task,
        });
    });
}

/// A poll of a task has ended.
pub(crate) fn poll_ends(id: Id) {
    if count() == 0 && with_polled(|polled| polled.is_empty()).unwrap_or(true) {
        return;
    }
    if let Some(mut polled) = take_polled(number_of(id))
        && let Some(run) = polled.run.take()
    {
        run.wait(&[]);
    }
}

/// A task has ended, within a poll or outside of one.
pub(crate) fn terminated(id: Id) {
    if count() == 0 {
        return;
    }
    let id = number_of(id);
    let hooked = shard(id).remove(&id);
    drop(take_polled(id));
    forget(hooked);
}

/// A runtime is gone: hooks may have told of tasks that never began, and will not tell of their end.
pub(crate) fn runtime_ended(runtime: u64) {
    for index in 0..SHARDS {
        let gone: Vec<Hooked> = shard(index as u64)
            .extract_if(|_, hooked| hooked.runtime == runtime)
            .map(|(_, hooked)| hooked)
            .collect();
        for hooked in gone {
            forget(Some(hooked));
        }
    }
}

/// The innermost poll of the thread, if it is one of the task.
fn take_polled(id: u64) -> Option<Polled> {
    with_polled(|polled| polled.pop_if(|polled| polled.id == id)).flatten()
}

fn with_polled<R>(work: impl FnOnce(&mut Vec<Polled>) -> R) -> Option<R> {
    POLLED
        .try_with(|polled| Some(work(&mut *polled.try_borrow_mut().ok()?)))
        .ok()
        .flatten()
}

fn forget(hooked: Option<Hooked>) {
    if hooked.is_some() {
        // Relaxed: as when it was added.
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

fn shard(id: u64) -> MutexGuard<'static, HashMap<u64, Hooked>> {
    TASKS[id as usize % SHARDS]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
