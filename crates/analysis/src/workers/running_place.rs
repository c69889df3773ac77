//! Where tasks run that run from the begin of the trace on.

use std::collections::HashMap;

use exectrace_reader::{Event, Kind, State, TaskId, ThreadId, WorkerId};

/// Finds out where tasks run of which the trace tells first that they are running, but not where: what such a task writes itself
/// says so.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningPlaces {
    /// Those that have written nothing; no more than there are workers.
    sought: Vec<TaskId>,
    found: HashMap<TaskId, (WorkerId, ThreadId)>,
}

impl RunningPlaces {
    /// Takes an event.
    pub(super) fn event(&mut self, event: &Event) {
        if let Kind::TaskTransition { task, from, to, .. } = event.kind {
            match (from, to) {
                (State::Undetermined, State::Running) if !self.found.contains_key(&task) => {
                    self.sought.push(task);
                }
                // One that runs on is told again.
                (State::Running, State::Running) => {}
                _ => self.sought.retain(|it| *it != task),
            }
        }
        if !self.sought.is_empty()
            && event.worker != WorkerId::NONE
            && let Some(place) = self.sought.iter().position(|it| *it == event.task)
        {
            let task = self.sought.swap_remove(place);
            self.found.insert(task, (event.worker, event.thread));
        }
    }

    /// Where such a task runs, if that is told.
    pub(super) fn of(&self, task: TaskId) -> Option<(WorkerId, ThreadId)> {
        self.found.get(&task).copied()
    }
}
