//! What must have happened before an event that contradicts the state of tasks and workers.
//!
//! Whatever the cause: what the event's type demands is brought about, and each change is told. The event then fits, unless
//! nobody knows whose it is, or it demands what cannot be.

use std::mem::replace;

use exectrace_format::go_v1::EventType;
use exectrace_format::role::{Range, State};
use exectrace_format::{StackId, StringId, TaskId, UserTaskId, WorkerId};

use super::{Checks, Effect, RawEvent, Task, Tasks, Worker, rule};
use crate::Repair;
use crate::event::Kind;
use crate::v1::meaning::Overwritten;
use crate::v1::task::End;

/// Something that must have happened.
#[derive(Clone, Copy, Debug)]
pub(in crate::v1) struct Inference {
    pub(in crate::v1) repair: Repair,
    /// How it is told; `None` where only what is remembered was wrong.
    pub(in crate::v1) kind: Option<Kind>,
}

/// Workers are searched for a task if there are no more.
const WORKERS_SEARCHED: usize = 4096;
/// So many of a task's open regions are searched, the innermost first.
const REGIONS_SEARCHED: usize = 1024;

impl Checks {
    /// Brings about what an event demands that was refused. `before` is what it has made the meanings forget. False if it can
    /// never be.
    #[cold]
    pub(in crate::v1) fn prepare(
        &mut self,
        tasks: &mut Tasks,
        event: &RawEvent<'_>,
        name: StringId,
        before: Overwritten,
        inferred: &mut Vec<Inference>,
    ) -> bool {
        let mut mending = Mending {
            checks: self,
            tasks,
            place: event.place,
            worker: WorkerId(event.worker),
            inferred,
        };
        mending.prepare(event, name, before)
    }
}

/// The mending for one event.
struct Mending<'m> {
    checks: &'m mut Checks,
    tasks: &'m mut Tasks,
    place: usize,
    worker: WorkerId,
    inferred: &'m mut Vec<Inference>,
}

