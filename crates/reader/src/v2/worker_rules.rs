//! What events about workers demand and change.

use exectrace_format::WorkerId;
use exectrace_format::role::State;

use super::order::{Needs, Order, Trial, Tried, wrong_worker};
use super::refusal::Refusal;
use super::state::{NONE, Thread, Worker, WorkerState};
use crate::Cause;
use crate::event::Kind;

impl Trial<'_, '_, '_> {
    /// A worker passed from one state to another.
    pub(super) fn tell_worker(
        &mut self,
        before: Thread,
        worker: u64,
        from: State,
        to: State,
    ) -> Result<(), Refusal> {
        let worker = WorkerId(worker as i64);
        self.tell(before, 0, Kind::WorkerTransition { worker, from, to })
    }
}

impl Order {
    pub(super) fn worker_status(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        let [id, number, ..] = trial.event.args;
        let state = WorkerState::from_number(number).ok_or(Cause::NoSuchState { number })?;
        let (mut from, mut to) = (state.told(), state.told());
        let mut before = trial.before;
        let sequence = trial.sequence();
        match self.workers.get(id) {
            Some(worker) => {
                worker.sequence = sequence;
                if state == WorkerState::Abandoned && worker.state == WorkerState::Syscall {
                    // Its thread is known, so it is not abandoned for us: it is told in that thread's name.
                    (from, to) = (State::Running, State::Running);
                    before = self.holder(id)?;
                } else if worker.state != state {
                    return Err(wrong_worker(id, Some(worker.state), state));
                }
            }
            None => {
                let worker = Worker {
                    state,
                    sequence,
                    sweeps: false,
                };
                self.workers.insert(id, worker);
                from = if self.is_first(trial.generation) {
                    State::Undetermined
                } else {
                    State::NotExist
                };
            }
        }
        if matches!(state, WorkerState::Running | WorkerState::Syscall) {
            trial.after.worker = id;
        }
        trial.tell_worker(before, id, from, to)?;
        Ok(Tried::Happened)
    }

    /// The thread that holds a worker.
    fn holder(&self, worker: u64) -> Result<Thread, Refusal> {
        let holder = self.threads.iter().find(|thread| thread.worker == worker);
        holder
            .copied()
            .ok_or_else(|| Box::new(Cause::WorkerElsewhere { worker }))
    }

    pub(super) fn worker_start(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, number, ..] = trial.event.args;
        let Some(worker) = self.workers.get(id) else {
            return Ok(Tried::NotYet);
        };
        let next = worker.sequence.next(trial.generation.number, number);
        let is_free = worker.state == WorkerState::Idle && trial.before.worker == NONE;
        let Some(next) = next.filter(|_| is_free) else {
            return Ok(Tried::NotYet);
        };
        trial.needs(Needs::Thread)?;
        worker.state = WorkerState::Running;
        worker.sequence = next;
        trial.after.worker = id;
        trial.tell_worker(trial.before, id, State::Idle, State::Running)?;
        Ok(Tried::Happened)
    }

    pub(super) fn worker_stop(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        trial.needs(Needs::Worker)?;
        let id = trial.before.worker;
        match self.workers.get(id) {
            Some(worker) if matches!(worker.state, WorkerState::Running | WorkerState::Syscall) => {
                worker.state = WorkerState::Idle;
            }
            worker => {
                let is = worker.map(|worker| worker.state);
                return Err(wrong_worker(id, is, WorkerState::Running));
            }
        }
        trial.after.worker = NONE;
        trial.tell_worker(trial.before, id, State::Running, State::Idle)?;
        Ok(Tried::Happened)
    }

    pub(super) fn worker_steal(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, number, victim, ..] = trial.event.args;
        let Some(worker) = self.workers.get(id) else {
            return Ok(Tried::NotYet);
        };
        let next = worker.sequence.next(trial.generation.number, number);
        let can_be = matches!(worker.state, WorkerState::Syscall | WorkerState::Abandoned);
        let Some(next) = next.filter(|_| can_be) else {
            return Ok(Tried::NotYet);
        };
        trial.needs(Needs::Thread)?;
        let was = worker.state;
        if was != WorkerState::Abandoned {
            self.take_from(trial, id, victim)?;
        }
        if let Some(worker) = self.workers.get(id) {
            worker.state = WorkerState::Idle;
            worker.sequence = next;
        }
        trial.tell_worker(trial.before, id, was.told(), State::Idle)?;
        Ok(Tried::Happened)
    }

    /// The thread that had the worker has it no more.
    fn take_from(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        worker: u64,
        victim: u64,
    ) -> Result<(), Refusal> {
        let elsewhere = Cause::WorkerElsewhere { worker };
        if victim == trial.before.id {
            if trial.before.worker != worker {
                return Err(Box::new(elsewhere));
            }
            trial.after.worker = NONE;
            return Ok(());
        }
        match self.known_thread(victim) {
            Some(index) if self.threads[index].worker == worker => {
                self.threads[index].worker = NONE;
                Ok(())
            }
            _ => Err(Box::new(elsewhere)),
        }
    }
}
