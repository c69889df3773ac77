//! Which event comes next: each one's demands on the state, and what it changes.
//!
//! Threads write events on their own, and their clocks cannot be trusted to the last unit. What can be trusted are sequence
//! numbers: an event that takes over something that another thread let go waits until that has happened. So each event is
//! tried, and the answer is that it happened, that it cannot have happened yet, or that it contradicts the trace.
//!
//! The rules are those of Go's reader (`internal/trace`), a method each: here, and in the files of rules beside.

use exectrace_format::go_v2::EventType;
use exectrace_format::role::State;
use exectrace_format::{StackId, TaskId, ThreadId, UserTaskId, WorkerId};

use super::generation::Generation;
use super::refusal::Refusal;
use super::row::Upcoming;
use super::state::{Cycle, NONE, Open, Sequence, Task, Tasks, Thread, WorkerState, Workers};
use super::told::Told;
use crate::event::{Event, EventType as AnyType, Kind, UserTaskBegin};
use crate::id_map::IdMap;
use crate::tables::Tables;
use crate::{Cause, Error, Timestamp};

/// What became of an event that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// It happened.
    Happened,
    /// Another event must come first.
    NotYet,
}

/// Why a thread's events cannot go on.
#[derive(Debug)]
pub(super) enum Stuck {
    /// Its next event contradicts those before.
    Refused(Refusal),
    /// It waits for another thread's, as does each thread's next event.
    NoOrder,
    /// An event has happened, and behind it are bytes that are none.
    Cut(Box<Error>),
}

/// Everything that events change. It lasts for the whole trace.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) tasks: Tasks,
    pub(super) workers: Workers,
    pub(super) threads: Vec<Thread>,
    thread_of_id: IdMap<usize>,
    pub(super) user_tasks: IdMap<UserTaskBegin>,
    pub(super) cycle: Cycle,
    pub(super) cycle_sequence: u64,
    first_generation: Option<u64>,
    /// The next event to be tried has been refused, and what it demands was brought about.
    pub(super) is_mended: bool,
}

/// An event that is tried, and what it is tried on.
pub(super) struct Trial<'t, 'a, 'b> {
    pub(super) event: &'t Upcoming,
    pub(super) generation: &'t mut Generation<'a>,
    pub(super) tables: &'t mut Tables<'a>,
    /// Where what has happened is told.
    told: &'t mut Told<'b>,
    /// The thread before the event.
    pub(super) before: Thread,
    /// The thread after it.
    pub(super) after: Thread,
    /// The event was refused before, and what it demands was brought about.
    is_mended: bool,
}

/// What the thread of an event must have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    /// A thread, a worker and a task.
    All,
    /// A thread and a worker, perhaps a task.
    Worker,
    /// A thread, perhaps a worker and a task.
    Thread,
    /// A thread and a worker, and no task.
    WorkerFree,
    /// A thread and a task, perhaps a worker.
    Task,
    /// A thread, perhaps a worker, and no task.
    ThreadFree,
}

impl Order {
    pub(super) fn new() -> Self {
        Self {
            tasks: Tasks::default(),
            workers: Workers::default(),
            threads: Vec::new(),
            thread_of_id: IdMap::default(),
            user_tasks: IdMap::default(),
            cycle: Cycle::Unknown,
            cycle_sequence: 0,
            first_generation: None,
            is_mended: false,
        }
    }

    /// A generation begins.
    pub(super) fn begin(&mut self, generation: u64) {
        self.first_generation.get_or_insert(generation);
        // Else a file would take memory for every task that ever was.
        self.tasks.tidy();
    }

    /// The place of a thread, known or not.
    pub(super) fn thread(&mut self, id: ThreadId) -> usize {
        let next = self.threads.len();
        let index = *self.thread_of_id.entry(id.0).or_insert(next);
        if index == next {
            self.threads.push(Thread::new(id.0));
        }
        index
    }

    /// The place of a thread that was heard of.
    pub(super) fn known_thread(&self, id: u64) -> Option<usize> {
        self.thread_of_id.get(&id).copied()
    }

