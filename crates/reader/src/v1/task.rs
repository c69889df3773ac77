//! What is known of a task, in one word, so that it is loaded, judged and stored as one.
//!
//! The order of events and the checks of what is in order each have a view of a task. They differ for a while where a system call
//! ends: the one takes it in when it is written, the other when it has happened. So each has bits of its own.
//!
//! ```text
//! 63 … 9      8 7   6        5      4 3 2   1 0
//! sequence    end   assists  known  state   status
//! └ order ┘   └──────────── checks ─────┘   └ order
//! ```

use exectrace_format::role::State;

use crate::id_array::IdArray;

/// A task. One that nobody has heard of is all zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Task(pub(super) u64);

/// All tasks, by id.
pub(super) type Tasks = IdArray<Task>;

/// What a task does, as far as order goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Dead,
    Runnable,
    Running,
    Waiting,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Not at all.
    Never,
    /// It returned.
    Over,
    /// It waits for ever, of which only the order of events makes an end.
    Stopped,
}

impl Task {
    pub(super) const STATUS: u64 = 3;
    const STATE_SHIFT: u32 = 2;
    pub(super) const STATE: u64 = 7 << Self::STATE_SHIFT;
    /// An event of it, or its creation, was there.
    pub(super) const KNOWN: u64 = 1 << 5;
    const ASSISTS: u64 = 1 << 6;
    const END_SHIFT: u32 = 7;
    pub(super) const END: u64 = 3 << Self::END_SHIFT;
    pub(super) const SEQUENCE_SHIFT: u32 = 9;
    /// Larger ones are taken for this one, which no task reaches.
    pub(super) const SEQUENCE_MAX: u64 = u64::MAX >> Self::SEQUENCE_SHIFT;
    const SEQUENCE: u64 = u64::MAX << Self::SEQUENCE_SHIFT;
    /// The bits that matter for the order of events. All others are those of the checks.
    pub(super) const ORDER: u64 = Self::SEQUENCE | Self::STATUS;
    /// A bit that [`State::Waiting`] and [`State::Syscall`] have, and no other state.
    pub(super) const IS_AWAY: u64 = 4 << Self::STATE_SHIFT;

    /// The bits of a state.
    pub(super) const fn state_bits(state: State) -> u64 {
        let code = match state {
            State::NotExist => 0,
            State::Runnable => 1,
            State::Running => 2,
            State::Waiting => 4,
            State::Syscall => 5,
            // Of a task only the last, which a tolerant reader infers.
            State::Idle | State::Undetermined => 3,
        };
        code << Self::STATE_SHIFT
    }

    /// The bits of how it ended.
    pub(super) const fn end_bits(end: End) -> u64 {
        (end as u64) << Self::END_SHIFT
    }

    #[inline]
    pub(super) const fn state(self) -> State {
        match (self.0 & Self::STATE) >> Self::STATE_SHIFT {
            0 => State::NotExist,
            1 => State::Runnable,
            2 => State::Running,
            4 => State::Waiting,
            5 => State::Syscall,
            _ => State::Undetermined,
        }
    }

    #[inline]
    pub(super) const fn set_state(&mut self, state: State) {
        self.0 = self.0 & !Self::STATE | Self::state_bits(state);
    }

    #[inline]
    pub(super) const fn is_running(self) -> bool {
        self.0 & Self::STATE == Self::state_bits(State::Running)
    }

    /// It is known from now on.
    #[inline]
    pub(super) const fn meet(&mut self) {
        self.0 |= Self::KNOWN;
    }

    /// It is not known any more. Whether it was.
    pub(super) const fn forget(&mut self) -> bool {
        let was_known = self.0 & Self::KNOWN != 0;
        self.0 &= !Self::KNOWN;
        was_known
    }

    /// Whether it helps the collector from now on. Whether it did before.
    pub(super) const fn replace_assists(&mut self, assists: bool) -> bool {
        let did = self.0 & Self::ASSISTS != 0;
        self.0 &= !Self::ASSISTS;
        if assists {
            self.0 |= Self::ASSISTS;
        }
        did
    }

    pub(super) const fn end(self) -> End {
        match (self.0 & Self::END) >> Self::END_SHIFT {
            0 => End::Never,
            1 => End::Over,
            _ => End::Stopped,
        }
    }

    pub(super) const fn set_end(&mut self, end: End) {
        self.0 = self.0 & !Self::END | Self::end_bits(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_keeps_what_it_is_given() {
        let mut task = Task(7 << Task::SEQUENCE_SHIFT | Status::Waiting as u64);
        let order = task.0;
        for state in [
            State::NotExist,
            State::Undetermined,
            State::Runnable,
            State::Running,
            State::Waiting,
            State::Syscall,
        ] {
            task.set_state(state);
            assert_eq!(task.state(), state);
            assert_eq!(task.is_running(), state == State::Running);
            let is_away = matches!(state, State::Waiting | State::Syscall);
            assert_eq!(task.0 & Task::IS_AWAY != 0, is_away);
            assert_eq!(task.end(), End::Never);
        }
        for end in [End::Over, End::Stopped, End::Never] {
            task.set_end(end);
            assert_eq!((task.end(), task.state()), (end, State::Syscall));
        }
        task.meet();
        assert!(!task.replace_assists(true));
        assert!(task.forget());
        assert!(!task.forget());
        assert!(task.replace_assists(false));
        assert_eq!(task.state(), State::Syscall);
        assert_eq!(task.0 & Task::ORDER, order);
    }
}
