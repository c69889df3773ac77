//! What all tasks did in a window, in little memory.

use exectrace_reader::{StackId, State, StringId, TaskId, Timestamp};

use super::packed_stretches::{PackedStretches, Row, Stretch};
use crate::creation::Creation;
use crate::{Interval, LifeId, Lives};

/// The states of tasks. A task's follow on each other without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Timelines {
    stretches: PackedStretches,
    /// By the places of lives.
    rows: Vec<Row>,
    /// Who created them, likewise; 0 where that is not told.
    creators: Vec<TaskId>,
}

/// What a task did for some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doing {
    pub(super) life: LifeId,
    pub(super) state: State,
    pub(super) reason: StringId,
    pub(super) begin: Timestamp,
    pub(super) end: Timestamp,
    /// Where the task was, if that is told.
    pub(super) stack: StackId,
    /// Who ended it; 0 if nobody did.
    pub(super) waker: TaskId,
    pub(super) waker_stack: StackId,
    /// Its end is not seen.
    pub(super) is_open_right: bool,
}

impl Doing {
    pub(super) fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }

    pub(super) fn is_blocked(&self) -> bool {
        matches!(self.state, State::Waiting | State::Idle)
    }
}

impl Timelines {
    pub(super) fn add(&mut self, interval: &Interval) {
        let place = interval.life.0 as usize;
        if self.rows.len() <= place {
            self.rows.resize_with(place + 1, Row::default);
        }
        // Who runs tells where when it stops, all others before.
        let stack = match interval.state {
            State::Running => interval.end.stack,
            _ => interval.begin.stack,
        };
        let stretch = Stretch {
            state: interval.state,
            is_open_right: interval.is_open_right,
            begin: interval.begin.time,
            end: interval.end.time,
            stack,
            reason: interval.reason,
            waker: interval.end.writer,
            waker_stack: interval.end.writer_stack,
        };
        self.stretches.add(&mut self.rows[place], &stretch);
    }

    /// A task is there from now on.
    pub(super) fn create(&mut self, Creation { life, creator, .. }: Creation) {
        let place = life.0 as usize;
        if self.creators.len() <= place {
            self.creators.resize(place + 1, TaskId(0));
        }
        if self.creators[place] == TaskId(0) {
            self.creators[place] = creator;
        }
    }

    /// With the lives that they are of.
    pub(super) fn of(&self, lives: &Lives) -> LivedTimelines<'_> {
        let mut by_task: Vec<(TaskId, LifeId)> =
            lives.iter().map(|(id, life)| (life.task, id)).collect();
        by_task.sort_unstable();
        LivedTimelines {
            timelines: self,
            by_task,
        }
    }
}

/// Timelines, and whose they are.
pub(super) struct LivedTimelines<'a> {
    timelines: &'a Timelines,
    /// In order.
    by_task: Vec<(TaskId, LifeId)>,
}

impl LivedTimelines<'_> {
    /// What a task did from a moment to another: all that lasted.
    pub(super) fn doings(
        &self,
        life: LifeId,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Doing> {
        let Timelines {
            stretches, rows, ..
        } = self.timelines;
        let row = rows.get(life.0 as usize);
        let back = row.map(|row| stretches.back_from(row, from, to));
        let mut doings: Vec<Doing> = back
            .into_iter()
            .flatten()
            .map(|stretch| Doing {
                life,
                state: stretch.state,
                reason: stretch.reason,
                begin: stretch.begin.max(from),
                end: stretch.end.min(to),
                stack: stretch.stack,
                waker: stretch.waker,
                waker_stack: stretch.waker_stack,
                is_open_right: stretch.is_open_right || stretch.end > to,
            })
            .filter(|doing| doing.ns() > 0)
            .collect();
        doings.reverse();
        doings.into_iter()
    }

    /// When the first known state of a task begins.
    pub(super) fn begin(&self, life: LifeId) -> Option<Timestamp> {
        let row = self.timelines.rows.get(life.0 as usize)?;
        (!row.is_empty()).then_some(row.begin)
    }

    /// Who a task's creator was at a moment, likewise.
    pub(super) fn creator(&self, life: LifeId, at: Timestamp) -> Option<LifeId> {
        let creator = self.timelines.creators.get(life.0 as usize)?;
        self.life_of(*creator, at)
    }

    /// Who a task was at a moment; `None` for task 0, and for one of which nothing is known then.
    pub(super) fn life_of(&self, task: TaskId, at: Timestamp) -> Option<LifeId> {
        if task == TaskId(0) {
            return None;
        }
        let first = self.by_task.partition_point(|(it, _)| *it < task);
        let lives = self.by_task[first..].iter();
        let lives = lives.take_while(|(it, _)| *it == task);
        let begun = lives.filter(|(_, life)| self.begin(*life).is_some_and(|begin| begin <= at));
        begun.map(|(_, life)| *life).last()
    }
}
