//! What must hold of a trace that is in order.

mod mend;

use std::collections::HashSet;

use exectrace_format::go_v1::EventType;
use exectrace_format::role::State;
use exectrace_format::{StringId, Version};

use super::cursor::{RawEvent, stops, waits};
use crate::Cause;
use crate::id_array::IdArray;
use crate::id_map::IdMap;
pub(super) use mend::Inference;

/// The state of all tasks and workers, as the checks of Go's reader have it.
#[derive(Debug)]
pub(super) struct Checks {
    tasks: IdArray<Task>,
    /// Open regions by task, the innermost last: user task and name.
    regions: IdMap<Vec<(u64, StringId)>>,
    workers: Vec<Worker>,
    /// The worker that Go's reader puts wakes by timers on.
    timers: Worker,
    collects: bool,
    world_is_stopped: bool,
    /// Before version 1.10 each worker stopped the world for itself.
    stops_by_worker: bool,
    user_tasks: HashSet<u64>,
    timer_tasks: HashSet<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    state: State,
    assists: bool,
    /// An event of it, or its creation, was there.
    is_known: bool,
    /// Why it is not there.
    end: End,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Not at all.
    Never,
    /// It returned.
    Over,
    /// It waits for ever, of which only the order of events makes an end.
    Stopped,
}

#[derive(Clone, Copy, Debug, Default)]
struct Worker {
    runs: bool,
    /// It has started once.
    is_known: bool,
    task: u64,
    sweeps: bool,
    stops_world: bool,
}

impl Default for Task {
    fn default() -> Self {
        Self {
            state: State::NotExist,
            assists: false,
            is_known: false,
            end: End::Never,
        }
    }
}

impl Checks {
    pub(super) fn new(version: Version, workers: usize, timer_tasks: HashSet<u64>) -> Self {
        let mut tasks: IdArray<Task> = IdArray::default();
        // What no task does is done by a task that always runs.
        tasks.get_mut(0).state = State::Running;
        Self {
            tasks,
            regions: IdMap::default(),
            workers: vec![Worker::default(); workers],
            timers: Worker::default(),
            collects: false,
            world_is_stopped: false,
            stops_by_worker: !version.at_least(Version::Go1_10),
            user_tasks: HashSet::new(),
            timer_tasks,
        }
    }

