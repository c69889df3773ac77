//! The utilisation of each worker for itself.

use std::collections::HashMap;

use exectrace_reader::{Timestamp, WorkerId};

use crate::utilization_function::UtilizationFunction;

/// How many workers are followed, those that came and went included: no program has as many, a damaged trace may say so.
const SERIES_MAX: usize = 1_000;

/// Which workers there are, when each had work of its own for the collector, and when the world was stopped.
///
/// Most workers have none of their own; so the world's part stands here once, and is put together with a worker's at the end.
#[derive(Clone, Debug)]
pub(crate) struct WorkerUtilization {
    world: UtilizationFunction,
    /// Workers that are there, by number: adjacent, ascending.
    levels: Vec<Level>,
    own: HashMap<u64, UtilizationFunction>,
    ended: Vec<Series>,
}

/// Workers that came at one time.
#[derive(Clone, Copy, Debug)]
struct Level {
    from: u64,
    to: u64,
    begin: Timestamp,
}

/// A worker that was there, or several of which none had work of its own.
#[derive(Clone, Debug)]
struct Series {
    worker: WorkerId,
    own: UtilizationFunction,
}

impl WorkerUtilization {
    pub(crate) fn new(begin: Timestamp) -> Self {
        Self {
            world: UtilizationFunction::new(begin),
            levels: Vec::new(),
            own: HashMap::new(),
            ended: Vec::new(),
        }
    }

    /// There are that many workers.
    pub(crate) fn count(&mut self, time: Timestamp, workers: u64) {
        let before = self.levels.last().map_or(0, |level| level.to);
        if workers > before {
            self.levels.push(Level {
                from: before,
                to: workers,
                begin: time,
            });
        }
        while let Some(level) = self.levels.pop() {
            if level.to > workers {
                let from = level.from.max(workers);
                self.end_level(Level { from, ..level }, time);
            }
            if level.from < workers {
                let to = level.to.min(workers);
                self.levels.push(Level { to, ..level });
                break;
            }
        }
    }

    fn end_level(&mut self, level: Level, time: Timestamp) {
        let workers = self.own.keys().copied();
        let mut workers: Vec<u64> = workers
            .filter(|it| (level.from..level.to).contains(it))
            .collect();
        workers.sort_unstable();
        if (workers.len() as u64) < level.to - level.from {
            self.end_series(level.from, UtilizationFunction::new(level.begin), time);
        }
        for worker in workers {
            if let Some(own) = self.own.remove(&worker) {
                self.end_series(worker, own, time);
            }
        }
    }

    fn end_series(&mut self, worker: u64, mut own: UtilizationFunction, time: Timestamp) {
        if self.ended.len() < SERIES_MAX {
            own.end(time);
            let worker = WorkerId(worker as i64);
            self.ended.push(Series { worker, own });
        }
    }

    /// The world is stopped, or goes on.
    pub(crate) fn stop(&mut self, time: Timestamp, is_stopped: bool) {
        self.world.step(time, if is_stopped { 0.0 } else { 1.0 });
    }

    /// Of all workers these work for the collector; they are in order.
    pub(crate) fn work(&mut self, time: Timestamp, busy: &[i64]) {
        for (&worker, own) in &mut self.own {
            let is_busy = busy.binary_search(&(worker as i64)).is_ok();
            own.step(time, if is_busy { 0.0 } else { 1.0 });
        }
        for &worker in busy {
            let Ok(number) = u64::try_from(worker) else {
                continue;
            };
            if self.own.contains_key(&number) || self.own.len() >= SERIES_MAX {
                continue;
            }
            let level = self.levels.partition_point(|level| level.to <= number);
            if let Some(level) = self.levels.get(level) {
                let mut own = UtilizationFunction::new(level.begin);
                own.step(time, 0.0);
                self.own.insert(number, own);
            }
        }
    }

    /// Up to now the worker has worked for the collector since it is there.
    pub(crate) fn has_worked(&mut self, time: Timestamp, worker: WorkerId) {
        let own = u64::try_from(worker.0)
            .ok()
            .and_then(|worker| self.own.get_mut(&worker));
        if let Some(own) = own {
            own.lower_until(time, 1.0);
        }
    }

    /// The trace ends: the functions of all.
    pub(crate) fn end(
        mut self,
        time: Timestamp,
    ) -> impl Iterator<Item = (WorkerId, UtilizationFunction)> {
        self.count(time, 0);
        self.world.end(time);
        let world = self.world;
        let series = self.ended.into_iter();
        series.map(move |series| (series.worker, series.own.least_of(&world)))
    }
}
