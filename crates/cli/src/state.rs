//! States of tasks, as tables show them.

use exectrace_analysis::state_word;
use exectrace_reader::State;

use crate::shown;

/// A state with its reason, if it has one.
pub(crate) fn with_reason(state: State, reason: &str) -> String {
    match reason {
        "" => state_word(state).to_owned(),
        reason => format!("{} ({})", state_word(state), shown::name(reason)),
    }
}
