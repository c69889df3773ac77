//! What a line of `exectrace events --json` is: a head, or an event.

use exectrace_format::role::State;
use exectrace_json::FrameLine;
use exectrace_reader::{Kind, Timestamp};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// What the schema is called.
const SCHEMA: &str = "exectrace.events";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// The states of tasks and workers.
const STATES: [&str; 7] = [
    State::Undetermined.name(),
    State::NotExist.name(),
    State::Runnable.name(),
    State::Running.name(),
    State::Waiting.name(),
    State::Syscall.name(),
    State::Idle.name(),
];

/// A line: the head first, and then the events.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(
    dead_code,
    reason = "a description: events are printed field by field, without a struct in between"
)]
pub(crate) enum Line<'a> {
    Head(Head<'a>),
    Event(Box<EventLine<'a>>),
}

/// The first line.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Head<'a> {
    /// What the lines are.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// `v1` or `v2`; left out where there are several traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    /// The version in the header, such as `1.19`; left out where there are several traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    /// Where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    traces: Vec<TraceHead<'a>>,
    /// The `time_ns` of the first event of all, whether it is printed or not, since which all other commands count; left out where
    /// there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_event_ns: Option<i64>,
}

/// One of several traces.
#[derive(JsonSchema, Serialize)]
pub(crate) struct TraceHead<'a> {
    /// The name, as on the command line.
    pub(super) file: &'a str,
    /// `v1` or `v2`.
    pub(super) format: &'static str,
    /// The version in the header, such as `1.19`.
    pub(super) header: String,
}

impl<'a> Head<'a> {
    /// That of one trace, or of several, with the time of the first event.
    pub(super) fn of(mut traces: Vec<TraceHead<'a>>, first: Option<Timestamp>) -> Self {
        let alone = (traces.len() == 1).then(|| traces.remove(0));
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            format: alone.as_ref().map(|trace| trace.format),
            header: alone.map(|trace| trace.header),
            traces,
            first_event_ns: first.map(|first| first.0),
        }
    }
}

/// An event. What it does not have is left out.
#[derive(JsonSchema)]
#[schemars(transform = require_what_all_have)]
#[expect(
    dead_code,
    reason = "a description: events are printed field by field, without a struct in between"
)]
pub(crate) struct EventLine<'a> {
    /// Nanoseconds: in v1 since the first event, in v2 of the machine's monotonic clock; of several traces since 1970, of the wall
    /// clock.
    time_ns: i64,
    /// Go's name of the event in the trace's version; `Inferred` for one that is not in the file.
    r#type: &'static str,
    /// The place of its trace among several, from 0.
    trace: u64,
    /// The worker that the thread had just before the event.
    worker: i64,
    /// The thread.
    thread: u64,
    /// The task that the thread ran just before the event.
    task: u64,
    /// What happened.
    #[schemars(extend("enum" = Kind::NAMES))]
    kind: &'static str,
    /// The task that changes its state, or has the range.
    subject_task: u64,
    /// The worker that changes its state, or has the range.
    subject_worker: i64,
    /// The state until now.
    #[schemars(extend("enum" = STATES))]
    from: &'static str,
    /// The state from now on.
    #[schemars(extend("enum" = STATES))]
    to: &'static str,
    /// Why the task stops, or the world.
    reason: &'a str,
    /// Which range, in Go's words.
    range: &'static str,
    /// What was swept.
    swept_bytes: u64,
    /// What of it was got back.
    reclaimed_bytes: u64,
    /// Which value was measured, in Go's words.
    metric: &'static str,
    /// The value.
    value: u64,
    /// The label that the task gets.
    label: &'a str,
    /// The user task; 0 for none.
    user_task: u64,
    /// The user task's parent.
    parent: u64,
    /// The name of the user task or user region.
    name: &'a str,
    /// The key of what the program logs.
    key: &'a str,
    /// What the program logs.
    message: &'a str,
    /// An argument of an experiment, as it stands in the file.
    arg0: u64,
    /// The next one.
    arg1: u64,
    /// The last one.
    arg2: u64,
    /// The stack of who wrote the event, innermost first.
    stack: Vec<FrameLine<'a>>,
    /// The task's own stack, where it is another: where it stops, or what a new one runs.
    subject_stack: Vec<FrameLine<'a>>,
}

fn require_what_all_have(schema: &mut Schema) {
    schema.insert(
        String::from("required"),
        ["time_ns", "type", "kind"].as_slice().into(),
    );
}
