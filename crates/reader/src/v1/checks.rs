//! What must hold of a trace that is in order.

mod mend;

use std::collections::HashSet;

use exectrace_format::go_v1::EventType;
use exectrace_format::role::State;
use exectrace_format::{StringId, Version};

use super::cursor::RawEvent;
use super::rules::{Actor, Effect, Rule, Who, rule};
use super::task::{Task, Tasks};
use crate::Cause;
use crate::id_map::IdMap;
pub(super) use mend::Inference;

/// The state of all workers and of what else is not a task's, as the checks of Go's reader have it.
#[derive(Debug)]
pub(super) struct Checks {
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

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worker {
    runs: bool,
    /// It has started once.
    is_known: bool,
    /// The task that it runs.
    pub(super) task: u64,
    pub(super) sweeps: bool,
    stops_world: bool,
}

impl Checks {
    pub(super) fn new(version: Version, workers: usize, timer_tasks: HashSet<u64>) -> Self {
        Self {
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

    /// All tasks at the beginning: what no task does is done by one that always runs.
    pub(super) fn first_tasks() -> Tasks {
        let mut tasks = Tasks::default();
        let nobody = tasks.get_mut(0);
        nobody.set_state(State::Running);
        nobody.meet();
        tasks
    }

    /// The worker at this place, if all that it does is checked as the usual events of a run are.
    #[inline]
    pub(super) fn usual_worker(&mut self, place: usize) -> Option<&mut Worker> {
        self.workers
            .get_mut(place)
            .filter(|_| self.timer_tasks.is_empty())
    }

    /// Checks an event, which then has happened; one that is refused changes nothing. `name` is that of a region.
    pub(super) fn event(
        &mut self,
        tasks: &mut Tasks,
        event: &RawEvent<'_>,
        name: StringId,
    ) -> Result<(), Cause> {
        use EventType as E;
        let task = tasks.get_mut(event.owner);
        // Go's reader knows every task that it has seen an event of, also if that is a CPU sample.
        task.meet();
        let rule = rule(event.event_type);
        if matches!(rule.who, Who::Argument | Who::Owner) {
            return self.transition(tasks, event, rule);
        }
        let worker = self
            .workers
            .get_mut(event.place)
            .unwrap_or(&mut self.timers);
        let subject = event.args[0];
        match event.event_type {
            E::ProcStart => worker.start(event.worker)?,
            E::ProcStop => worker.stop(event.worker)?,
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
            E::GCMarkAssistStart if task.replace_assists(true) => {
                return Err(Cause::Range { open: true });
            }
            // It may have begun before the trace.
            E::GCMarkAssistDone => {
                task.replace_assists(false);
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
            _ => {}
        }
        Ok(())
    }

    /// Checks an event about a task, which then has happened.
    fn transition(
        &mut self,
        tasks: &mut Tasks,
        event: &RawEvent<'_>,
        rule: &Rule,
    ) -> Result<(), Cause> {
        let owner = tasks.get(event.owner);
        if event.event_type == EventType::GoSysExitLocal {
            // It belongs to the task that runs, which is in no system call.
            return Err(wrong_task(owner, State::Syscall));
        }
        let is_timer = !self.timer_tasks.is_empty() && self.is_of_timer(event);
        // Only events without an own worker have no place.
        let worker = self
            .workers
            .get_mut(event.place)
            .unwrap_or(&mut self.timers);
        if rule.actor != Actor::Any {
            if !owner.is_running() {
                return Err(wrong_task(owner, State::Running));
            }
            let is_task = event.owner != 0 || rule.actor != Actor::Task;
            if !is_task || worker.task != event.owner && !is_timer {
                return Err(Cause::TaskElsewhere);
            }
        }
        let id = match rule.who {
            Who::Argument => event.args[0],
            _ => event.owner,
        };
        let task = tasks.get_mut(id);
        if !rule.allows(*task) {
            return Err(match event.event_type {
                EventType::GoCreate => Cause::TaskExists,
                _ => wrong_task(*task, rule.from),
            });
        }
        match rule.effect {
            Effect::Nothing => {}
            Effect::Starts => {
                worker.is_free()?;
                worker.task = event.owner;
            }
            Effect::Stops => worker.task = 0,
        }
        *task = rule.apply_checks(*task);
        Ok(())
    }

    /// Checks an event once more, after what it demands was brought about. Whether it is right now.
    #[cold]
    pub(super) fn event_again(
        &mut self,
        tasks: &mut Tasks,
        event: &RawEvent<'_>,
        name: StringId,
    ) -> bool {
        self.event(tasks, event, name).is_ok()
    }

    /// Whether a task that runs timers wakes another one, which it may do from anywhere.
    fn is_of_timer(&self, event: &RawEvent<'_>) -> bool {
        matches!(
            event.event_type,
            EventType::GoUnblock | EventType::GoUnblockLocal
        ) && self.timer_tasks.contains(&event.owner)
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
fn wrong_task(task: Task, wanted: State) -> Cause {
    Cause::TaskState {
        is: Some(task.state()),
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
