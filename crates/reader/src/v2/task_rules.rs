//! What events about tasks demand and change.

use exectrace_format::go_v2::EventType;
use exectrace_format::role::State;
use exectrace_format::spec::ArgKind;
use exectrace_format::{StackId, StringId, TaskId};

use super::order::{Needs, Order, Trial, Tried, wrong_worker};
use super::refusal::Refusal;
use super::state::{NONE, Task, WorkerState, task_state};
use crate::Cause;
use crate::event::Kind;

/// A transition of which nothing more is said.
pub(super) fn transition(task: u64, from: State, to: State) -> Kind {
    Kind::TaskTransition {
        task: TaskId(task),
        from,
        to,
        reason: StringId(0),
        stack: StackId(0),
    }
}

impl Order {
    pub(super) fn create(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        state: State,
    ) -> Result<Tried, Refusal> {
        let [new, start_stack, stack, ..] = trial.event.args;
        trial.needs(Needs::Worker)?;
        if let Some(creator) = self.tasks.get(trial.before.task)
            && creator.state != State::Running
        {
            return Err(wrong_task(Some(creator), State::Running));
        }
        self.add(trial, new, state)?;
        let kind = Kind::TaskTransition {
            task: TaskId(new),
            from: State::NotExist,
            to: state,
            reason: StringId(0),
            stack: trial.stack(start_stack)?,
        };
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    fn add(&mut self, trial: &Trial<'_, '_, '_>, new: u64, state: State) -> Result<(), Refusal> {
        if self.tasks.get(new).is_some() {
            return Err(Box::new(Cause::TaskExists));
        }
        self.tasks
            .insert(new, Task::new(state, trial.generation.number));
        Ok(())
    }

    pub(super) fn create_in_syscall(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        let new = trial.event.args[0];
        trial.needs(Needs::ThreadFree)?;
        self.add(trial, new, State::Syscall)?;
        trial.after.task = new;
        let kind = transition(new, State::NotExist, State::Syscall);
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn start(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, number, ..] = trial.event.args;
        let Some(task) = self.tasks.get(id) else {
            return Ok(Tried::NotYet);
        };
        let next = task.sequence.next(trial.generation.number, number);
        let Some(next) = next.filter(|_| task.state == State::Runnable) else {
            return Ok(Tried::NotYet);
        };
        trial.needs(Needs::WorkerFree)?;
        task.state = State::Running;
        task.sequence = next;
        trial.after.task = id;
        let kind = transition(id, State::Runnable, State::Running);
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    /// The running task ends, yields or waits.
    pub(super) fn stop(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        to: State,
    ) -> Result<Tried, Refusal> {
        trial.needs(Needs::All)?;
        let id = trial.before.task;
        self.leave(id, State::Running, to)?;
        trial.after.task = NONE;
        let [reason, stack, ..] = trial.event.args;
        let (reason, stack) = (trial.string(reason)?, trial.stack(stack)?);
        let kind = Kind::TaskTransition {
            task: TaskId(id),
            from: State::Running,
            to,
            reason,
            stack,
        };
        trial.tell_at(trial.before, stack, kind);
        Ok(Tried::Happened)
    }

    /// Whether a task is in a state. What an event demands is asked before it changes anything, so that one that is refused has
    /// changed nothing.
    fn is_in(&mut self, id: u64, state: State) -> Result<(), Refusal> {
        match self.tasks.get(id) {
            Some(task) if task.state == state => Ok(()),
            task => Err(wrong_task(task.as_deref(), state)),
        }
    }

    /// A task passes from one state to another, or out of being.
    fn leave(&mut self, id: u64, from: State, to: State) -> Result<(), Refusal> {
        match self.tasks.get(id) {
            Some(task) if task.state == from => task.state = to,
            task => return Err(wrong_task(task.as_deref(), from)),
        }
        if to == State::NotExist {
            self.tasks.remove(id);
        }
        Ok(())
    }

    pub(super) fn unblock(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, number, stack, ..] = trial.event.args;
        let Some(task) = self.tasks.get(id) else {
            return Ok(Tried::NotYet);
        };
        let next = task.sequence.next(trial.generation.number, number);
        let Some(next) = next.filter(|_| task.state == State::Waiting) else {
            return Ok(Tried::NotYet);
        };
        task.state = State::Runnable;
        task.sequence = next;
        let kind = transition(id, State::Waiting, State::Runnable);
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    /// The running task hands its worker to another one: three events for those who read.
    pub(super) fn switch(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
        to: State,
    ) -> Result<Tried, Refusal> {
        let [next_id, number, ..] = trial.event.args;
        trial.needs(Needs::All)?;
        let id = trial.before.task;
        match self.tasks.get(id) {
            Some(task) if task.state == State::Running => {}
            task => return Err(wrong_task(task.as_deref(), State::Running)),
        }
        let Some(next_task) = self.tasks.get(next_id) else {
            return Ok(Tried::NotYet);
        };
        let sequence = next_task.sequence.next(trial.generation.number, number);
        let Some(sequence) = sequence.filter(|_| next_task.state == State::Waiting) else {
            return Ok(Tried::NotYet);
        };
        next_task.state = State::Running;
        next_task.sequence = sequence;
        self.leave(id, State::Running, to)?;
        trial.after.task = next_id;
        let mut between = trial.before;
        let unblocked = transition(next_id, State::Waiting, State::Runnable);
        trial.tell(between, 0, unblocked)?;
        trial.tell(between, 0, transition(id, State::Running, to))?;
        between.task = NONE;
        let started = transition(next_id, State::Runnable, State::Running);
        trial.tell(between, 0, started)?;
        Ok(Tried::Happened)
    }

    pub(super) fn syscall_begin(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        let [number, stack, ..] = trial.event.args;
        trial.needs(Needs::All)?;
        let (id, worker_id) = (trial.before.task, trial.before.worker);
        self.is_in(id, State::Running)?;
        let Some(worker) = self.workers.get(worker_id) else {
            return Err(wrong_worker(worker_id, None, WorkerState::Running));
        };
        let next = worker.sequence.next(trial.generation.number, number);
        worker.sequence = next.ok_or(Cause::OutOfSequence { found: number })?;
        worker.state = WorkerState::Syscall;
        self.leave(id, State::Running, State::Syscall)?;
        let stack = trial.stack(stack)?;
        let kind = Kind::TaskTransition {
            task: TaskId(id),
            from: State::Running,
            to: State::Syscall,
            reason: StringId(0),
            stack,
        };
        trial.tell_at(trial.before, stack, kind);
        Ok(Tried::Happened)
    }

    pub(super) fn syscall_end(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        trial.needs(Needs::All)?;
        let (id, worker_id) = (trial.before.task, trial.before.worker);
        self.is_in(id, State::Syscall)?;
        match self.workers.get(worker_id) {
            Some(worker) if worker.state == WorkerState::Syscall => {
                worker.state = WorkerState::Running;
            }
            worker => {
                let is = worker.map(|worker| worker.state);
                return Err(wrong_worker(worker_id, is, WorkerState::Syscall));
            }
        }
        self.leave(id, State::Syscall, State::Running)?;
        let kind = transition(id, State::Syscall, State::Running);
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn syscall_end_blocked(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        // Until somebody has taken the worker away.
        if let Some(worker) = self.workers.get(trial.before.worker)
            && worker.state == WorkerState::Syscall
        {
            return Ok(Tried::NotYet);
        }
        trial.needs(Needs::Task)?;
        let id = trial.before.task;
        self.leave(id, State::Syscall, State::Runnable)?;
        trial.after.task = NONE;
        let kind = transition(id, State::Syscall, State::Runnable);
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn destroy_in_syscall(
        &mut self,
        trial: &mut Trial<'_, '_, '_>,
    ) -> Result<Tried, Refusal> {
        trial.needs(Needs::Task)?;
        let (id, worker_id) = (trial.before.task, trial.before.worker);
        self.is_in(id, State::Syscall)?;
        if worker_id != NONE {
            match self.workers.get(worker_id) {
                Some(worker) if worker.state == WorkerState::Syscall => {
                    worker.state = WorkerState::Abandoned;
                }
                worker => {
                    let is = worker.map(|worker| worker.state);
                    return Err(wrong_worker(worker_id, is, WorkerState::Syscall));
                }
            }
            trial.after.worker = NONE;
            trial.tell_worker(trial.before, worker_id, State::Running, State::Idle)?;
        }
        self.leave(id, State::Syscall, State::NotExist)?;
        trial.after.task = NONE;
        let kind = transition(id, State::Syscall, State::NotExist);
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    pub(super) fn task_status(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, thread_id, number, stack] = trial.event.args;
        let has_stack = trial.event.event_type == EventType::GoStatusStack;
        let stack = if has_stack { stack } else { 0 };
        let state = task_state(number).ok_or(Cause::NoSuchState { number })?;
        let is_first = self.is_first(trial.generation);
        match self.tasks.get(id) {
            Some(task) if task.state != state => return Err(wrong_task(Some(task), state)),
            None if !is_first => return Err(Box::new(Cause::TaskUnheardOf)),
            _ => {}
        }
        let mut before = trial.before;
        match state {
            State::Running => trial.after.task = id,
            State::Syscall => {
                if thread_id == NONE {
                    return Err(Box::new(Cause::SyscallElsewhere));
                }
                if thread_id == trial.before.id {
                    // Later the thread must have been seen to enter the call.
                    if !is_first && trial.before.task != id {
                        return Err(Box::new(Cause::SyscallElsewhere));
                    }
                    trial.after.task = id;
                } else {
                    before.id = thread_id;
                    if self.bind_elsewhere(id, thread_id)? {
                        before.task = id;
                    }
                }
            }
            _ => {}
        }
        let from = if let Some(task) = self.tasks.get(id) {
            task.sequence = trial.sequence();
            state
        } else {
            let new = Task::new(state, trial.generation.number);
            self.tasks.insert(id, new);
            State::Undetermined
        };
        let kind = Kind::TaskTransition {
            task: TaskId(id),
            from,
            to: state,
            reason: StringId(0),
            stack: trial.stack(stack)?,
        };
        trial.tell(before, stack, kind)?;
        Ok(Tried::Happened)
    }

    /// A task sits in a system call on another thread, as that thread must know if it was heard of; says whether it was.
    fn bind_elsewhere(&mut self, id: u64, thread_id: u64) -> Result<bool, Refusal> {
        match self.known_thread(thread_id) {
            Some(index) if self.threads[index].task == id => Ok(true),
            Some(_) => Err(Box::new(Cause::SyscallElsewhere)),
            None => {
                let index = self.thread(exectrace_format::ThreadId(thread_id));
                self.threads[index].task = id;
                Ok(false)
            }
        }
    }
}

/// The task is in another state than the wanted one, or nobody has heard of it.
#[cold]
fn wrong_task(task: Option<&Task>, wanted: State) -> Refusal {
    Box::new(Cause::TaskState {
        is: task.map(|task| task.state),
        wanted,
    })
}

/// The task that an event names, for errors.
pub(super) fn subject(event_type: EventType, args: &[u64]) -> Option<TaskId> {
    let names = event_type.spec().args;
    let index = names.iter().position(|arg| arg.kind == ArgKind::TaskId)?;
    Some(TaskId(args[index]))
}
