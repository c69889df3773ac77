//! Why a task waits, and how an adapter tells it from a stack.

use exectrace_format::go_v1::EventType;

/// Why a task stops running without having ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockReason {
    /// Anything without a reason of its own: a parked thread, an unknown leaf (GoBlock).
    Other,
    /// Nobody can ever wake it (GoStop).
    Forever,
    /// A timer (GoSleep).
    Sleep,
    /// Readiness of a socket or a pipe (GoBlockNet).
    Net,
    /// Receiving from a channel (GoBlockRecv).
    Receive,
    /// Sending to a full channel (GoBlockSend).
    Send,
    /// A lock, a semaphore, a join (GoBlockSync).
    Sync,
    /// A condition variable or a notification (GoBlockCond).
    Cond,
    /// One of several (GoBlockSelect).
    Select,
    /// Leave to help the garbage collector (GoBlockGC).
    GcAssist,
}

/// What an adapter's classifier says of the place where a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeafClass {
    /// The task waits there, for this reason.
    Waits(BlockReason),
    /// The task gives up its turn there and is runnable: the run ends as GoSched.
    Yields,
    /// A timer that counts only if the task waits for nothing else, as in a time-out.
    Timer,
}

impl BlockReason {
    pub(crate) const ALL: [Self; 10] = [
        Self::Other,
        Self::Forever,
        Self::Sleep,
        Self::Net,
        Self::Receive,
        Self::Send,
        Self::Sync,
        Self::Cond,
        Self::Select,
        Self::GcAssist,
    ];

    /// The event that says so. All of them have the same shape.
    #[inline]
    pub(crate) fn event_type(self) -> EventType {
        match self {
            Self::Other => EventType::GoBlock,
            Self::Forever => EventType::GoStop,
            Self::Sleep => EventType::GoSleep,
            Self::Net => EventType::GoBlockNet,
            Self::Receive => EventType::GoBlockRecv,
            Self::Send => EventType::GoBlockSend,
            Self::Sync => EventType::GoBlockSync,
            Self::Cond => EventType::GoBlockCond,
            Self::Select => EventType::GoBlockSelect,
            Self::GcAssist => EventType::GoBlockGC,
        }
    }
}

/// Codes of [`LeafClass`] in an entry of the stack table; 0 is not classified yet. That of a wait holds the type of its event, so
/// that a hook need not look it up.
pub(crate) mod code {
    use exectrace_format::go_v1::EventType;

    use super::{BlockReason, LeafClass};

    pub(crate) const UNKNOWN: u8 = 0;
    const YIELDS: u8 = 1 << 7;
    const TIMER: u8 = 1 << 6 | EventType::GoSleep as u8;
    const TYPE_MASK: u8 = (1 << 6) - 1;

    pub(crate) fn of(class: LeafClass) -> u8 {
        match class {
            LeafClass::Yields => YIELDS,
            LeafClass::Timer => TIMER,
            LeafClass::Waits(reason) => reason.event_type() as u8,
        }
    }

    /// The type of the event that a task which waits there alone writes. `None` if it does not wait, or that is not known.
    #[inline(always)]
    pub(crate) fn event_type(code: u8) -> Option<u8> {
        let event_type = code & TYPE_MASK;
        (event_type != 0).then_some(event_type)
    }

    #[inline]
    pub(crate) fn class(code: u8) -> Option<LeafClass> {
        match code {
            UNKNOWN => None,
            YIELDS => Some(LeafClass::Yields),
            TIMER => Some(LeafClass::Timer),
            event_type => {
                let is_it = |reason: &BlockReason| reason.event_type() as u8 == event_type;
                BlockReason::ALL
                    .into_iter()
                    .find(is_it)
                    .map(LeafClass::Waits)
            }
        }
    }
}

/// The end of a run whose leaves are known: how it ended, and which leaf's stack stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) class: LeafClass,
    /// Index of the leaf.
    pub(crate) leaf: usize,
}

/// Weighs the leaves of one poll: timers count only alone; one leaf gives its reason, several are a select; the last leaf
/// that counts stands for the stack. `None` while a class is unknown.
pub(crate) fn weigh(codes: impl Iterator<Item = u8> + Clone) -> Option<Verdict> {
    let mut verdict: Option<Verdict> = None;
    let mut waits = 0;
    for (leaf, code) in codes.enumerate() {
        let class = code::class(code)?;
        match class {
            LeafClass::Yields => return Some(Verdict { class, leaf }),
            LeafClass::Timer if verdict.is_some() => {}
            LeafClass::Timer => verdict = Some(Verdict { class, leaf }),
            LeafClass::Waits(_) => {
                waits += 1;
                verdict = Some(Verdict { class, leaf });
            }
        }
    }
    let mut verdict = verdict?;
    match verdict.class {
        LeafClass::Timer => verdict.class = LeafClass::Waits(BlockReason::Sleep),
        LeafClass::Waits(_) if waits > 1 => verdict.class = LeafClass::Waits(BlockReason::Select),
        _ => {}
    }
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(classes: &[LeafClass], expect: LeafClass, leaf: usize) {
        let codes: Vec<u8> = classes.iter().map(|&class| code::of(class)).collect();
        assert_eq!(
            weigh(codes.into_iter()),
            Some(Verdict {
                class: expect,
                leaf
            })
        );
    }

    const RECEIVE: LeafClass = LeafClass::Waits(BlockReason::Receive);
    const SYNC: LeafClass = LeafClass::Waits(BlockReason::Sync);
    const SELECT: LeafClass = LeafClass::Waits(BlockReason::Select);
    const SLEEP: LeafClass = LeafClass::Waits(BlockReason::Sleep);

    #[test]
    fn timers_count_only_alone_and_several_leaves_are_a_select() {
        check(&[RECEIVE], RECEIVE, 0);
        check(&[LeafClass::Timer], SLEEP, 0);
        check(&[RECEIVE, LeafClass::Timer], RECEIVE, 0);
        check(&[LeafClass::Timer, RECEIVE], RECEIVE, 1);
        check(&[RECEIVE, SYNC], SELECT, 1);
        check(&[RECEIVE, LeafClass::Yields], LeafClass::Yields, 1);
    }

    #[test]
    fn an_unknown_leaf_leaves_the_verdict_open() {
        assert_eq!(weigh([code::of(RECEIVE), code::UNKNOWN].into_iter()), None);
    }

    #[test]
    fn codes_and_classes_are_one_to_one() {
        for reason in BlockReason::ALL {
            let class = LeafClass::Waits(reason);
            assert_eq!(code::class(code::of(class)), Some(class));
        }
    }
}