    /// An error of a thread's event with the task that the thread runs, where the event names none.
    #[cold]
    pub(super) fn named(&self, mut error: Error, place: Option<usize>) -> Error {
        let running = place.map(|place| told_task(self.threads[place].task));
        error.task = error.task.or(running.filter(|&task| task != TaskId(0)));
        error
    }

    /// Whether nothing was known before this generation.
    pub(super) fn is_first(&self, generation: &Generation<'_>) -> bool {
        self.first_generation == Some(generation.number)
    }

    /// What is known of the thread of a place.
    #[inline(always)]
    fn thread_at(&self, place: Option<usize>) -> Thread {
        match place {
            Some(place) => self.threads[place],
            None => Thread::new(NONE),
        }
    }

    #[inline(always)]
    fn set_thread(&mut self, place: Option<usize>, thread: Thread) {
        if let Some(place) = place {
            self.threads[place] = thread;
        }
    }

    /// Tries an event of any type.
    #[inline(never)]
    pub(super) fn attempt<'a>(
        &mut self,
        event: &Upcoming,
        place: Option<usize>,
        generation: &mut Generation<'a>,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<Tried, Refusal> {
        let before = self.thread_at(place);
        let mut trial = Trial {
            event,
            generation,
            tables,
            told,
            before,
            after: before,
            is_mended: self.is_mended,
        };
        let tried = self.dispatch(&mut trial)?;
        if tried == Tried::Happened {
            self.set_thread(place, trial.after);
        }
        Ok(tried)
    }

    #[inline]
    fn dispatch(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        use EventType as E;
        match trial.event.event_type {
            E::ProcsChange | E::HeapAlloc | E::HeapGoal => self.metric(trial),
            E::ProcStart => self.worker_start(trial),
            E::ProcStop => self.worker_stop(trial),
            E::ProcSteal => self.worker_steal(trial),
            E::ProcStatus => self.worker_status(trial),
            E::GoCreate => self.create(trial, State::Runnable),
            E::GoCreateBlocked => self.create(trial, State::Waiting),
            E::GoCreateSyscall => self.create_in_syscall(trial),
            E::GoStart => self.start(trial),
            E::GoDestroy => self.stop(trial, State::NotExist),
            E::GoDestroySyscall => self.destroy_in_syscall(trial),
            E::GoStop => self.stop(trial, State::Runnable),
            E::GoBlock => self.stop(trial, State::Waiting),
            E::GoUnblock => self.unblock(trial),
            E::GoSwitch => self.switch(trial, State::Waiting),
            E::GoSwitchDestroy => self.switch(trial, State::NotExist),
            E::GoSyscallBegin => self.syscall_begin(trial),
            E::GoSyscallEnd => self.syscall_end(trial),
            E::GoSyscallEndBlocked => self.syscall_end_blocked(trial),
            E::GoStatus | E::GoStatusStack => self.task_status(trial),
            E::STWBegin => self.stop_world(trial),
            E::STWEnd => self.start_world(trial),
            E::GCActive => self.cycle_active(trial),
            E::GCBegin => self.cycle_begin(trial),
            E::GCEnd => self.cycle_end(trial),
            E::GCSweepActive => self.sweep_active(trial),
            E::GCSweepBegin => self.sweep(trial, true),
            E::GCSweepEnd => self.sweep(trial, false),
            E::GCMarkAssistActive => self.assist_active(trial),
            E::GCMarkAssistBegin => self.assist(trial, true),
            E::GCMarkAssistEnd => self.assist(trial, false),
            E::GoLabel => self.label(trial),
            E::UserTaskBegin => self.user_task_begin(trial),
            E::UserTaskEnd => self.user_task_end(trial),
            E::UserRegionBegin => self.region(trial, true),
            E::UserRegionEnd => self.region(trial, false),
            E::UserLog => self.log(trial),
            E::ClockSnapshot => Err(Box::new(Cause::Format(
                exectrace_format::Error::NotAnEvent {
                    offset: trial.event.offset,
                    number: E::ClockSnapshot as u8,
                },
            ))),
            _ => self.experiment(trial),
        }
    }

    fn metric(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        use exectrace_format::role::Metric;
        let [value, stack, ..] = trial.event.args;
        let (needs, metric) = match trial.event.event_type {
            EventType::ProcsChange => (Needs::All, Metric::Workers),
            EventType::HeapAlloc => (Needs::Worker, Metric::HeapLive),
            _ => (Needs::Worker, Metric::HeapGoal),
        };
        trial.needs(needs)?;
        trial.tell(trial.before, stack, Kind::Metric { metric, value })?;
        Ok(Tried::Happened)
    }

    fn label(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        trial.needs(Needs::All)?;
        let label = trial.string(trial.event.args[0])?;
        trial.tell(trial.before, 0, Kind::Label { label })?;
        Ok(Tried::Happened)
    }

    fn experiment(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        trial.needs(Needs::Thread)?;
        let [a, b, c, ..] = trial.event.args;
        let kind = Kind::Experiment { args: [a, b, c] };
        trial.tell(trial.before, 0, kind)?;
        Ok(Tried::Happened)
    }

    fn user_task_begin(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, parent, name, stack] = trial.event.args;
        trial.needs(Needs::All)?;
        if self.user_tasks.contains_key(&id) {
            return Err(Box::new(Cause::UserTaskExists { user_task: id }));
        }
        let (parent, name) = (UserTaskId(parent), trial.string(name)?);
        self.user_tasks.insert(id, UserTaskBegin { parent, name });
        let kind = Kind::UserTaskBegin {
            user_task: UserTaskId(id),
            parent,
            name,
        };
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    fn user_task_end(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [id, stack, ..] = trial.event.args;
        trial.needs(Needs::All)?;
        let kind = Kind::UserTaskEnd {
            user_task: UserTaskId(id),
            begin: self.user_tasks.remove(&id),
        };
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    fn region(&mut self, trial: &mut Trial<'_, '_, '_>, begins: bool) -> Result<Tried, Refusal> {
        let [user_task, name, stack, ..] = trial.event.args;
        trial.needs(Needs::All)?;
        let (user_task, name) = (UserTaskId(user_task), trial.string(name)?);
        let region = (user_task, name);
        let open = self.open(trial)?;
        let kind = if begins {
            open.regions.push(region);
            Kind::UserRegionBegin { user_task, name }
        } else {
            // One that began before the trace has no begin.
            if open
                .regions
                .last()
                .is_some_and(|&innermost| innermost != region)
            {
                return Err(Box::new(Cause::RegionNotInnermost));
            }
            open.regions.pop();
            Kind::UserRegionEnd { user_task, name }
        };
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    fn log(&mut self, trial: &mut Trial<'_, '_, '_>) -> Result<Tried, Refusal> {
        let [user_task, key, message, stack] = trial.event.args;
        trial.needs(Needs::All)?;
        let kind = Kind::UserLog {
            user_task: UserTaskId(user_task),
            key: trial.string(key)?,
            message: trial.generation.message(message, trial.tables)?,
        };
        trial.tell(trial.before, stack, kind)?;
        Ok(Tried::Happened)
    }

    /// The task that the thread of the event runs, whatever its state.
    pub(super) fn running(&mut self, trial: &Trial<'_, '_, '_>) -> Result<&mut Task, Refusal> {
        self.tasks
            .get(trial.before.task)
            .ok_or_else(|| Box::new(Cause::TaskUnheardOf))
    }

    /// What that task has open.
    pub(super) fn open(&mut self, trial: &Trial<'_, '_, '_>) -> Result<&mut Open, Refusal> {
        self.tasks
            .open(trial.before.task)
            .ok_or_else(|| Box::new(Cause::TaskUnheardOf))
    }
}

impl Trial<'_, '_, '_> {
    /// Whether the thread has what it needs.
    #[inline(always)]
    pub(super) fn needs(&self, needs: Needs) -> Result<(), Refusal> {
        let Thread { id, task, worker } = self.before;
        let (thread, task, worker) = (id != NONE, task != NONE, worker != NONE);
        let fits = match needs {
            Needs::Thread => thread,
            Needs::All => thread && worker && task,
            Needs::Worker => thread && worker,
            Needs::WorkerFree => thread && worker && !task,
            Needs::Task => thread && task,
            Needs::ThreadFree => thread && !task,
        };
        if fits || self.is_mended && self.can_do_without(needs) {
            Ok(())
        } else {
            Err(lacks(needs, thread, worker))
        }
    }

    /// Whether an event that was mended is worth telling though its thread has no worker, or no task.
    #[cold]
    fn can_do_without(&self, needs: Needs) -> bool {
        let has_task = self.before.task != NONE;
        let can = match needs {
            Needs::All => has_task || is_of_the_program(self.event.event_type),
            Needs::WorkerFree => !has_task,
            Needs::Worker => true,
            Needs::Thread | Needs::Task | Needs::ThreadFree => false,
        };
        can && self.before.id != NONE
    }

    /// The event happened, and means this; `before` is who was where. `stack` is its id in the file.
    #[inline]
    pub(super) fn tell(&mut self, before: Thread, stack: u64, kind: Kind) -> Result<(), Refusal> {
        let stack = self.stack(stack)?;
        self.tell_at(before, stack, kind);
        Ok(())
    }

    /// The same with a stack that is known. Always inlined: else what it is given goes through memory.
    #[inline(always)]
    pub(super) fn tell_at(&mut self, before: Thread, stack: StackId, kind: Kind) {
        self.told.push(Event {
            time: Timestamp(self.event.time_ns),
            offset: self.event.offset,
            task: told_task(before.task),
            worker: WorkerId(before.worker as i64),
            thread: ThreadId(before.id),
            stack,
            event_type: AnyType::V2(self.event.event_type),
            kind,
        });
    }

    pub(super) fn string(&mut self, id: u64) -> Result<exectrace_format::StringId, Refusal> {
        self.generation.string(id, self.tables)
    }

    #[inline]
    pub(super) fn stack(&mut self, id: u64) -> Result<StackId, Refusal> {
        self.generation.stack(id, self.tables)
    }

    /// The sequence as this generation begins.
    pub(super) fn sequence(&self) -> Sequence {
        Sequence::begin(self.generation.number)
    }
}

