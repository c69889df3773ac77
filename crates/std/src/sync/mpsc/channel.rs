//! What both ends of a channel share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::waiters::Waiters;

/// Who waits at a channel, and how many may send.
#[derive(Debug)]
pub(super) struct Channel {
    /// The receiver, for a message.
    pub(super) receiver: Waiters,
    /// Senders, for room.
    pub(super) senders: Waiters,
    /// Handles of senders.
    handles: AtomicUsize,
}

impl Channel {
    /// A new channel as its first sender and its receiver know it.
    pub(super) fn ends() -> (SenderEnd, Arc<Self>) {
        let channel = Arc::new(Self {
            receiver: Waiters::new(),
            senders: Waiters::new(),
            handles: AtomicUsize::new(1),
        });
        (SenderEnd(Arc::clone(&channel)), channel)
    }
}

/// A sender's share in the channel. The drop of the last one announces that no message comes any more.
#[derive(Debug)]
pub(super) struct SenderEnd(Arc<Channel>);

impl SenderEnd {
    /// The receiver is about to have a message.
    #[inline]
    pub(super) fn wake_receiver(&self) {
        self.0.receiver.wake_first();
    }

    /// Senders that wait for room.
    #[inline]
    pub(super) fn senders(&self) -> &Waiters {
        &self.0.senders
    }
}

impl Clone for SenderEnd {
    fn clone(&self) -> Self {
        // Relaxed: a number that only wakes go by.
        self.0.handles.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

impl Drop for SenderEnd {
    fn drop(&mut self) {
        // Relaxed: a number that only wakes go by.
        if self.0.handles.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.wake_receiver();
        }
    }
}
