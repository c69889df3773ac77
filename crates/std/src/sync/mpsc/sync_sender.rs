//! The sender of a channel with a limit.

use std::fmt;
use std::sync::mpsc::{SendError, TrySendError};

use exectrace::hook::{BlockReason, Blocked};

use super::channel::SenderEnd;

/// [`std::sync::mpsc::SyncSender`], waits for room traced as GoBlockSend; a message that the receiver waits for is shown as
/// its wake.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::mpsc::{TrySendError, sync_channel};
///
/// let (sender, receiver) = sync_channel(1);
/// sender.send("a")?;
/// assert_eq!(sender.try_send("b"), Err(TrySendError::Full("b")));
/// assert_eq!(receiver.recv(), Ok("a"));
/// # Ok::<(), std::sync::mpsc::SendError<&str>>(())
/// ```
pub struct SyncSender<T> {
    // Declared first, so dropped first: the wake comes before what it announces.
    end: SenderEnd,
    inner: std::sync::mpsc::SyncSender<T>,
}

impl<T> SyncSender<T> {
    pub(super) fn new(end: SenderEnd, inner: std::sync::mpsc::SyncSender<T>) -> Self {
        Self { end, inner }
    }

    /// Sends a message, waiting for room if need be: see [`std::sync::mpsc::SyncSender::send`].
    ///
    /// # Errors
    ///
    /// If the receiver is gone; the message is in the error.
    #[inline]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        self.end.wake_receiver();
        match self.inner.try_send(t) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(t)) => self.wait_and_send(t),
            Err(TrySendError::Disconnected(t)) => Err(SendError(t)),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait_and_send(&self, t: T) -> Result<(), SendError<T>> {
        let waiting = self.end.senders().wait(Blocked::new(BlockReason::Send));
        let result = self.inner.send(t);
        waiting.over(false);
        // The receiver may have emptied the channel and waited before the message was in: the wake is told late then.
        self.end.wake_receiver();
        result
    }

    /// Sends a message if it has room: see [`std::sync::mpsc::SyncSender::try_send`].
    ///
    /// # Errors
    ///
    /// If it has not, or the receiver is gone; the message is in the error.
    #[inline]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        self.end.wake_receiver();
        self.inner.try_send(t)
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self {
            end: self.end.clone(),
            inner: self.inner.clone(),
        }
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