    /// Checks an event, which then has happened; one that is refused changes nothing. `name` is that of a region.
    /// Always inlined, where strict and where tolerant readers tell an event.
    #[inline(always)]
    pub(super) fn event(&mut self, event: &RawEvent<'_>, name: StringId) -> Result<(), Cause> {
        use EventType as E;
        let is_timer = !self.timer_tasks.is_empty() && self.is_of_timer(event);
        let number = event.worker;
        let task = self.tasks.get_mut(event.owner);
        // Go's reader knows every task that it has seen an event of, also if that is a CPU sample.
        task.is_known = true;
        // Only events without an own worker have no place.
        let worker = self
            .workers
            .get_mut(event.place)
            .unwrap_or(&mut self.timers);
        let subject = event.args[0];
        match event.event_type {
            E::ProcStart => worker.start(number)?,
            E::ProcStop => worker.stop(number)?,
            E::GCStart => flip(&mut self.collects, true).map_err(|_| Cause::CollectorState)?,
            E::GCDone => flip(&mut self.collects, false).map_err(|_| Cause::CollectorState)?,
            E::GCSTWStart | E::GCSTWDone => {
                let is_stopped = if self.stops_by_worker {
                    &mut worker.stops_world
                } else {
                    &mut self.world_is_stopped
                };
                flip(is_stopped, event.event_type == E::GCSTWStart)?;
            }
            E::GCSweepStart => flip(&mut worker.sweeps, true)?,
            E::GCSweepDone => flip(&mut worker.sweeps, false)?,
            E::GCMarkAssistStart => flip(&mut task.assists, true)?,
            // It may have begun before the trace.
            E::GCMarkAssistDone => task.assists = false,
            E::GoWaiting => pass(task, State::Runnable, State::Waiting)?,
            E::GoInSyscall => pass(task, State::Runnable, State::Syscall)?,
            E::GoCreate => {
                runs_on(task, worker, event.owner, true)?;
                self.create(subject)?;
            }
            E::GoStart | E::GoStartLocal | E::GoStartLabel => {
                is_in(task, State::Runnable)?;
                worker.is_free()?;
                task.state = State::Running;
                worker.task = event.owner;
            }
            E::GoUnblock | E::GoUnblockLocal => {
                is_in(task, State::Running)?;
                if !is_timer && worker.task != event.owner {
                    return Err(Cause::TaskElsewhere);
                }
                self.wake(subject)?;
            }
            E::GoSysCall => runs_on(task, worker, event.owner, false)?,
            E::GoSysBlock => {
                runs_on(task, worker, event.owner, false)?;
                task.state = State::Syscall;
                worker.task = 0;
            }
            // It belongs to the task that runs, which is in no system call.
            E::GoSysExitLocal => return Err(wrong_task(task, State::Syscall)),
            E::GoSysExit => {
                if task.state == State::Waiting {
                    task.state = State::Syscall;
                }
                pass(task, State::Syscall, State::Runnable)?;
            }
            E::UserTaskCreate => {
                let is_new = self.user_tasks.insert(subject);
                if !is_new {
                    return Err(Cause::UserTaskExists { user_task: subject });
                }
            }
            E::UserTaskEnd => {
                self.user_tasks.remove(&subject);
            }
            E::UserRegion => region(self.regions.entry(event.owner).or_default(), event, name)?,
            event_type if stops(event_type) => {
                runs_on(task, worker, event.owner, false)?;
                task.stop(event_type);
                worker.task = 0;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Checks {
    /// Checks an event once more, after what it demands was brought about. Whether it is right now.
    #[cold]
    #[inline(never)]
    pub(super) fn event_again(&mut self, event: &RawEvent<'_>, name: StringId) -> bool {
        self.event(event, name).is_ok()
    }

    /// Whether a task that runs timers wakes another one, which it may do from anywhere.
    fn is_of_timer(&self, event: &RawEvent<'_>) -> bool {
        matches!(
            event.event_type,
            EventType::GoUnblock | EventType::GoUnblockLocal
        ) && self.timer_tasks.contains(&event.owner)
    }

    fn create(&mut self, new: u64) -> Result<(), Cause> {
        let task = self.tasks.get_mut(new);
        if std::mem::replace(&mut task.is_known, true) {
            return Err(Cause::TaskExists);
        }
        task.state = State::Runnable;
        Ok(())
    }

    fn wake(&mut self, woken: u64) -> Result<(), Cause> {
        let woken = self.tasks.get_mut(woken);
        woken.is_known = true;
        // For Go's reader, one in a system call waits as well.
        if woken.state == State::Syscall {
            woken.state = State::Waiting;
        }
        pass(woken, State::Waiting, State::Runnable)
    }
}

impl Task {
    #[inline]
    fn stop(&mut self, event_type: EventType) {
        self.state = match event_type {
            EventType::GoEnd | EventType::GoStop => State::NotExist,
            event_type if waits(event_type) => State::Waiting,
            _ => State::Runnable,
        };
        match event_type {
            EventType::GoEnd => self.end = End::Over,
            EventType::GoStop => self.end = End::Stopped,
            _ => {}
        }
    }
}

impl Worker {
    fn start(&mut self, number: i64) -> Result<(), Cause> {
        if self.runs {
            return Err(wrong_worker(number, State::Running, State::Idle));
        }
        (self.runs, self.is_known) = (true, true);
        Ok(())
    }

    fn stop(&mut self, number: i64) -> Result<(), Cause> {
        if !self.runs {
            return Err(wrong_worker(number, State::Idle, State::Running));
        }
        self.is_free()?;
        self.runs = false;
        Ok(())
    }

    /// Whether it runs no task.
    fn is_free(&self) -> Result<(), Cause> {
        if self.task != 0 {
            return Err(Cause::Context {
                subject: "task",
                wanted: false,
            });
        }
        Ok(())
    }
}

/// Opens or closes a range that was closed or open.
fn flip(is_open: &mut bool, opens: bool) -> Result<(), Cause> {
    if std::mem::replace(is_open, opens) == opens {
        return Err(Cause::Range { open: opens });
    }
    Ok(())
}

fn pass(task: &mut Task, from: State, to: State) -> Result<(), Cause> {
    is_in(task, from)?;
    task.state = to;
    Ok(())
}

fn is_in(task: &Task, state: State) -> Result<(), Cause> {
    if task.state != state {
        return Err(wrong_task(task, state));
    }
    Ok(())
}

/// Whether the task runs on the worker.
#[inline]
fn runs_on(task: &Task, worker: &Worker, owner: u64, may_be_none: bool) -> Result<(), Cause> {
    is_in(task, State::Running)?;
    if worker.task != owner || owner == 0 && !may_be_none {
        return Err(Cause::TaskElsewhere);
    }
    Ok(())
}

fn region(
    regions: &mut Vec<(u64, StringId)>,
    event: &RawEvent<'_>,
    name: StringId,
) -> Result<(), Cause> {
    let [user_task, mode, ..] = event.args;
    match mode {
        0 => regions.push((user_task, name)),
        1 => {
            let innermost = regions.last();
            if innermost.is_some_and(|innermost| *innermost != (user_task, name)) {
                return Err(Cause::RegionNotInnermost);
            }
            regions.pop();
        }
        number => return Err(Cause::NoSuchKind { number }),
    }
    Ok(())
}

#[cold]
fn wrong_task(task: &Task, wanted: State) -> Cause {
    Cause::TaskState {
        is: Some(task.state),
        wanted,
    }
}

#[cold]
fn wrong_worker(worker: i64, is: State, wanted: State) -> Cause {
    Cause::WorkerState {
        worker: worker as u64,
        is: Some(is),
        wanted,
    }
}
