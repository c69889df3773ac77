//! Values of options, as people write them: the command's flags and the viewer's addresses take the same.
//!
//! # Examples
//!
//! ```
//! use exectrace_json::values;
//! use exectrace_reader::TaskId;
//!
//! assert_eq!(values::task("task:7"), Ok(TaskId(7)));
//! assert_eq!(values::most("0"), Ok(usize::MAX));
//! ```

use std::num::ParseIntError;

use exectrace_analysis::{
    Filter, FilterError, Id, Measures, NoId, ProfileType, RecordKind, RecordKinds, SharedFilter,
    UserTaskChoice,
};
use exectrace_reader::{TaskId, WorkerId};

/// Longer filters are not shown again.
const FILTER_CHARS_MAX: usize = 120;

/// How many there are at most: 0 is all.
///
/// # Errors
///
/// When it is no number.
pub fn most(text: &str) -> Result<usize, ParseIntError> {
    let most = text.parse()?;
    Ok(if most == 0 { usize::MAX } else { most })
}

/// A task's id, with its word or without.
///
/// # Errors
///
/// When it is none; the words for it.
pub fn task(text: &str) -> Result<TaskId, String> {
    match (text.parse(), text.parse()) {
        (Ok(Id::Task(task)), _) => Ok(task),
        (_, Ok(number)) => Ok(TaskId(number)),
        _ => Err(String::from("must be as in task:7")),
    }
}

/// A worker's id, with its word or without.
///
/// # Errors
///
/// When it is none; the words for it.
pub fn worker(text: &str) -> Result<WorkerId, String> {
    match (text.parse(), text.parse()) {
        (Ok(Id::Worker(worker)), _) => Ok(worker),
        (_, Ok(number)) => Ok(WorkerId(number)),
        _ => Err(String::from("must be as in worker:2")),
    }
}

/// A user task's id, or a name.
///
/// # Errors
///
/// When it begins as an id and is none; the words for it.
pub fn user_task(text: &str) -> Result<UserTaskChoice, String> {
    match text.parse() {
        Ok(Id::UserTask(user_task)) => Ok(UserTaskChoice::Id(user_task)),
        _ if text.starts_with("user:") => Err(String::from("must be as in user:7")),
        _ => Ok(UserTaskChoice::Named(text.to_owned())),
    }
}

/// The id of a task or a user task.
///
/// # Errors
///
/// When it is none; the words for it.
pub fn subject(text: &str) -> Result<Id, String> {
    match text.parse() {
        Ok(Id::Worker(_)) => Err(String::from(
            "a worker is no task: ids are written task:7, user:7",
        )),
        Ok(id) => Ok(id),
        Err(NoId) => Err(NoId.to_string()),
    }
}

/// A type of profile, by its name.
///
/// # Errors
///
/// When there is none; the names that there are.
pub fn profile_type(text: &str) -> Result<ProfileType, String> {
    let mut all = ProfileType::ALL.into_iter();
    all.find(|it| it.name() == text).ok_or_else(|| {
        let names = ProfileType::ALL.map(ProfileType::name);
        format!("must be one of {}", names.join(", "))
    })
}

/// A filter.
///
/// # Errors
///
/// When it makes no sense; what is wrong, with the place under it.
pub fn filter(text: &str, kind: RecordKind) -> Result<Filter, String> {
    Filter::parse(text, kind).map_err(|error| with_place(error, text))
}

/// A filter for several kinds of records.
///
/// # Errors
///
/// When it makes no sense, or no kind has all of its fields; what is wrong, with the place under it.
pub fn shared_filter(text: &str, kinds: RecordKinds) -> Result<SharedFilter, String> {
    SharedFilter::parse(text, kinds).map_err(|error| with_place(error, text))
}

/// The same for two traces that are compared.
///
/// # Errors
///
/// Also when it asks for an id, since another trace has something else of that id.
pub fn filter_of_two(text: &str, kinds: RecordKinds) -> Result<SharedFilter, String> {
    let filter = shared_filter(text, kinds)?;
    match filter.id() {
        None => Ok(filter),
        Some(field) => Err(format!(
            "{} is an id, and those of one trace mean nothing in another; ask for names, such as task.function or user_task.name",
            field.name()
        )),
    }
}

/// What is compared of two traces, as filters ask it.
#[must_use]
pub fn compared_kinds() -> RecordKinds {
    let measured = Measures::KINDS.into_iter();
    measured.chain([RecordKind::Finding]).collect()
}

/// What is wrong, with the place under it.
fn with_place(error: FilterError, text: &str) -> String {
    // Of what fills more than a line the column alone says where.
    let is_long = text.chars().count() > FILTER_CHARS_MAX;
    if is_long || text.chars().any(char::is_control) {
        return error.to_string();
    }
    let blanks = " ".repeat(error.column() - 1);
    format!("{error}\n\n    {text}\n    {blanks}^")
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
        assert_eq!(worker("worker:2"), Ok(WorkerId(2)));
        assert_eq!(worker("2"), Ok(WorkerId(2)));
        assert!(worker("task:2").is_err() && worker("x").is_err());
        assert_eq!(user_task("user:7"), Ok(UserTaskChoice::Id(UserTaskId(7))));
        assert_eq!(user_task("7"), Ok(UserTaskChoice::Named(String::from("7"))));
        assert!(user_task("user:x").is_err());
        assert_eq!(subject("user:7"), Ok(Id::UserTask(UserTaskId(7))));
        assert!(subject("worker:7").is_err() && subject("7").is_err());
    }

    #[test]
    fn types_of_profiles_have_names() {
        assert_eq!(profile_type("offcpu"), Ok(ProfileType::OffCpu));
        let error = profile_type("off-cpu").expect_err("is none");
        assert!(error.contains("cpu, offcpu"), "{error}");
    }

    #[test]
    fn ids_mean_nothing_in_another_trace() {
        let kinds = compared_kinds();
        assert!(filter_of_two("begin > 5s && duration > 5ms", kinds).is_ok());
        for text in [
            "task == 7",
            "duration > 1s && user_task != user:7",
            "thread < 3",
        ] {
            let error = filter_of_two(text, kinds).expect_err("asks for an id");
            assert!(
                error.contains("is an id, and those of one trace"),
                "{error}"
            );
            assert!(shared_filter(text, kinds).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_filter_is_shown_where_there_is_room() {
        let error = |text: &str| filter(text, RecordKind::Task).expect_err("is wrong");
        let shown = error("task.function == \"é\" && duration > 5");
        let (error_line, lines) = shown.split_once("\n\n").expect("has more lines");
        assert!(error_line.starts_with("column 36: "), "{shown}");
        let (filter, mark) = lines.split_once('\n').expect("has a mark");
        let place = mark.chars().position(|it| it == '^').expect("is marked");
        assert_eq!(filter.chars().nth(place), Some('5'), "{shown}");
        assert!(!error("task\n== x").contains('^'));
        let error_of_two = filter_of_two("duration > 5", compared_kinds()).expect_err("is wrong");
        assert!(
            error_of_two.ends_with("\n               ^"),
            "{error_of_two}"
        );
        assert!(!error(&"!".repeat(200)).contains('^'));
    }
}
