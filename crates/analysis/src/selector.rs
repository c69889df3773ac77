//! Keeps account of what a selection takes.

use std::collections::HashSet;

use exectrace_reader::{Event, TaskId};

use crate::carried_user_tasks::CarriedUserTasks;
use crate::functions::Functions;
use crate::stretch::{Stretch, StretchRecord, WorksFor};
use crate::{Context, Field, LifeId, Selection};

/// Says what a [`Selection`] takes, now.
///
/// What a task runs may be told after it did something: so groups are asked for only when all was taken, and until then a
/// [`Member`] stands for them.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    selection: Selection,
    /// Kept where somebody asks for user tasks.
    user_tasks: Option<CarriedUserTasks>,
    /// Whether the filter asks what tasks run.
    asks_about_functions: bool,
    /// What the filter cannot tell yet.
    undecided: Vec<Undecided>,
}

/// A stretch of a task of which it is not known what it runs.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    stretch: Stretch,
    works_for: WorksFor,
}

/// Who has to be taken; nobody where neither a group is asked for nor something is undecided, so that all have one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Member {
    Anybody,
    Life(LifeId),
    Task(TaskId),
    /// By its place.
    Undecided(usize),
}

/// Whom the selection takes in the end.
pub(crate) struct Members {
    lives: HashSet<LifeId>,
    tasks: HashSet<TaskId>,
    /// Of all that was undecided.
    decided: Vec<bool>,
}

impl Selector {
    pub(crate) fn new(selection: Selection) -> Self {
        let filter = &selection.filter;
        let asks_about_user_tasks =
            filter.asks_about(Field::UserTask) || filter.asks_about(Field::UserTaskName);
        let choice = selection.user_task.clone();
        let user_tasks =
            (choice.is_some() || asks_about_user_tasks).then(|| CarriedUserTasks::new(choice));
        Self {
            asks_about_functions: filter.asks_about(Field::TaskFunction),
            selection,
            user_tasks,
            undecided: Vec::new(),
        }
    }

    /// Takes note of an event, after it was asked about.
    pub(crate) fn event(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(user_tasks) = &mut self.user_tasks {
            user_tasks.event(event, context.tables);
        }
    }

    /// Who has to be taken so that what a task did until now is; `None` if it is not.
    pub(crate) fn takes(&mut self, stretch: &Stretch, context: &Context<'_>) -> Option<Member> {
        let (selection, user_tasks) = (&self.selection, self.user_tasks.as_ref());
        let task = stretch.task;
        let is_task = selection.task.is_none_or(|chosen| chosen == task);
        let is_of_user_task = selection.user_task.is_none()
            || user_tasks.is_some_and(|user_tasks| user_tasks.is_chosen(task));
        if !is_task || !is_of_user_task {
            return None;
        }
        if selection.filter.is_none() {
            return Some(self.member(stretch));
        }
        let works_for = user_tasks.map(|user_tasks| user_tasks.works_for(task));
        let works_for = works_for.unwrap_or_default();
        let record = StretchRecord {
            stretch,
            works_for,
            context,
        };
        if self.asks_about_functions && stretch.life.is_some() && record.function().is_none() {
            self.undecided.push(Undecided {
                stretch: *stretch,
                works_for,
            });
            return Some(Member::Undecided(self.undecided.len() - 1));
        }
        let is_taken = selection.filter.lets_through(&record);
        is_taken.then(|| self.member(stretch))
    }

    /// Who has to be of the group.
    fn member(&self, stretch: &Stretch) -> Member {
        match (&self.selection.group, stretch.life) {
            (None, _) => Member::Anybody,
            (Some(_), Some(life)) => Member::Life(life),
            (Some(_), None) => Member::Task(stretch.task),
        }
    }

    /// Whom the selection takes, now that all is known.
    pub(crate) fn members(&self, context: &Context<'_>) -> Members {
        let mut members = Members {
            lives: HashSet::new(),
            tasks: HashSet::new(),
            decided: Vec::new(),
        };
        if let Some(function) = &self.selection.group {
            let mut functions = Functions::default();
            for (id, life) in context.lives.iter() {
                if functions.of(life, context.tables) == *function {
                    members.lives.insert(id);
                    members.tasks.insert(life.task);
                }
            }
        }
        let undecided = self.undecided.iter().map(|it| {
            let record = StretchRecord {
                stretch: &it.stretch,
                works_for: it.works_for,
                context,
            };
            self.selection.filter.lets_through(&record) && members.has(self.member(&it.stretch))
        });
        members.decided = undecided.collect();
        members
    }
}

impl Members {
    pub(crate) fn has(&self, member: Member) -> bool {
        match member {
            Member::Anybody => true,
            Member::Life(life) => self.lives.contains(&life),
            Member::Task(task) => self.tasks.contains(&task),
            Member::Undecided(place) => self.decided[place],
        }
    }
}
