//! Keeps account of which tasks a selection takes.

use std::collections::HashSet;

use exectrace_reader::{Event, TaskId};

use crate::carried_user_tasks::CarriedUserTasks;
use crate::functions::Functions;
use crate::{Context, LifeId, Selection};

/// Says which tasks a [`Selection`] takes, now.
///
/// What a task runs may be told after it did something: so groups are asked for only when all was taken, and until then a
/// [`GroupMember`] stands for them.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    selection: Selection,
    user_tasks: Option<CarriedUserTasks>,
}

/// Who has to be of the group; nobody where no group is asked for, so that all have one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GroupMember {
    Anybody,
    Life(LifeId),
    Task(TaskId),
}

/// The members of the group that is asked for.
pub(crate) struct Group {
    lives: HashSet<LifeId>,
    tasks: HashSet<TaskId>,
}

impl Selector {
    pub(crate) fn new(selection: Selection) -> Self {
        let user_tasks = selection.user_task.clone().map(CarriedUserTasks::new);
        Self {
            selection,
            user_tasks,
        }
    }

    /// Takes note of an event, after it was asked about.
    pub(crate) fn event(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(user_tasks) = &mut self.user_tasks {
            user_tasks.event(event, context.tables);
        }
    }

    /// Whether something that a task did until now is asked for, but for its group.
    pub(crate) fn takes(&self, task: TaskId) -> bool {
        let is_task = self.selection.task.is_none_or(|chosen| chosen == task);
        let user_tasks = self.user_tasks.as_ref();
        is_task && user_tasks.is_none_or(|user_tasks| user_tasks.is_chosen(task))
    }

    /// Who of a task's lives has to be of the group.
    pub(crate) fn member(&self, life: LifeId) -> GroupMember {
        match self.selection.group {
            None => GroupMember::Anybody,
            Some(_) => GroupMember::Life(life),
        }
    }

    /// The same where the life is not known.
    pub(crate) fn member_task(&self, task: TaskId) -> GroupMember {
        match self.selection.group {
            None => GroupMember::Anybody,
            Some(_) => GroupMember::Task(task),
        }
    }

    /// Who is of the group.
    pub(crate) fn group(&self, context: &Context<'_>) -> Group {
        let mut group = Group {
            lives: HashSet::new(),
            tasks: HashSet::new(),
        };
        if let Some(function) = &self.selection.group {
            let mut functions = Functions::default();
            for (id, life) in context.lives.iter() {
                if functions.of(life, context.tables) == *function {
                    group.lives.insert(id);
                    group.tasks.insert(life.task);
                }
            }
        }
        group
    }
}

impl Group {
    pub(crate) fn has(&self, member: GroupMember) -> bool {
        match member {
            GroupMember::Anybody => true,
            GroupMember::Life(life) => self.lives.contains(&life),
            GroupMember::Task(task) => self.tasks.contains(&task),
        }
    }
}
