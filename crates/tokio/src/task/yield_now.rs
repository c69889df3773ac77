//! Turns given up.

use std::future::poll_fn;
use std::task::Poll;

use crate::poll_frame::PollFrame;

/// As [`tokio::task::yield_now`]; recordings show a turn given up, and no wait.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread().build()?;
/// runtime.block_on(exectrace_tokio::task::yield_now());
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn yield_now() {
    // The stack would tell as well, but not before the collector has looked at it: until then yields would be shown as waits.
    poll_fn(|context| {
        PollFrame::note_yield(context.waker().data());
        Poll::Ready(())
    })
    .await;
    tokio::task::yield_now().await;
}
