//! What is known of tasks, workers and threads while events are put in order.

use exectrace_format::role::State;
use exectrace_format::{StringId, UserTaskId};

use crate::id_array::IdArray;
use crate::id_map::IdMap;

/// Stands for no task and no worker, as in the file.
pub(super) const NONE: u64 = u64::MAX;

/// No task is here.
pub(super) const NO_SLOT: usize = usize::MAX;

/// The place of an event among those of one task or worker: the generation, and a number that begins anew in each and goes up by
/// one. Both in one word, since most events have one to check: a number that has more than 32 bits is out of sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sequence(u64);

impl Sequence {
    #[inline(always)]
    fn at(generation: u64, number: u64) -> Self {
        Self((generation << 32).wrapping_add(number))
    }

    /// As a generation begins.
    #[inline(always)]
    pub(super) fn begin(generation: u64) -> Self {
        Self::at(generation, 0)
    }

    /// That of which `number` is the next one.
    pub(super) fn before(generation: u64, number: u64) -> Self {
        Self::at(generation, number.wrapping_sub(1))
    }

    /// The next one, if `number` in `generation` is it.
    #[inline(always)]
    pub(super) fn next(self, generation: u64, number: u64) -> Option<Self> {
        let found = Self::at(generation, number);
        (found.0 == self.0.wrapping_add(1) && number <= u64::from(u32::MAX)).then_some(found)
    }
}

/// A task, as most events need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// [`State::NotExist`] for one that nobody has heard of.
    pub(super) state: State,
    pub(super) sequence: Sequence,
    /// It helps the collector.
    pub(super) assists: bool,
    /// [`Tasks::open`] has more of it.
    pub(super) has_open: bool,
}

/// What a task has begun and not ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    /// Why it has stopped the world; for several reasons at once in a trace that is made up.
    pub(super) stopped_world: Vec<StringId>,
    /// Its regions, the innermost last: user task and name.
    pub(super) regions: Vec<(UserTaskId, StringId)>,
}

/// All tasks that exist.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    by_id: IdArray<Task>,
    open: IdMap<Open>,
}

impl Tasks {
    #[inline]
    pub(super) fn get(&mut self, id: u64) -> Option<&mut Task> {
        let task = self.by_id.find(id)?;
        (task.state != State::NotExist).then_some(task)
    }

    /// Where the task of an id is, whether it exists or not, if it is at hand. It stays there until the next generation.
    #[inline(always)]
    pub(super) fn recent_slot(&self, id: u64) -> Option<usize> {
        self.by_id.recent_slot(id)
    }

    /// The task that is there.
    #[inline(always)]
    pub(super) fn at(&mut self, slot: usize) -> Option<&mut Task> {
        self.by_id.at_mut(slot)
    }

    pub(super) fn insert(&mut self, id: u64, task: Task) {
        *self.by_id.get_mut(id) = task;
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u64) {
        if let Some(task) = self.by_id.find(id)
            && std::mem::take(task).has_open
        {
            self.open.remove(&id);
        }
    }

    /// Takes back the memory of those that have gone.
    pub(super) fn tidy(&mut self) {
        self.by_id.tidy();
    }

    /// What the task has open, if it exists.
    pub(super) fn open(&mut self, id: u64) -> Option<&mut Open> {
        self.get(id)?.has_open = true;
        Some(self.open.entry(id).or_default())
    }
}

/// All workers that were heard of.
#[derive(Debug, Default)]
pub(super) struct Workers {
    by_id: IdArray<Option<Worker>>,
}

impl Workers {
    #[inline]
    pub(super) fn get(&mut self, id: u64) -> Option<&mut Worker> {
        self.by_id.find(id)?.as_mut()
    }

    /// The same, if the worker is at hand.
    #[inline(always)]
    pub(super) fn recent(&mut self, id: u64) -> Option<&mut Worker> {
        self.by_id.recent(id)?.as_mut()
    }

    pub(super) fn insert(&mut self, id: u64, worker: Worker) {
        *self.by_id.get_mut(id) = Some(worker);
    }

    /// The worker, which is this one if it was not heard of before.
    pub(super) fn get_or_insert(&mut self, id: u64, worker: Worker) -> &mut Worker {
        self.by_id.get_mut(id).get_or_insert(worker)
    }
}

impl Default for Task {
    fn default() -> Self {
        Self::new(State::NotExist, 0)
    }
}

impl Task {
    pub(super) fn new(state: State, generation: u64) -> Self {
        Self {
            state,
            sequence: Sequence::begin(generation),
            assists: false,
            has_open: false,
        }
    }
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkerState {
    Undetermined,
    Running,
    Idle,
    Syscall,
    /// In a system call, and its thread has gone.
    Abandoned,
}

impl WorkerState {
    pub(super) fn from_number(number: u64) -> Option<Self> {
        // Only these bits are looked at.
        Some(match number as u8 {
            0 => Self::Undetermined,
            1 => Self::Running,
            2 => Self::Idle,
            3 => Self::Syscall,
            4 => Self::Abandoned,
            _ => return None,
        })
    }

    /// As events tell it.
    pub(super) fn told(self) -> State {
        match self {
            Self::Undetermined => State::Undetermined,
            Self::Running | Self::Syscall => State::Running,
            Self::Idle | Self::Abandoned => State::Idle,
        }
    }
}

/// A worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Worker {
    pub(super) state: WorkerState,
    pub(super) sequence: Sequence,
    pub(super) sweeps: bool,
}

/// A thread: what it runs, and with which worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) id: u64,
    pub(super) task: u64,
    pub(super) worker: u64,
}

impl Thread {
    pub(super) fn new(id: u64) -> Self {
        Self {
            id,
            task: NONE,
            worker: NONE,
        }
    }
}

/// The state of a task by its number.
pub(super) fn task_state(number: u64) -> Option<State> {
    Some(match number as u8 {
        0 => State::Undetermined,
        1 => State::Runnable,
        2 => State::Running,
        3 => State::Syscall,
        4 => State::Waiting,
        _ => return None,
    })
}

/// The collector's cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cycle {
    Unknown,
    Running,
    NotRunning,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_up_by_one_in_a_generation() {
        let begin = Sequence::begin(5);
        let first = begin.next(5, 1).unwrap();
        assert_eq!(first, Sequence::before(5, 2));
        assert_eq!(begin, Sequence::before(5, 1));
        assert_eq!(first.next(5, 1), None);
        assert_eq!(first.next(6, 2), None);
        assert_eq!(first.next(5, 3), None);
        // Those of the next generation begin behind the last one that this one can have.
        let last = Sequence::before(5, 1 << 32);
        assert_eq!(last.next(5, 1 << 32), None);
        assert_eq!(Sequence::before(5, 0).next(5, 0), Some(begin));
    }
}
