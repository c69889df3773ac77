//! Cursors that wait, by what they wait for: for files that have more workers than any machine has.

use std::collections::BTreeMap;

use super::{Demand, Task};

/// The cursors.
#[derive(Debug, Default)]
pub(super) struct Parked {
    by_want: BTreeMap<Want, Vec<usize>>,
}

/// What a cursor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    /// This task in this state.
    State(u64, u64),
    /// This task in any state with this status.
    Status(u64, u64),
    /// The collector's cycle of this number.
    Cycle(u64),
}

impl Parked {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.by_want.is_empty()
    }

    #[cold]
    pub(super) fn park(&mut self, index: usize, demand: Demand) {
        let want = if !demand.is_task() {
            Want::Cycle(demand.task)
        } else if demand.mask == Task::STATUS {
            Want::Status(demand.task, demand.want)
        } else {
            Want::State(demand.task, demand.want)
        };
        self.by_want.entry(want).or_default().push(index);
    }

    /// Those that wait for what the task is in now.
    pub(super) fn take_task(&mut self, task: u64, state: u64) -> Vec<usize> {
        let mut taken = self.take(Want::State(task, state));
        taken.extend(self.take(Want::Status(task, state & Task::STATUS)));
        taken
    }

    /// Those that wait for the collector's next cycle.
    pub(super) fn take_cycle(&mut self, number: u64) -> Vec<usize> {
        self.take(Want::Cycle(number))
    }

    fn take(&mut self, want: Want) -> Vec<usize> {
        self.by_want.remove(&want).unwrap_or_default()
    }

    /// Any one of them.
    pub(super) fn take_any(&mut self) -> Option<usize> {
        let mut first = self.by_want.first_entry()?;
        let index = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        index
    }
}
