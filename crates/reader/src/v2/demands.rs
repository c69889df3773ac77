//! What each type of event demands of the state before it, brought about.
//!
//! The rules say whether an event can happen; here is what must have happened for it to. A row a type, as there.

use exectrace_format::go_v2::EventType;
use exectrace_format::role::{Range, State};
use exectrace_format::{StringId, ThreadId, UserTaskId, WorkerId};

use super::generation::Generation;
use super::order::{Order, told_task};
use super::row::Upcoming;
use super::state::{Cycle, NONE, Sequence, Task, Thread, Worker, WorkerState, task_state};
use super::task_rules::transition;
use super::told::Told;
use crate::damage::Damage;
use crate::event::{Event, EventType as AnyType, Kind};
use crate::tables::Tables;
use crate::{Error, Repair, Timestamp};

/// An event that was refused, and the state that it was refused by.
pub(super) struct Demands<'d, 'a, 'b> {
    pub(super) order: &'d mut Order,
    pub(super) generation: &'d mut Generation<'a>,
    pub(super) tables: &'d mut Tables<'a>,
    pub(super) damage: &'d mut Damage,
    /// Where what was inferred is told.
    pub(super) told: &'d mut Told<'b>,
    pub(super) event: &'d Upcoming,
    /// The thread's place.
    pub(super) place: usize,
    /// Why the event was refused.
    pub(super) error: Error,
}

