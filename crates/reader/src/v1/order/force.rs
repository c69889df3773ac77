//! What a tolerant reader does when no event can come next, or when the next one's time lies in the past.

use super::{Demand, Order, Tasks};
use crate::{Cause, Error};

/// Where a tolerant reader has given way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// The cursor whose event may come although its time has passed.
    excused: Option<usize>,
    /// When to look again for events that have waited for too long.
    pub(super) look_at_ticks: i64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self {
            excused: None,
            look_at_ticks: i64::MAX,
        }
    }
}

impl Tolerance {
    #[cold]
    pub(super) fn is_excused(&self, index: usize) -> bool {
        self.excused == Some(index)
    }
}

impl Order<'_> {
    /// From now on it is looked for events that have waited for too long.
    pub(in crate::v1) fn be_impatient(&mut self) {
        self.tolerance.look_at_ticks = 0;
    }

    /// The next event may come although its time has passed: its place, and by how much it has.
    #[cold]
    pub(in crate::v1) fn excuse(&mut self) -> (usize, i64) {
        let (ticks, index) = self.ready.first().unwrap_or((self.last_ticks, 0));
        self.tolerance.excused = Some(index);
        (index, self.last_ticks.saturating_sub(ticks))
    }

    /// The event of [`Order::first`] has happened, also if its time has passed.
    #[inline]
    pub(in crate::v1) fn take_any(&mut self, index: usize, tasks: &mut Tasks) {
        let last_ticks = self.last_ticks;
        self.take(index, tasks);
        if self.last_ticks < last_ticks {
            self.last_ticks = last_ticks;
            self.tolerance.excused = None;
        }
    }

    /// Whether an event waits although another one that is later by more than `patience` can come: what it waits for is lost.
    #[inline]
    pub(in crate::v1) fn is_overdue(&mut self, patience: i64) -> bool {
        match self.ready.first() {
            Some((ticks, _)) if ticks > self.tolerance.look_at_ticks => {
                !self.waiting.is_empty() && self.look_for_overdue(ticks, patience)
            }
            _ => false,
        }
    }

    fn look_for_overdue(&mut self, ticks: i64, patience: i64) -> bool {
        let earliest = self.earliest().map_or(ticks, |(ticks, _)| ticks);
        self.tolerance.look_at_ticks = earliest.min(ticks).saturating_add(patience);
        ticks > self.tolerance.look_at_ticks
    }

    /// The earliest of the waiting events and its place among them.
    fn earliest(&self) -> Option<(i64, usize)> {
        let ticks = |index: &usize| self.cursors[*index].next().ticks;
        self.waiting.iter().map(ticks).zip(0..).min()
    }

    /// Lets the earliest waiting event come: what it waits for is taken as having happened. The error that it is otherwise.
    #[cold]
    pub(in crate::v1) fn force(&mut self, tasks: &mut Tasks) -> Option<Error> {
        let (ticks, place) = self.earliest()?;
        let index = self.waiting.swap_remove(place);
        self.refill();
        self.ready.push(ticks, index);
        self.was_forced = true;
        self.bring_about(self.demand(index), tasks);
        Some(self.error(index, Cause::NoOrder))
    }

    fn bring_about(&mut self, demand: Demand, tasks: &mut Tasks) {
        if demand.is_task() {
            let task = tasks.get_mut(demand.task);
            task.0 = task.0 & !demand.mask | demand.want;
        } else {
            self.collector = demand.task;
        }
    }
}
