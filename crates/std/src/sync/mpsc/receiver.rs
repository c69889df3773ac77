//! The receiver.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use exectrace::hook::{BlockReason, Blocked};

use super::channel::Channel;
use super::iter::{IntoIter, Iter, TryIter};

/// [`std::sync::mpsc::Receiver`], its waits traced as GoBlockRecv; taking a message is shown as the wake of the sender that
/// waits longest for room.
///
/// # Examples
///
/// ```
/// use exectrace_std::sync::mpsc::{RecvTimeoutError, TryRecvError, channel};
/// use exectrace_std::time::Duration;
///
/// let (sender, receiver) = channel();
/// sender.send(1).unwrap();
/// assert_eq!(receiver.recv(), Ok(1));
/// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
/// let patience = Duration::from_millis(1);
/// assert_eq!(receiver.recv_timeout(patience), Err(RecvTimeoutError::Timeout));
/// ```
pub struct Receiver<T> {
    // Declared first, so dropped first: the wake comes before what it announces.
    end: ReceiverEnd,
    inner: std::sync::mpsc::Receiver<T>,
}

/// The receiver's share in the channel. Its drop announces that no message is taken any more.
#[derive(Debug)]
struct ReceiverEnd(Arc<Channel>);

impl Drop for ReceiverEnd {
    fn drop(&mut self) {
        self.0.senders.wake_all();
    }
}

impl<T> Receiver<T> {
    pub(super) fn new(channel: Arc<Channel>, inner: std::sync::mpsc::Receiver<T>) -> Self {
        Self {
            end: ReceiverEnd(channel),
            inner,
        }
    }

    /// Takes a message if there is one: see [`std::sync::mpsc::Receiver::try_recv`].
    ///
    /// # Errors
    ///
    /// If there is none, or none will come.
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.wake_sender();
        self.inner.try_recv()
    }

    /// Takes a message, waiting for it if need be: see [`std::sync::mpsc::Receiver::recv`].
    ///
    /// # Errors
    ///
    /// If none will come.
    #[inline]
    pub fn recv(&self) -> Result<T, RecvError> {
        match self.try_recv() {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvError),
            Err(TryRecvError::Empty) => self.wait(),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) -> Result<T, RecvError> {
        let waiting = self.end.0.receiver.wait(Blocked::new(BlockReason::Receive));
        let result = self.inner.recv();
        waiting.over(false);
        self.took_late(result.is_ok());
        result
    }

    /// Takes a message, waiting for it at most so long: see [`std::sync::mpsc::Receiver::recv_timeout`].
    ///
    /// # Errors
    ///
    /// If none came in that time, or none will come.
    #[inline]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match self.try_recv() {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => self.wait_for(timeout),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait_for(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let waiting = self.end.0.receiver.wait(Blocked::new(BlockReason::Receive));
        let result = self.inner.recv_timeout(timeout);
        waiting.over(matches!(result, Err(RecvTimeoutError::Timeout)));
        self.took_late(result.is_ok());
        result
    }

    /// The messages, until none will come: see [`std::sync::mpsc::Receiver::iter`].
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self)
    }

    /// The messages that are there: see [`std::sync::mpsc::Receiver::try_iter`].
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter::new(self)
    }

    /// A sender is about to have room, if one waits: then the channel is full, and a message is taken.
    #[inline]
    fn wake_sender(&self) {
        self.end.0.senders.wake_next();
    }

    /// While the receiver slept, senders may have filled the channel and waited; the message that ended the sleep was taken in
    /// the standard library, so the wake is told late.
    fn took_late(&self, a_message: bool) {
        if a_message {
            self.wake_sender();
        }
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
