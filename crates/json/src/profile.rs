//! What `exectrace profile --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{ProfileFunction, ProfileReport, ProfileStack, ProfileType};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{About, FrameLine};

/// What the schema is called.
const SCHEMA: &str = "exectrace.profile";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct ProfileLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// What is counted.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ProfileType::ALL.map(ProfileType::name)))]
    profile_type: &'static str,
    /// How many stretches of time there are, or samples.
    count: u64,
    /// How long they are in all.
    ns: i64,
    /// How many of them began before what is looked at, or went on after it.
    open_count: u64,
    /// How much of the time is theirs.
    open_ns: i64,
    /// By function: the one with the most time of its own comes first.
    functions: Vec<FunctionLine<'a>>,
    /// By stack: the one with the most time comes first.
    stacks: Vec<StackLine<'a>>,
    /// Some functions or stacks are left out.
    truncated: bool,
    /// How many functions there are.
    total: usize,
    /// How many stacks there are.
    stacks_total: usize,
}

/// What was spent in a function.
#[derive(JsonSchema, Serialize)]
struct FunctionLine<'a> {
    /// The function, or an address where the trace has no names; empty for what has no stack.
    function: &'a str,
    /// How many stretches, or samples, there are where it is innermost.
    flat_count: u64,
    /// How long they are.
    flat_ns: i64,
    /// How many there are in it and in what it calls.
    cumulative_count: u64,
    /// How long they are.
    cumulative_ns: i64,
}

/// What was spent at a stack.
#[derive(JsonSchema, Serialize)]
struct StackLine<'a> {
    /// How many stretches of time there are, or samples.
    count: u64,
    /// How long they are in all.
    ns: i64,
    /// How many of them began before what is looked at, or went on after it.
    open_count: u64,
    /// How much of the time is theirs.
    open_ns: i64,
    /// What tasks waited for: `runnable` for a worker, `syscall` for a system call, else a reason in the trace's words; left out of
    /// CPU profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'a str>,
    /// Its frames, innermost first; none where no stack is told.
    stack: Vec<FrameLine<'a>>,
}

impl<'a> ProfileLine<'a> {
    /// How many functions, and how many stacks, are told unless said otherwise.
    pub const MOST: usize = 40;

    /// That of a report, with so many functions, and so many stacks, at most.
    #[must_use]
    pub fn of(report: &'a ProfileReport, about: &About<'a>, most: usize) -> Self {
        let functions = report.functions.iter().take(most);
        let stacks = report.stacks.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            profile_type: report.profile_type.name(),
            count: report.sums.count,
            ns: report.sums.ns,
            open_count: report.sums.open_count,
            open_ns: report.sums.open_ns,
            functions: functions.map(FunctionLine::of).collect(),
            stacks: stacks.map(|stack| StackLine::of(report, stack)).collect(),
            truncated: report.functions.len() > most || report.stacks.len() > most,
            total: report.functions.len(),
            stacks_total: report.stacks.len(),
        }
    }
}

impl<'a> FunctionLine<'a> {
    fn of(function: &'a ProfileFunction) -> Self {
        Self {
            function: &function.function,
            flat_count: function.flat.count,
            flat_ns: function.flat.ns,
            cumulative_count: function.cumulative.count,
            cumulative_ns: function.cumulative.ns,
        }
    }
}

impl<'a> StackLine<'a> {
    fn of(report: &'a ProfileReport, stack: &'a ProfileStack) -> Self {
        let is_cpu = report.profile_type == ProfileType::Cpu;
        Self {
            count: stack.sums.count,
            ns: stack.sums.ns,
            open_count: stack.sums.open_count,
            open_ns: stack.sums.open_ns,
            waits_for: (!is_cpu).then(|| stack.waits_for()),
            stack: report.frames_of(stack).map(FrameLine::named).collect(),
        }
    }
}
