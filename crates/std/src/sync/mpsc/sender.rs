//! The sender of a channel without a limit.

use std::fmt;
use std::sync::mpsc::SendError;

use super::channel::SenderEnd;

/// [`std::sync::mpsc::Sender`]; a message that the receiver waits for is shown as its wake.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::mpsc::channel;
///
/// let (sender, receiver) = channel();
/// let other = sender.clone();
/// sender.send(1)?;
/// other.send(2)?;
/// drop((sender, other));
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), std::sync::mpsc::SendError<i32>>(())
/// ```
pub struct Sender<T> {
    // Declared first, so dropped first: the wake comes before what it announces.
    end: SenderEnd,
    inner: std::sync::mpsc::Sender<T>,
}

impl<T> Sender<T> {
    pub(super) fn new(end: SenderEnd, inner: std::sync::mpsc::Sender<T>) -> Self {
        Self { end, inner }
    }

    /// Sends a message: see [`std::sync::mpsc::Sender::send`].
    ///
    /// # Errors
    ///
    /// If the receiver is gone; the message is in the error.
    #[inline]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        self.end.wake_receiver();
        self.inner.send(t)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self {
            end: self.end.clone(),
            inner: self.inner.clone(),
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
