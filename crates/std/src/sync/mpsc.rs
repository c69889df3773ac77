//! Traced channels with many senders and one receiver, beside all else of [`std::sync::mpsc`].
//!
//! A receiver that waits for a message is shown as GoBlockRecv, let go by the thread that sends; a sender that waits for room
//! as GoBlockSend, let go by the thread that receives. The last sender to go lets the receiver go, too, and the receiver all
//! senders.
//!
//! # Examples
//!
//! ```
//! use exectrace_std::sync::mpsc;
//! use exectrace_std::thread;
//!
//! let session = exectrace::start(std::io::sink())?;
//! let (sender, receiver) = mpsc::sync_channel(1);
//! let producer = thread::spawn(move || (0..100).try_for_each(|number| sender.send(number)));
//! assert_eq!(receiver.iter().sum::<i32>(), 4950);
//! producer.join().unwrap().unwrap();
//! let statistics = session.stop();
//! let waits = ["GoBlockRecv", "GoBlockSend"].map(|kind| statistics.events.of(kind));
//! assert!(waits.iter().sum::<u64>() > 0);
//! # Ok::<(), exectrace::Error>(())
//! ```

pub use std::sync::mpsc::*;

mod channel;
mod iter;
mod receiver;
mod sender;
mod sync_sender;

pub use iter::{IntoIter, Iter, TryIter};
pub use receiver::Receiver;
pub use sender::Sender;
pub use sync_sender::SyncSender;

use channel::Channel;

/// A channel without a limit: see [`std::sync::mpsc::channel`].
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let (senders, channel) = Channel::ends();
    (
        Sender::new(senders, sender),
        Receiver::new(channel, receiver),
    )
}

/// A channel in which so many messages have room: see [`std::sync::mpsc::sync_channel`].
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
    let (senders, channel) = Channel::ends();
    (
        SyncSender::new(senders, sender),
        Receiver::new(channel, receiver),
    )
}
