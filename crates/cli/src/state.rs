//! States of tasks in words.

use exectrace_reader::State;

/// All words.
pub(crate) const WORDS: [&str; 5] = ["running", "runnable", "blocked", "syscall", "unknown"];

/// The word for a state.
pub(crate) fn word(state: State) -> &'static str {
    let [running, runnable, blocked, syscall, unknown] = WORDS;
    match state {
        State::Running => running,
        State::Runnable => runnable,
        State::Waiting | State::Idle => blocked,
        State::Syscall => syscall,
        State::Undetermined | State::NotExist => unknown,
    }
}

/// A state with its reason, if it has one.
pub(crate) fn with_reason(state: State, reason: &str) -> String {
    match reason {
        "" => word(state).to_owned(),
        reason => format!("{} ({})", word(state), crate::shown::name(reason)),
    }
}
