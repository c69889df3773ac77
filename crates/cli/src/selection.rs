//! Which tasks a command looks at.

use exectrace_analysis::{Filter, RecordKind, Selection, UserTaskChoice};
use exectrace_json::values;
use exectrace_reader::TaskId;

/// Arguments of commands that can look at some tasks alone.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct SelectionArguments {
    /// Only tasks that run this function.
    #[arg(long, value_name = "FUNCTION")]
    group: Option<String>,
    /// Only this task, such as task:7.
    #[arg(long, value_name = "TASK", value_parser = values::task)]
    task: Option<TaskId>,
    /// Only what tasks did for this user task or its children: user:7, or a name for all of that name.
    #[arg(long, value_name = "USER_TASK", value_parser = values::user_task)]
    user_task: Option<UserTaskChoice>,
    /// Only stretches of time, or samples, such as 'user_task.name == "request" && duration > 50ms'.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Stretch))]
    filter: Option<Filter>,
}

impl SelectionArguments {
    /// The same for an analysis.
    pub(crate) fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.group.clone_from(&self.group);
        selection.task = self.task;
        selection.user_task.clone_from(&self.user_task);
        selection.filter = self.filter.clone().unwrap_or_default();
        selection
    }
}
