//! Which tasks a command looks at.

use exectrace_analysis::{Id, Selection, UserTaskChoice};
use exectrace_reader::TaskId;

/// Arguments of commands that can look at some tasks alone.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct SelectionArguments {
    /// Only tasks that run this function.
    #[arg(long, value_name = "FUNCTION")]
    group: Option<String>,
    /// Only this task, such as task:7.
    #[arg(long, value_name = "TASK", value_parser = task)]
    task: Option<TaskId>,
    /// Only what tasks did for this user task or its children: user:7, or a name for all of that name.
    #[arg(long, value_name = "USER_TASK", value_parser = user_task)]
    user_task: Option<UserTaskChoice>,
}

impl SelectionArguments {
    /// The same for an analysis.
    pub(crate) fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.group.clone_from(&self.group);
        selection.task = self.task;
        selection.user_task.clone_from(&self.user_task);
        selection
    }
}

/// A task's id, with its word or without.
fn task(text: &str) -> Result<TaskId, String> {
    match (text.parse(), text.parse()) {
        (Ok(Id::Task(task)), _) => Ok(task),
        (_, Ok(number)) => Ok(TaskId(number)),
        _ => Err(String::from("must be as in task:7")),
    }
}

/// A user task's id, or a name.
fn user_task(text: &str) -> Result<UserTaskChoice, String> {
    match text.parse() {
        Ok(Id::UserTask(user_task)) => Ok(UserTaskChoice::Id(user_task)),
        _ if text.starts_with("user:") => Err(String::from("must be as in user:7")),
        _ => Ok(UserTaskChoice::Named(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use exectrace_reader::UserTaskId;

    use super::*;

    #[test]
    fn ids_have_words_and_names_have_none() {
        assert_eq!(task("task:7"), Ok(TaskId(7)));
        assert_eq!(task("7"), Ok(TaskId(7)));
        assert!(task("user:7").is_err() && task("").is_err() && task("task:-1").is_err());
        assert_eq!(user_task("user:7"), Ok(UserTaskChoice::Id(UserTaskId(7))));
        assert_eq!(user_task("7"), Ok(UserTaskChoice::Named(String::from("7"))));
        assert!(user_task("user:x").is_err());
    }
}