/// What of it the event lacks, or should not have, that needs this.
#[cold]
fn lacks(needs: Needs, thread: bool, worker: bool) -> Refusal {
    let lacks = |subject, wanted| Box::new(Cause::Context { subject, wanted });
    if !thread {
        return lacks("thread", true);
    }
    match needs {
        Needs::All | Needs::Worker | Needs::WorkerFree if !worker => lacks("worker", true),
        Needs::WorkerFree | Needs::ThreadFree => lacks("task", false),
        _ => lacks("task", true),
    }
}

#[cold]
pub(super) fn refused(cause: Refusal) -> Box<Stuck> {
    Box::new(Stuck::Refused(cause))
}

#[cold]
pub(super) fn cut(error: Box<Error>) -> Box<Stuck> {
    Box::new(Stuck::Cut(error))
}

/// Whether an event tells of the program as a whole, whatever the task that wrote it.
fn is_of_the_program(event_type: EventType) -> bool {
    use EventType as E;
    matches!(
        event_type,
        E::GCActive
            | E::GCBegin
            | E::GCEnd
            | E::ProcsChange
            | E::UserTaskBegin
            | E::UserTaskEnd
            | E::UserLog
    )
}

/// A task as events tell it: 0 is none.
#[inline]
pub(super) fn told_task(task: u64) -> TaskId {
    TaskId(if task == NONE { 0 } else { task })
}

/// The worker is in this state, or should be.
pub(super) fn wrong_worker(worker: u64, is: Option<WorkerState>, wanted: WorkerState) -> Refusal {
    Box::new(Cause::WorkerState {
        worker,
        is: is.map(WorkerState::told),
        wanted: wanted.told(),
    })
}
