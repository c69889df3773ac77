//! The life of a task, as JSON has it.

use exectrace_analysis::{LifeInterval, STATE_WORDS, TaskLifeReport, TaskLifetime, state_word};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{About, FrameLine};

/// A life of the task.
#[derive(JsonSchema, Serialize)]
pub(crate) struct LifeLine<'a> {
    /// The function that it runs; empty if nothing tells it.
    function: &'a str,
    /// When it begins: with its creation, or with the trace or the window.
    begin_ns: i64,
    /// When it ends: with the task, or with the trace or the window.
    end_ns: i64,
    /// Who created it; null if that is not told.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    creator: Option<String>,
    /// Where it was created, innermost first; empty if that is not told.
    creator_stack: Vec<FrameLine<'a>>,
    /// What it did. One begins where the one before it ends.
    intervals: Vec<IntervalLine<'a>>,
}

/// A state of the task.
#[derive(JsonSchema, Serialize)]
struct IntervalLine<'a> {
    /// The state.
    #[schemars(extend("enum" = STATE_WORDS))]
    state: &'static str,
    /// Why the task is in it, in the trace's words; empty if that is not told.
    reason: &'a str,
    /// Since when.
    begin_ns: i64,
    /// Until when.
    end_ns: i64,
    /// Whether its begin is not known, or lies before the window.
    is_open_left: bool,
    /// Whether its end is not known, or lies behind the window.
    is_open_right: bool,
    /// The worker, of a task that runs or is in a system call; null if that is not told.
    #[schemars(regex(pattern = "^worker:[0-9]+$"))]
    worker: Option<String>,
    /// The thread, likewise; null in format v1.
    thread: Option<u64>,
    /// Where the task stopped, innermost first; empty if that is not told.
    stack: Vec<FrameLine<'a>>,
    /// Who woke it; null if it was not blocked, or nobody is told.
    #[schemars(regex(pattern = "^task:[0-9]+$"))]
    woken_by: Option<String>,
    /// Where that one was.
    waker_stack: Vec<FrameLine<'a>>,
}

impl<'a> LifeLine<'a> {
    /// That of a life, with at most so many states.
    pub(crate) fn of(
        lifetime: &'a TaskLifetime,
        report: &'a TaskLifeReport,
        about: &About<'_>,
        most: usize,
    ) -> Self {
        let intervals = lifetime.intervals.iter().take(most);
        Self {
            function: &lifetime.function,
            begin_ns: about.since_ns(lifetime.begin),
            end_ns: about.since_ns(lifetime.end),
            creator: lifetime.creator.map(|task| format!("task:{}", task.0)),
            creator_stack: frames(lifetime.creator_stack, report),
            intervals: intervals
                .map(|interval| IntervalLine::of(interval, report, about))
                .collect(),
        }
    }
}

impl<'a> IntervalLine<'a> {
    fn of(interval: &'a LifeInterval, report: &'a TaskLifeReport, about: &About<'_>) -> Self {
        Self {
            state: state_word(interval.state),
            reason: &interval.reason,
            begin_ns: about.since_ns(interval.begin),
            end_ns: about.since_ns(interval.end),
            is_open_left: interval.is_open_left,
            is_open_right: interval.is_open_right,
            worker: interval.worker.map(|worker| format!("worker:{}", worker.0)),
            thread: interval.thread.map(|thread| thread.0),
            stack: frames(interval.stack, report),
            woken_by: interval.woken_by.map(|task| format!("task:{}", task.0)),
            waker_stack: frames(interval.waker_stack, report),
        }
    }
}

fn frames(stack: Option<u32>, report: &TaskLifeReport) -> Vec<FrameLine<'_>> {
    let places = stack.map_or(&[][..], |stack| &report.stacks[stack as usize]);
    let frames = places.iter().map(|&place| &report.frames[place as usize]);
    frames.map(FrameLine::named).collect()
}
