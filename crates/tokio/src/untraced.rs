//! How many tasks of a runtime are not traced.

use exectrace::hook;

use crate::id_number::number_of;
use crate::runtime::Handle;

/// How many live tasks of the runtime were spawned by somebody else's Tokio, so that no recording shows them.
///
/// The count is right while nobody spawns and no task ends meanwhile. It walks all live tasks. What a task spawns inside of another
/// runtime counts as its own runtime's if it got there by Tokio's own guard or `block_on` (in `block_in_place`), and not by
/// [`Handle::enter`] or [`Handle::block_on`]; or if its future is dropped on a thread of that runtime, and spawns meanwhile.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// runtime.spawn(async {});
/// assert_eq!(exectrace_tokio::untraced_tasks(runtime.handle()), 0);
/// // As a library does that knows Tokio only:
/// tokio::runtime::Handle::spawn(runtime.handle(), async {});
/// # if cfg!(not(tokio_unstable)) {
/// assert_eq!(exectrace_tokio::untraced_tasks(runtime.handle()), 1);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn untraced_tasks(handle: &Handle) -> usize {
    untraced_of(handle)
}

/// As [`untraced_tasks`].
pub(crate) fn untraced_of(handle: &tokio::runtime::Handle) -> usize {
    let alive = handle.metrics().num_alive_tasks();
    alive.saturating_sub(hook::live_tasks(number_of(handle.id())))
}
