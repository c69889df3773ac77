//! The runtimes that were built here and are alive, and what recordings say of them.

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use exectrace::hook;
use tokio::runtime::Handle;

use crate::id_number::number_of;
#[cfg(tokio_unstable)]
use crate::task_hooks;
use crate::untraced;

/// Where recordings say how many tasks they do not show.
const KEY: &str = "exectrace.untraced";

/// A task that begins or ends right now is told from one that is not traced by looking again.
const LOOKS: usize = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

static LIVE: Mutex<Vec<Handle>> = Mutex::new(Vec::new());

/// While this lives, recordings say how many of the runtime's tasks they do not show.
#[derive(Debug)]
pub(crate) struct LiveRuntime {
    number: u64,
}

impl LiveRuntime {
    pub(crate) fn of(handle: &Handle) -> Self {
        static DESCRIBED: Once = Once::new();
        DESCRIBED.call_once(|| hook::add_describer(KEY, describe));
        live().push(handle.clone());
        Self {
            number: number_of(handle.id()),
        }
    }
}

impl Drop for LiveRuntime {
    fn drop(&mut self) {
        // What a handle drops with it is dropped outside of the lock.
        let gone: Vec<Handle> = live()
            .extract_if(.., |handle| number_of(handle.id()) == self.number)
            .collect();
        drop(gone);
        #[cfg(tokio_unstable)]
        task_hooks::runtime_ended(self.number);
    }
}

fn live() -> MutexGuard<'static, Vec<Handle>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What stands under [`KEY`]; nothing as long as all tasks are traced.
fn describe() -> Option<String> {
    let handles = live().clone();
    let mut text = String::new();
    for handle in handles {
        let tasks = untraced_for_long(&handle);
        if tasks > 0 {
            let name = handle.name().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(text, "runtime={} tasks={tasks} name={name} ", handle.id());
        }
    }
    #[cfg(tokio_unstable)]
    if task_hooks::count() > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, "hooks_only={} ", task_hooks::count());
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

fn untraced_for_long(handle: &Handle) -> usize {
    let mut least = usize::MAX;
    for look in 0..LOOKS {
        if look > 0 {
            thread::sleep(BETWEEN_LOOKS);
        }
        least = least.min(untraced::untraced_of(handle));
        if least == 0 {
            break;
        }
    }
    least
}
