//! Who works for the garbage collector, from event to event.

use std::collections::{BTreeSet, HashMap};

use exectrace_reader::{Event, Kind, Range, State, StringId, Tables, TaskId, WorkerId};

use crate::key_hasher::BuildKeyHasher;

/// Who works for the collector at the moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct CollectorActivity {
    /// How often the world is stopped.
    stops: u32,
    sweeping: BTreeSet<i64>,
    collecting: HashMap<u64, Collector, BuildKeyHasher>,
    syncs: u32,
}

/// What an event has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Nothing,
    /// From now on it is so.
    Now,
    /// It has been so since the begin of the trace, which tells it only now.
    SinceBegin,
}

/// Work that is done on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Sweep,
    Assist,
    /// A background task marks, and gives way to others.
    Mark,
    /// A background task marks and keeps the worker.
    DedicatedMark,
}

/// A task that works for the collector.
#[derive(Clone, Copy, Debug, Default)]
struct Collector {
    /// Where it runs, if it does.
    worker: Option<WorkerId>,
    assists: bool,
    marks: Option<Work>,
}

impl CollectorActivity {
    /// Whether the world is stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stops > 0
    }

    /// Work by worker, in no order; a worker may do several at once.
    pub(crate) fn works(&self) -> impl Iterator<Item = (WorkerId, Work)> + '_ {
        let sweeps = self.sweeping.iter().map(|&it| (WorkerId(it), Work::Sweep));
        let tasks = self.collecting.values().flat_map(|task| {
            let assist = task.assists.then_some(Work::Assist);
            let works = assist.into_iter().chain(task.marks);
            works.filter_map(|work| Some((task.worker?, work)))
        });
        sweeps.chain(tasks)
    }

    /// Takes the next event.
    pub(crate) fn event(&mut self, event: &Event, tables: &Tables<'_>) -> Change {
        let (task, worker) = (event.task, event.worker);
        match event.kind {
            Kind::TaskTransition {
                task, to, reason, ..
            } => {
                let moved = self.transition(worker, task, to);
                // Format v1 starts a task and labels it at once.
                if to == State::Running && reason != StringId(0) {
                    return moved.max(self.label(worker, task, reason, tables));
                }
                moved
            }
            Kind::Label { label } => self.label(worker, task, label, tables),
            Kind::RangeBegin { range, reason } => {
                self.range(range, reason, task, worker, true, tables)
            }
            Kind::RangeEnd { range, reason, .. } => {
                self.range(range, reason, task, worker, false, tables)
            }
            Kind::RangeActive {
                range,
                task: whose,
                worker: sweeper,
            } => {
                // An assisting task that does not run keeps no worker from the program.
                let place = match range {
                    Range::MarkAssist if whose == task => worker,
                    Range::MarkAssist => WorkerId::NONE,
                    _ => sweeper,
                };
                self.active(range, whose, place, tables)
            }
            Kind::Sync => {
                self.syncs = self.syncs.saturating_add(1);
                Change::Nothing
            }
            _ => Change::Nothing,
        }
    }

    /// A task passes to another state.
    fn transition(&mut self, worker: WorkerId, task: TaskId, to: State) -> Change {
        let Some(collector) = self.collecting.get_mut(&task.0) else {
            return Change::Nothing;
        };
        collector.worker = (to == State::Running).then_some(worker);
        // What marks in the background is told anew at each start.
        collector.marks = None;
        let is_over = to == State::NotExist || !collector.assists;
        if is_over {
            self.collecting.remove(&task.0);
        }
        Change::Now
    }

    /// The running task is labelled, which is how Go tells its background tasks.
    fn label(
        &mut self,
        worker: WorkerId,
        task: TaskId,
        label: StringId,
        tables: &Tables<'_>,
    ) -> Change {
        let work = match tables.string(label) {
            b"GC (idle)" => return Change::Nothing,
            b"GC (dedicated)" => Work::DedicatedMark,
            label if label.starts_with(b"GC ") => Work::Mark,
            _ => return Change::Nothing,
        };
        let collector = self.collecting.entry(task.0).or_default();
        collector.worker = Some(worker);
        collector.marks = Some(work);
        Change::Now
    }

    fn range(
        &mut self,
        range: Range,
        reason: StringId,
        task: TaskId,
        worker: WorkerId,
        begins: bool,
        tables: &Tables<'_>,
    ) -> Change {
        match range {
            Range::StopTheWorld if self.is_for_collector(reason, tables) => {
                self.stops = if begins {
                    self.stops.saturating_add(1)
                } else {
                    self.stops.saturating_sub(1)
                };
            }
            Range::Sweep if begins => {
                self.sweeping.insert(worker.0);
            }
            Range::Sweep => {
                self.sweeping.remove(&worker.0);
            }
            Range::MarkAssist if begins => {
                let collector = self.collecting.entry(task.0).or_default();
                collector.worker = Some(worker);
                collector.assists = true;
            }
            Range::MarkAssist => {
                if let Some(collector) = self.collecting.get_mut(&task.0) {
                    collector.assists = false;
                    if collector.marks.is_none() {
                        self.collecting.remove(&task.0);
                    }
                }
            }
            _ => return Change::Nothing,
        }
        Change::Now
    }

    /// Whether the world is stopped for the collector. Format v1 of old knows no other reason, and Go's curves of it make no difference.
    fn is_for_collector(&self, reason: StringId, tables: &Tables<'_>) -> bool {
        let is_v1 = self.syncs == 0;
        is_v1 || tables.string(reason).windows(2).any(|it| it == b"GC")
    }

    /// A range is open. In the first generation that is news, and so it was since the begin.
    fn active(
        &mut self,
        range: Range,
        task: TaskId,
        worker: WorkerId,
        tables: &Tables<'_>,
    ) -> Change {
        let is_known = match range {
            Range::Sweep => self.sweeping.contains(&worker.0),
            Range::MarkAssist => self.collecting.get(&task.0).is_some_and(|it| it.assists),
            Range::StopTheWorld | Range::Gc => true,
        };
        if is_known || self.range(range, StringId(0), task, worker, true, tables) == Change::Nothing
        {
            return Change::Nothing;
        }
        if let Some(collector) = self
            .collecting
            .get_mut(&task.0)
            .filter(|_| worker == WorkerId::NONE)
        {
            collector.worker = None;
        }
        if self.syncs <= 1 {
            Change::SinceBegin
        } else {
            Change::Now
        }
    }
}
