//! What all tasks did in a window, in little memory.

use std::collections::HashMap;

use exectrace_reader::{StackId, State, StringId, TaskId, Timestamp};

use crate::{Interval, LifeId, Lives};

/// The states of tasks, by the places of their lives. A task's follow on each other without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Timelines {
    by_life: Vec<Vec<Stretch>>,
    /// When the first state of each begins.
    begins: Vec<Timestamp>,
}

/// A state of a task, which begins where the one before it ends.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    end: Timestamp,
    /// Who wrote the event that ended it.
    waker: TaskId,
    // Tables have fewer rows than 32 bits count.
    reason: u32,
    stack: u32,
    waker_stack: u32,
    state: State,
    is_open_right: bool,
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

fn small(id: u64) -> u32 {
    u32::try_from(id).unwrap_or(0)
}

impl Timelines {
    pub(super) fn add(&mut self, interval: &Interval) {
        let place = interval.life.0 as usize;
        if self.by_life.len() <= place {
            self.by_life.resize_with(place + 1, Vec::new);
            self.begins.resize(place + 1, Timestamp(0));
        }
        let stretches = &mut self.by_life[place];
        if stretches.is_empty() {
            self.begins[place] = interval.begin.time;
        }
        // Who runs tells where when it stops, all others before.
        let stack = match interval.state {
            State::Running => interval.end.stack,
            _ => interval.begin.stack,
        };
        stretches.push(Stretch {
            end: interval.end.time,
            waker: interval.end.writer,
            reason: small(interval.reason.0),
            stack: small(stack.0),
            waker_stack: small(interval.end.writer_stack.0),
            state: interval.state,
            is_open_right: interval.is_open_right,
        });
    }

    /// With the lives that they are of.
    pub(super) fn of(&self, lives: &Lives) -> LivedTimelines<'_> {
        let mut by_task: HashMap<u64, Vec<LifeId>> = HashMap::new();
        for (id, life) in lives.iter() {
            by_task.entry(life.task.0).or_default().push(id);
        }
        LivedTimelines {
            timelines: self,
            by_task,
        }
    }
}

/// Timelines, and whose they are.
pub(super) struct LivedTimelines<'a> {
    timelines: &'a Timelines,
    by_task: HashMap<u64, Vec<LifeId>>,
}

impl LivedTimelines<'_> {
    /// What a task did from a moment to another: all that lasted.
    pub(super) fn doings(
        &self,
        life: LifeId,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Doing> {
        let place = life.0 as usize;
        let stretches = self
            .timelines
            .by_life
            .get(place)
            .map_or(&[][..], Vec::as_slice);
        let first = stretches.partition_point(|stretch| stretch.end <= from);
        let mut begin = match first.checked_sub(1) {
            Some(before) => stretches[before].end,
            None => self.timelines.begins.get(place).copied().unwrap_or(to),
        };
        let doings = stretches[first..].iter().map(move |stretch| {
            let whole = (std::mem::replace(&mut begin, stretch.end), stretch.end);
            let doing = Doing {
                life,
                state: stretch.state,
                reason: StringId(stretch.reason.into()),
                begin: whole.0.max(from),
                end: whole.1.min(to),
                stack: StackId(stretch.stack.into()),
                waker: stretch.waker,
                waker_stack: StackId(stretch.waker_stack.into()),
                is_open_right: stretch.is_open_right || whole.1 > to,
            };
            (whole.0, doing)
        });
        let doings = doings.take_while(move |(begin, _)| *begin < to);
        doings
            .map(|(_, doing)| doing)
            .filter(|doing| doing.ns() > 0)
    }

    /// When the first known state of a task begins.
    pub(super) fn begin(&self, life: LifeId) -> Option<Timestamp> {
        let place = life.0 as usize;
        let is_known = !self.timelines.by_life.get(place)?.is_empty();
        is_known.then(|| self.timelines.begins[place])
    }

    /// Who a task was at a moment; `None` for task 0, and for one of which nothing is known then.
    pub(super) fn life_of(&self, task: TaskId, at: Timestamp) -> Option<LifeId> {
        let lives = self.by_task.get(&task.0).filter(|_| task != TaskId(0))?;
        let mut begun = lives
            .iter()
            .filter(|life| self.begin(**life).is_some_and(|begin| begin <= at));
        begun.next_back().copied()
    }
}
