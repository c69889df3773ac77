//! For which user tasks tasks work.
//!
//! No format says it outright. A task works for the user task of its innermost open region that has one; without any, for the
//! user task that it carries: the one that it made last, or that the task carried which created it. One that has ended is carried
//! no more, and its parent is instead. So it is in recordings of exectrace, and so Go's programs hand on their contexts.

use std::collections::HashMap;

use exectrace_reader::{Event, Kind, State, StringId, Tables, TaskId, UserTaskId};

use crate::UserTaskChoice;
use crate::stretch::WorksFor;

/// How many user tasks that have ended are passed over, and how many open regions are looked through for the one that ends: more
/// than programs have, and so few that no file makes this slow.
const DEPTH_MAX: usize = 256;

/// Follows who works for which user task, and whether for one that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct CarriedUserTasks {
    choice: Option<UserTaskChoice>,
    user_tasks: HashMap<UserTaskId, UserTask>,
    carried: HashMap<TaskId, UserTaskId>,
    /// The open regions of tasks, outermost first.
    regions: HashMap<TaskId, Vec<Region>>,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    user_task: UserTaskId,
    name: StringId,
    /// Its user task, or that of the region around it.
    works_for: UserTaskId,
}

#[derive(Clone, Copy, Debug)]
struct UserTask {
    parent: UserTaskId,
    name: StringId,
    is_chosen: bool,
    has_ended: bool,
}

impl CarriedUserTasks {
    pub(crate) fn new(choice: Option<UserTaskChoice>) -> Self {
        Self {
            choice,
            user_tasks: HashMap::new(),
            carried: HashMap::new(),
            regions: HashMap::new(),
        }
    }

    /// Whether a task works for one that is asked for.
    pub(crate) fn is_chosen(&self, task: TaskId) -> bool {
        let user_task = self.user_task_of(task);
        match self.user_tasks.get(&user_task) {
            Some(known) => known.is_chosen,
            // It began before all that was seen.
            None => {
                self.choice == Some(UserTaskChoice::Id(user_task)) && user_task != UserTaskId(0)
            }
        }
    }

    /// For whom a task works.
    pub(crate) fn works_for(&self, task: TaskId) -> WorksFor {
        let user_task = self.user_task_of(task);
        let name = self.user_tasks.get(&user_task).map(|known| known.name);
        WorksFor { user_task, name }
    }

    fn user_task_of(&self, task: TaskId) -> UserTaskId {
        match self.region_of(task) {
            UserTaskId(0) => self.carried_by(task),
            user_task => user_task,
        }
    }

    fn region_of(&self, task: TaskId) -> UserTaskId {
        let innermost = self.regions.get(&task).and_then(|regions| regions.last());
        innermost.map_or(UserTaskId(0), |region| region.works_for)
    }

    fn carried_by(&self, task: TaskId) -> UserTaskId {
        let mut user_task = self.carried.get(&task).copied().unwrap_or_default();
        for _ in 0..DEPTH_MAX {
            match self.user_tasks.get(&user_task) {
                Some(known) if known.has_ended => user_task = known.parent,
                _ => break,
            }
        }
        user_task
    }

    pub(crate) fn event(&mut self, event: &Event, tables: &Tables<'_>) {
        match event.kind {
            Kind::UserTaskBegin {
                user_task,
                parent,
                name,
            } => self.begin(event.task, user_task, parent, name, tables),
            Kind::UserTaskEnd { user_task, .. } => {
                if let Some(known) = self.user_tasks.get_mut(&user_task) {
                    known.has_ended = true;
                }
            }
            Kind::UserRegionBegin { user_task, name } => {
                let works_for = match user_task {
                    UserTaskId(0) => self.region_of(event.task),
                    user_task => user_task,
                };
                self.regions.entry(event.task).or_default().push(Region {
                    user_task,
                    name,
                    works_for,
                });
            }
            Kind::UserRegionEnd { user_task, name } => self.end_region(event.task, user_task, name),
            Kind::TaskTransition { task, from, to, .. } => {
                if from == State::NotExist && event.task != TaskId(0) {
                    let inherited = self.user_task_of(event.task);
                    if inherited != UserTaskId(0) {
                        self.carried.insert(task, inherited);
                    }
                }
                if to == State::NotExist {
                    self.carried.remove(&task);
                    self.regions.remove(&task);
                }
            }
            _ => {}
        }
    }

    fn begin(
        &mut self,
        task: TaskId,
        user_task: UserTaskId,
        parent: UserTaskId,
        name: StringId,
        tables: &Tables<'_>,
    ) {
        let is_asked_for = match &self.choice {
            None => false,
            Some(UserTaskChoice::Id(id)) => *id == user_task || *id == parent,
            Some(UserTaskChoice::Named(chosen)) => tables.text(name) == chosen.as_str(),
        };
        let parent_is_chosen = self.user_tasks.get(&parent).is_some_and(|it| it.is_chosen);
        let known = UserTask {
            parent,
            name,
            is_chosen: is_asked_for || parent_is_chosen,
            has_ended: false,
        };
        self.user_tasks.insert(user_task, known);
        if task != TaskId(0) {
            self.carried.insert(task, user_task);
        }
    }

    /// Ends the innermost region of that name; an end without a begin ends nothing.
    fn end_region(&mut self, task: TaskId, user_task: UserTaskId, name: StringId) {
        let Some(regions) = self.regions.get_mut(&task) else {
            return;
        };
        let is_it = |open: &Region| (open.user_task, open.name) == (user_task, name);
        let depth = regions.iter().rev().take(DEPTH_MAX).position(is_it);
        if let Some(depth) = depth {
            regions.remove(regions.len() - 1 - depth);
        }
        if regions.is_empty() {
            self.regions.remove(&task);
        }
    }
}
