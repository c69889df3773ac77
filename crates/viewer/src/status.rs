//! How far a trace was read, and what is known of it as a whole.

use serde::Serialize;

use crate::gaps::Gap;

/// How far a trace was read, and whether it is whole.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Status {
    pub(crate) state: State,
    pub(crate) bytes_read: u64,
    pub(crate) bytes: u64,
    /// Grows with what there is to see.
    pub(crate) revision: u64,
    pub(crate) name: String,
    /// The files as arguments of a command.
    pub(crate) arguments: String,
    /// The older trace that it is compared with.
    pub(crate) other: Option<String>,
    /// The format, `v1` or `v2`, and the version that the header names.
    pub(crate) format: &'static str,
    pub(crate) header: String,
    /// Whether to call tasks goroutines.
    pub(crate) is_of_go: bool,
    /// What the wall clock showed at the first event, in nanoseconds since 1970, if the trace says it.
    pub(crate) wall_clock_ns: Option<i64>,
    pub(crate) end_ns: u64,
    pub(crate) events: u64,
    pub(crate) verdict: &'static str,
    /// What was lost, put right or inferred, a line each.
    pub(crate) trust: Vec<String>,
    /// When events are gone.
    pub(crate) gaps: Vec<Gap>,
    pub(crate) fault: Option<String>,
    pub(crate) samples: usize,
    pub(crate) logs: usize,
    /// What the trace's own clock showed at the first event.
    pub(crate) first_event_ns: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    #[default]
    Reading,
    Ready,
    /// Nothing could be read.
    Failed,
}
