//! What events about ranges of the runtime demand and change.

use exectrace_format::role::Range;
use exectrace_format::{StringId, TaskId, WorkerId};

use super::order::{Needs, Order, Trial, Tried};
use super::refusal::Refusal;
use super::state::Cycle;
use crate::Cause;
use crate::event::Kind;

fn begin(range: Range) -> Kind {
    Kind::RangeBegin {
        range,
        reason: StringId(0),
    }
}

fn end(range: Range) -> Kind {
    Kind::RangeEnd {
        range,
        reason: StringId(0),
        swept_bytes: 0,
        reclaimed_bytes: 0,
    }
}

impl Order {
    pub(super) fn stop_world(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [kind, stack, ..] = trial.event.args;
        trial.needs(Needs::All)?;
        let reason = trial.string(kind)?;
        let open = self.open(trial)?;
        if open.stopped_world.contains(&reason) {
            return Err(Box::new(Cause::Range { open: true }));
        }
        open.stopped_world.push(reason);
        let range = Range::StopTheWorld;
        trial.tell(trial.before, stack, Kind::RangeBegin { range, reason })?;
        Ok(Tried::Happened)
    }

    pub(super) fn start_world(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        trial.needs(Needs::All)?;
        let open = self.open(trial)?;
        if open.stopped_world.is_empty() {
            return Err(Box::new(Cause::Range { open: false }));
        }
        let reason = open.stopped_world.remove(0);
        let kind = Kind::RangeEnd {
            range: Range::StopTheWorld,
            reason,
            swept_bytes: 0,
            reclaimed_bytes: 0,
        };
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn cycle_active(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let number = trial.event.args[0];
        if self.is_first(trial.generation) {
            if self.cycle != Cycle::Unknown {
                return Err(Box::new(Cause::CollectorState));
            }
            self.cycle_sequence = number;
            self.cycle = Cycle::Running;
        } else {
            if number != self.cycle_sequence.wrapping_add(1) {
                return Ok(Tried::NotYet);
            }
            trial.needs(Needs::All)?;
            if self.cycle != Cycle::Running {
                return Err(Box::new(Cause::CollectorState));
            }
            self.cycle_sequence = number;
        }
        let kind = Kind::RangeActive {
            range: Range::Gc,
            task: TaskId(0),
            worker: WorkerId::NONE,
        };
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn cycle_begin(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [number, stack, ..] = trial.event.args;
        if self.cycle != Cycle::Unknown {
            if number != self.cycle_sequence.wrapping_add(1) {
                return Ok(Tried::NotYet);
            }
            if self.cycle == Cycle::Running {
                return Err(Box::new(Cause::CollectorState));
            }
            trial.needs(Needs::All)?;
        }
        self.cycle_sequence = number;
        self.cycle = Cycle::Running;
        trial.tell(trial.before, stack, begin(Range::Gc))?;
        Ok(Tried::Happened)
    }

    pub(super) fn cycle_end(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let number = trial.event.args[0];
        if number != self.cycle_sequence.wrapping_add(1) {
            return Ok(Tried::NotYet);
        }
        if self.cycle != Cycle::Running {
            return Err(Box::new(Cause::CollectorState));
        }
        trial.needs(Needs::All)?;
        self.cycle_sequence = number;
        self.cycle = Cycle::NotRunning;
        trial.tell(trial.before, 0, end(Range::Gc))?;
        Ok(Tried::Happened)
    }

    pub(super) fn sweep_active(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let id = trial.event.args[0];
        let is_first = self.is_first(trial.generation);
        let elsewhere = Cause::WorkerElsewhere { worker: id };
        let worker = self.workers.get(id).ok_or(elsewhere)?;
        if worker.sweeps == is_first {
            return Err(Box::new(Cause::Range { open: is_first }));
        }
        worker.sweeps = true;
        let kind = Kind::RangeActive {
            range: Range::Sweep,
            task: TaskId(0),
            worker: WorkerId(id as i64),
        };
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn sweep(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        begins: bool,
    ) -> Result<Tried, Refusal> {
        trial.needs(Needs::Worker)?;
        let id = trial.before.worker;
        let elsewhere = Cause::WorkerElsewhere { worker: id };
        let worker = self.workers.get(id).ok_or(elsewhere)?;
        if std::mem::replace(&mut worker.sweeps, begins) == begins {
            return Err(Box::new(Cause::Range { open: begins }));
        }
        let [first, second, ..] = trial.event.args;
        if begins {
            trial.tell(trial.before, first, begin(Range::Sweep))?;
        } else {
            let kind = Kind::RangeEnd {
                range: Range::Sweep,
                reason: StringId(0),
                swept_bytes: first,
                reclaimed_bytes: second,
            };
            trial.tell(trial.before, 0, kind)?;
        }
        Ok(Tried::Happened)
    }

    pub(super) fn assist_active(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        let id = trial.event.args[0];
        let is_first = self.is_first(trial.generation);
        let task = self.tasks.get(id).ok_or(Cause::TaskUnheardOf)?;
        if task.assists == is_first {
            return Err(Box::new(Cause::Range { open: is_first }));
        }
        task.assists = true;
        let kind = Kind::RangeActive {
            range: Range::MarkAssist,
            task: TaskId(id),
            worker: WorkerId::NONE,
        };
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn assist(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        begins: bool,
    ) -> Result<Tried, Refusal> {
        trial.needs(Needs::All)?;
        let task = self.running(trial)?;
        if std::mem::replace(&mut task.assists, begins) == begins {
            return Err(Box::new(Cause::Range { open: begins }));
        }
        if begins {
            let stack = trial.event.args[0];
            trial.tell(trial.before, stack, begin(Range::MarkAssist))?;
        } else {
            trial.tell(trial.before, 0, end(Range::MarkAssist))?;
        }
        Ok(Tried::Happened)
    }
}