impl Demands<'_, '_, '_> {
    /// Changes the state to what the event demands, as far as that can be known.
    pub(super) fn bring_about(&mut self) {
        use EventType as E;
        let [first, second, third, ..] = self.event.args;
        let task = self.thread().task;
        match self.event.event_type {
            E::GoCreate | E::GoCreateBlocked => {
                if self.order.tasks.get(task).is_some() {
                    self.task(task, State::Running);
                }
                self.end(first);
            }
            E::GoCreateSyscall => {
                self.free_thread(NONE);
                self.end(first);
            }
            E::GoStart => {
                self.free_thread(NONE);
                self.task_at(first, State::Runnable, second);
            }
            E::GoDestroy | E::GoStop | E::GoBlock => self.running(),
            E::GoUnblock => self.task_at(first, State::Waiting, second),
            E::GoSwitch | E::GoSwitchDestroy => {
                self.running();
                if first != task {
                    self.task_at(first, State::Waiting, second);
                }
            }
            E::GoSyscallBegin => {
                self.running();
                self.own_worker(WorkerState::Running, Some(first));
            }
            E::GoSyscallEnd => {
                self.own_task(State::Syscall);
                self.own_worker(WorkerState::Syscall, None);
            }
            E::GoSyscallEndBlocked => {
                self.own_task(State::Syscall);
                self.own_worker(WorkerState::Idle, None);
                self.order.threads[self.place].worker = NONE;
            }
            E::GoDestroySyscall => {
                self.own_task(State::Syscall);
                self.own_worker(WorkerState::Syscall, None);
            }
            E::GoStatus | E::GoStatusStack => self.task_status(first, second, third),
            E::ProcStart => {
                self.own_worker(WorkerState::Idle, None);
                self.order.threads[self.place].worker = NONE;
                self.worker(first, WorkerState::Idle, Some(second));
                self.take_worker(first);
            }
            E::ProcStop => self.own_worker(WorkerState::Running, None),
            E::ProcSteal => {
                self.worker(first, WorkerState::Abandoned, Some(second));
                self.take_worker(first);
            }
            E::ProcStatus => self.worker_status(first, second),
            _ => self.range_or_annotation(),
        }
    }

    fn range_or_annotation(&mut self) {
        use EventType as E;
        let [first, second, ..] = self.event.args;
        let is_first = self.order.is_first(self.generation);
        match self.event.event_type {
            E::STWBegin | E::STWEnd => self.stop_of_world(first),
            E::GCActive if is_first => {
                self.cycle(Cycle::Running, first);
                self.order.cycle = Cycle::Unknown;
            }
            E::GCActive => self.cycle(Cycle::Running, first),
            E::GCBegin => self.cycle(Cycle::NotRunning, first),
            E::GCEnd => self.cycle(Cycle::Running, first),
            // In the first generation it is the first that is heard of the range, so nothing has ended.
            E::GCSweepActive if is_first => self.forget_sweep(first),
            E::GCMarkAssistActive if is_first => self.forget_assist(first),
            E::GCSweepActive => self.sweep(first, true),
            E::GCMarkAssistActive => self.assist(first, true),
            E::GCSweepBegin => self.sweep(self.thread().worker, false),
            E::GCSweepEnd => self.sweep(self.thread().worker, true),
            E::GCMarkAssistBegin => self.assist(self.thread().task, false),
            E::GCMarkAssistEnd => self.assist(self.thread().task, true),
            E::UserTaskBegin => {
                if let Some(begin) = self.order.user_tasks.remove(&first) {
                    let user_task = UserTaskId(first);
                    let begin = Some(begin);
                    self.tell(Repair::UserTask, Kind::UserTaskEnd { user_task, begin });
                }
            }
            E::UserRegionEnd => self.region(first, second),
            _ => {}
        }
    }

    fn thread(&self) -> Thread {
        self.order.threads[self.place]
    }

    /// Something that must have happened just before the event.
    fn tell(&mut self, repair: Repair, kind: Kind) {
        self.tell_as(repair, self.thread(), kind);
    }

    fn tell_as(&mut self, repair: Repair, who: Thread, kind: Kind) {
        self.damage.repair(repair, self.error);
        self.told.push(Event {
            time: Timestamp(self.event.time_ns),
            offset: self.event.offset,
            task: told_task(who.task),
            worker: WorkerId(who.worker as i64),
            thread: ThreadId(who.id),
            kind,
            ..Event::blank(AnyType::Inferred)
        });
    }

    /// A task is in a state.
    fn task(&mut self, id: u64, state: State) {
        let from = self.order.tasks.get(id).map(|task| task.state);
        if from == Some(state) || id == NONE {
            return;
        }
        // It runs nowhere else.
        for place in 0..self.order.threads.len() {
            let runs_it = self.order.threads[place].task == id;
            if runs_it && place != self.place {
                self.order.threads[place].task = NONE;
            }
        }
        let from = from.unwrap_or(State::Undetermined);
        self.tell(Repair::TaskState, transition(id, from, state));
        match self.order.tasks.get(id) {
            Some(task) => task.state = state,
            None => {
                let new = Task::new(state, self.generation.number);
                self.order.tasks.insert(id, new);
            }
        }
    }

    /// A task is in a state, and the event is the next one of its sequence.
    fn task_at(&mut self, id: u64, state: State, number: u64) {
        if id == NONE {
            return;
        }
        let told = self.told.len();
        self.task(id, state);
        let sequence = Sequence::before(self.generation.number, number);
        if let Some(task) = self.order.tasks.get(id)
            && std::mem::replace(&mut task.sequence, sequence) != sequence
            && self.told.len() == told
        {
            self.damage.repair(Repair::TaskState, self.error);
        }
    }

    /// A task is not there.
    fn end(&mut self, id: u64) {
        if id == NONE {
            return;
        }
        if self.order.tasks.get(id).is_some() {
            self.task(id, State::NotExist);
            self.order.tasks.remove(id);
        }
        for thread in &mut self.order.threads {
            if thread.task == id {
                thread.task = NONE;
            }
        }
    }

    /// The thread's task, if it has one, is in a state.
    fn own_task(&mut self, state: State) {
        self.task(self.thread().task, state);
    }

    fn running(&mut self) {
        self.own_task(State::Running);
    }

    /// The thread runs no task but this one: where another one has gone is not known.
    fn free_thread(&mut self, but: u64) {
        let task = self.thread().task;
        if task == NONE || task == but {
            return;
        }
        if self.order.tasks.get(task).is_some() {
            self.damage.repair(Repair::Thread, self.error);
            self.task(task, State::Undetermined);
        }
        self.order.threads[self.place].task = NONE;
    }

    /// A worker is in a state, and the event is the next one of its sequence, if it has a number.
    fn worker(&mut self, id: u64, state: WorkerState, number: Option<u64>) {
        if id == NONE {
            return;
        }
        let (generation, repairs) = (self.generation.number, self.damage.repairs.total());
        let is = self.order.workers.get(id).map(|worker| worker.state);
        let from = is.map_or(State::Undetermined, WorkerState::told);
        if from != state.told() {
            let kind = Kind::WorkerTransition {
                worker: WorkerId(id as i64),
                from,
                to: state.told(),
            };
            self.tell(Repair::WorkerState, kind);
        } else if is != Some(state) {
            self.damage.repair(Repair::WorkerState, self.error);
        }
        let worker = self.order.workers.get_or_insert(
            id,
            Worker {
                state,
                sequence: Sequence::begin(generation),
                sweeps: false,
            },
        );
        worker.state = state;
        let Some(number) = number else {
            return;
        };
        let sequence = Sequence::before(generation, number);
        let is_other = std::mem::replace(&mut worker.sequence, sequence) != sequence;
        if is_other && self.damage.repairs.total() == repairs {
            self.damage.repair(Repair::WorkerState, self.error);
        }
    }

    /// The thread's worker, if it has one, is in a state.
    fn own_worker(&mut self, state: WorkerState, number: Option<u64>) {
        self.worker(self.thread().worker, state, number);
    }

    /// No thread has the worker, and none runs a task with it.
    fn take_worker(&mut self, id: u64) {
        for place in 0..self.order.threads.len() {
            let thread = self.order.threads[place];
            if thread.worker != id {
                continue;
            }
            let task = self.order.tasks.get(thread.task);
            if task.is_some_and(|task| task.state == State::Running) {
                self.task(thread.task, State::Undetermined);
                self.order.threads[place].task = NONE;
            }
            self.order.threads[place].worker = NONE;
        }
    }

    fn task_status(&mut self, id: u64, thread_id: u64, number: u64) {
        let Some(state) = task_state(number) else {
            return;
        };
        self.task(id, state);
        match state {
            State::Running => self.free_thread(id),
            State::Syscall if thread_id == self.thread().id => {
                self.free_thread(id);
                self.order.threads[self.place].task = id;
            }
            State::Syscall => {
                if let Some(place) = self.order.known_thread(thread_id) {
                    self.order.threads[place].task = id;
                }
            }
            _ => {}
        }
    }

    fn worker_status(&mut self, id: u64, number: u64) {
        let Some(state) = WorkerState::from_number(number) else {
            return;
        };
        if self.order.workers.get(id).is_some() {
            self.worker(id, state, None);
        }
        self.take_worker(id);
    }

    fn stop_of_world(&mut self, reason: u64) {
        let task = self.thread().task;
        let begins = self.event.event_type == EventType::STWBegin;
        let named = self.generation.string(reason, self.tables);
        let Some(open) = self.order.tasks.open(task) else {
            return;
        };
        let range = Range::StopTheWorld;
        if begins {
            let reason = named.unwrap_or_default();
            open.stopped_world.retain(|&other| other != reason);
            self.tell(Repair::Range, range_end(range, reason));
        } else if open.stopped_world.is_empty() {
            let reason = StringId(0);
            open.stopped_world.push(reason);
            self.tell(Repair::Range, Kind::RangeBegin { range, reason });
        }
    }

    fn cycle(&mut self, cycle: Cycle, number: u64) {
        let was = std::mem::replace(&mut self.order.cycle, cycle);
        self.order.cycle_sequence = number.wrapping_sub(1);
        let (range, reason) = (Range::Gc, StringId(0));
        match (was == Cycle::Running, cycle == Cycle::Running) {
            (true, false) => self.tell(Repair::Range, range_end(range, reason)),
            (false, true) => self.tell(Repair::Range, Kind::RangeBegin { range, reason }),
            _ => {}
        }
    }

    fn forget_sweep(&mut self, id: u64) {
        if let Some(worker) = self.order.workers.get(id) {
            worker.sweeps = false;
        }
    }

    fn forget_assist(&mut self, id: u64) {
        if let Some(task) = self.order.tasks.get(id) {
            task.assists = false;
        }
    }

    fn sweep(&mut self, id: u64, should_be_open: bool) {
        let Some(worker) = self.order.workers.get(id) else {
            return;
        };
        if std::mem::replace(&mut worker.sweeps, should_be_open) != should_be_open {
            let who = Thread {
                worker: id,
                ..self.thread()
            };
            self.tell_range(Range::Sweep, who, should_be_open);
        }
    }

    fn assist(&mut self, id: u64, should_be_open: bool) {
        let Some(task) = self.order.tasks.get(id) else {
            return;
        };
        if std::mem::replace(&mut task.assists, should_be_open) != should_be_open {
            let who = Thread {
                task: id,
                ..self.thread()
            };
            self.tell_range(Range::MarkAssist, who, should_be_open);
        }
    }

    fn tell_range(&mut self, range: Range, who: Thread, begins: bool) {
        let reason = StringId(0);
        let kind = if begins {
            Kind::RangeBegin { range, reason }
        } else {
            range_end(range, reason)
        };
        self.tell_as(Repair::Range, who, kind);
    }

    /// The region is the innermost of its task.
    fn region(&mut self, user_task: u64, name: u64) {
        let task = self.thread().task;
        let user_task = UserTaskId(user_task);
        let name = self.generation.string(name, self.tables);
        let name = name.unwrap_or_default();
        let Some(open) = self.order.tasks.open(task) else {
            return;
        };
        let region = (user_task, name);
        // Only its own begin goes with it, wherever that is.
        if let Some(place) = open.regions.iter().rposition(|&other| other == region) {
            let inner: Vec<_> = open.regions.drain(place + 1..).collect();
            open.regions.splice(place..place, inner);
            self.damage.repair(Repair::Region, self.error);
        } else {
            open.regions.push(region);
            self.tell(Repair::Region, Kind::UserRegionBegin { user_task, name });
        }
    }
}

fn range_end(range: Range, reason: StringId) -> Kind {
    Kind::RangeEnd {
        range,
        reason,
        swept_bytes: 0,
        reclaimed_bytes: 0,
    }
}