impl Mending<'_> {
    fn prepare(&mut self, event: &RawEvent<'_>, name: StringId, before: Overwritten) -> bool {
        use EventType as E;
        let (owner, subject) = (event.owner, event.args[0]);
        match event.event_type {
            E::ProcStart => self.idle_worker(),
            E::ProcStop => self.running_worker(),
            E::GCStart | E::GCSTWStart | E::GCSweepStart | E::GCMarkAssistStart => {
                self.range(event, false, before.stop_reason);
            }
            E::GCDone | E::GCSTWDone | E::GCSweepDone => {
                self.range(event, true, before.stop_reason);
            }
            E::GoWaiting | E::GoInSyscall if owner != 0 => self.state(owner, State::Runnable),
            E::GoCreate if subject != 0 && subject != owner => {
                self.run(owner);
                self.forget(subject);
            }
            E::GoStart | E::GoStartLocal | E::GoStartLabel if owner != 0 => {
                self.state(owner, State::Runnable);
                self.evict();
            }
            E::GoUnblock | E::GoUnblockLocal if subject != 0 && subject != owner => {
                let is_running = self.task(owner).is_running();
                if !(is_running && self.checks.is_of_timer(event)) {
                    self.run(owner);
                }
                self.wait(subject, State::Waiting);
            }
            E::GoSysExit if owner != 0 => self.wait(owner, State::Syscall),
            E::UserTaskCreate => {
                self.checks.user_tasks.remove(&subject);
                let kind = Kind::UserTaskEnd {
                    user_task: UserTaskId(subject),
                    begin: before.user_task,
                };
                self.infer(Repair::UserTask, Some(kind));
            }
            E::UserRegion if event.args[1] == 1 => self.innermost_region(owner, subject, name),
            E::GoSysCall if owner != 0 => self.run(owner),
            event_type if rule(event_type).effect == Effect::Stops && owner != 0 => self.run(owner),
            _ => return false,
        }
        true
    }

    fn infer(&mut self, repair: Repair, kind: Option<Kind>) {
        self.inferred.push(Inference { repair, kind });
    }

    fn task(&mut self, task: u64) -> &mut Task {
        self.tasks.get_mut(task)
    }

    fn worker(&mut self) -> &mut Worker {
        let workers = &mut self.checks.workers;
        workers
            .get_mut(self.place)
            .unwrap_or(&mut self.checks.timers)
    }

    /// The task is in this state.
    fn state(&mut self, task: u64, to: State) {
        if self.task(task).state() != to {
            self.pass(Repair::TaskState, task, to);
        }
    }

    /// The task waits; which kind of waiting it is does not matter.
    fn wait(&mut self, task: u64, to: State) {
        if !matches!(self.task(task).state(), State::Waiting | State::Syscall) {
            self.pass(Repair::TaskState, task, to);
        }
    }

    /// The task passes to another state, and from its worker.
    fn pass(&mut self, repair: Repair, task: u64, to: State) {
        let known = self.task(task);
        let (state, from) = (known.state(), known.told());
        known.set_state(to);
        if state == State::Running {
            self.release(task);
        }
        // A start tells the worker, too.
        let is_new = from != to || to == State::Running;
        let kind = Kind::TaskTransition {
            task: TaskId(task),
            from,
            to,
            reason: StringId(0),
            stack: StackId(0),
        };
        self.infer(repair, is_new.then_some(kind));
    }

    /// No worker runs the task.
    fn release(&mut self, task: u64) {
        if self.worker().task == task {
            self.worker().task = 0;
        } else if self.checks.workers.len() <= WORKERS_SEARCHED {
            for worker in &mut self.checks.workers {
                if worker.task == task {
                    worker.task = 0;
                }
            }
        }
    }

    /// The worker runs no task.
    fn evict(&mut self) {
        let task = std::mem::take(&mut self.worker().task);
        if task == 0 {
            return;
        }
        if self.task(task).is_running() {
            self.pass(Repair::Thread, task, State::Undetermined);
        } else {
            self.infer(Repair::Thread, None);
        }
    }

    /// The worker runs the task.
    fn run(&mut self, task: u64) {
        if self.worker().task != task {
            self.evict();
        }
        if task == 0 {
            // What no task does is done by one that always runs.
            if !self.task(0).is_running() {
                self.task(0).set_state(State::Running);
                self.infer(Repair::TaskState, None);
            }
            return;
        }
        if self.task(task).is_running() && self.worker().task != task {
            self.pass(Repair::Thread, task, State::Undetermined);
        }
        self.state(task, State::Running);
        self.worker().task = task;
    }

    /// The task is not there, so that it can be created.
    fn forget(&mut self, task: u64) {
        let known = self.task(task);
        if !known.forget() {
            return;
        }
        if known.state() != State::NotExist || known.end() == End::Stopped {
            self.pass(Repair::TaskState, task, State::NotExist);
            self.task(task).set_end(End::Over);
        } else {
            self.infer(Repair::TaskState, None);
        }
    }

    fn idle_worker(&mut self) {
        self.evict();
        if std::mem::take(&mut self.worker().runs) {
            self.worker_passes(State::Running, State::Idle);
        }
    }

    fn running_worker(&mut self) {
        self.evict();
        let worker = self.worker();
        if replace(&mut worker.runs, true) {
            return;
        }
        let from = if replace(&mut worker.is_known, true) {
            State::Idle
        } else {
            State::Undetermined
        };
        self.worker_passes(from, State::Running);
    }

    fn worker_passes(&mut self, from: State, to: State) {
        let worker = self.worker;
        let kind = Kind::WorkerTransition { worker, from, to };
        self.infer(Repair::WorkerState, Some(kind));
    }

    /// The event's range is open or not.
    fn range(&mut self, event: &RawEvent<'_>, is_open: bool, reason: StringId) {
        use EventType as E;
        let worker = self
            .checks
            .workers
            .get_mut(self.place)
            .unwrap_or(&mut self.checks.timers);
        let (range, was_open) = match event.event_type {
            E::GCStart | E::GCDone => (Range::Gc, replace(&mut self.checks.collects, is_open)),
            E::GCSTWStart | E::GCSTWDone => {
                let known = if self.checks.stops_by_worker {
                    &mut worker.stops_world
                } else {
                    &mut self.checks.world_is_stopped
                };
                (Range::StopTheWorld, replace(known, is_open))
            }
            E::GCSweepStart | E::GCSweepDone => {
                (Range::Sweep, replace(&mut worker.sweeps, is_open))
            }
            _ => {
                let task = self.tasks.get_mut(event.owner);
                (Range::MarkAssist, task.replace_assists(is_open))
            }
        };
        if was_open == is_open {
            return;
        }
        let reason = if range == Range::StopTheWorld {
            reason
        } else {
            StringId(0)
        };
        let kind = if is_open {
            Kind::RangeBegin { range, reason }
        } else {
            Kind::RangeEnd {
                range,
                reason,
                swept_bytes: 0,
                reclaimed_bytes: 0,
            }
        };
        self.infer(Repair::Range, Some(kind));
    }

    /// The region is the task's innermost one. A program may end them in any order.
    fn innermost_region(&mut self, task: u64, user_task: u64, name: StringId) {
        let regions = self.checks.regions.entry(task).or_default();
        let searched = regions.len().saturating_sub(REGIONS_SEARCHED);
        let region = (user_task, name);
        let begin = regions[searched..]
            .iter()
            .rposition(|other| *other == region);
        if let Some(begin) = begin {
            regions.remove(searched + begin);
        }
        regions.push(region);
        let user_task = UserTaskId(user_task);
        let kind = Kind::UserRegionBegin { user_task, name };
        self.infer(Repair::Region, begin.is_none().then_some(kind));
    }
}

impl Task {
    /// The state that was told last.
    fn told(&self) -> State {
        match (self.state(), self.end()) {
            (State::NotExist, End::Never) => State::Undetermined,
            (State::NotExist, End::Stopped) => State::Waiting,
            (state, _) => state,
        }
    }
}
