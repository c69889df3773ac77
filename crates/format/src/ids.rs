//! The identifiers that events carry, one type each, so that they cannot be mixed up.

use crate::spec::{ArgKind, Argument};

macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(
            /// The number on the wire.
            pub u64,
        );

        impl From<u64> for $name {
            #[inline]
            fn from(number: u64) -> Self {
                Self(number)
            }
        }

        impl Argument for $name {
            const KIND: ArgKind = ArgKind::$name;

            #[inline]
            fn raw(self) -> u64 {
                self.0
            }

            #[inline]
            fn from_raw(raw: u64) -> Self {
                Self(raw)
            }
        }
    )+};
}

ids! {
    /// A task (Go: a goroutine); 0 means no task. Never reused in a trace.
    TaskId;
    /// An operating system's thread; [`ThreadId::NONE`] where there is none.
    ThreadId;
    /// An entry of the stack table; 0 means no stack.
    StackId;
    /// An entry of the string table; 0 is the empty string.
    StringId;
    /// A user task (Go: a task of runtime/trace); 0 is the background task.
    UserTaskId;
    /// A sequence number: the place of an event among those of one task, worker or the collector.
    Seq;
}

/// A worker (Go: a P); [`WorkerId::NONE`] where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WorkerId(
    /// The number, -1 for none.
    pub i64,
);

impl WorkerId {
    /// No worker: -1, on the wire 2^64-1.
    pub const NONE: Self = Self(-1);
}

impl ThreadId {
    /// No thread: -1, on the wire 2^64-1.
    pub const NONE: Self = Self(u64::MAX);
}

impl From<u64> for WorkerId {
    /// Reads the wire's two's complement.
    #[inline]
    fn from(number: u64) -> Self {
        Self(number as i64)
    }
}

impl Argument for WorkerId {
    const KIND: ArgKind = ArgKind::WorkerId;

    #[inline]
    fn raw(self) -> u64 {
        self.0 as u64
    }

    #[inline]
    fn from_raw(raw: u64) -> Self {
        Self(raw as i64)
    }
}
