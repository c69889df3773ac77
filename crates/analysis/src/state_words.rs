//! States of tasks in words.

use exectrace_reader::State;

/// All words.
pub const STATE_WORDS: [&str; 5] = ["running", "runnable", "blocked", "syscall", "unknown"];

/// The word for a state of a task: `running`, `runnable`, `blocked`, `syscall` or `unknown`.
///
/// # Examples
///
/// ```
/// use exectrace_reader::State;
///
/// assert_eq!(exectrace_analysis::state_word(State::Waiting), "blocked");
/// ```
#[must_use]
pub fn state_word(state: State) -> &'static str {
    let [running, runnable, blocked, syscall, unknown] = STATE_WORDS;
    match state {
        State::Running => running,
        State::Runnable => runnable,
        State::Waiting | State::Idle => blocked,
        State::Syscall => syscall,
        State::Undetermined | State::NotExist => unknown,
    }
}
