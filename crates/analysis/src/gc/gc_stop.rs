//! Stops of the world.

use std::collections::HashMap;

use exectrace_reader::{Event, StackId, StringId, Tables, TaskId, Timestamp, WorkerId};

use crate::Distribution;

/// A stop of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcStop {
    /// When it began, or the trace.
    pub begin: Timestamp,
    /// When it ended, or what is looked at.
    pub end: Timestamp,
    /// It began before the trace.
    pub is_open_left: bool,
    /// It had not ended.
    pub is_open_right: bool,
    /// Why, in the trace's words.
    pub reason: String,
    /// The task that stopped it; 0 for none.
    pub task: TaskId,
    /// The function that did; empty if that is not told.
    pub function: String,
}

/// Stops of the world for one reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GcStopReason {
    /// Why, in the trace's words.
    pub reason: String,
    /// How long they took, in nanoseconds; open ones at least.
    pub stops: Distribution,
}

/// A stop, as it is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped {
    pub(super) begin: Timestamp,
    pub(super) end: Timestamp,
    pub(super) is_open_left: bool,
    pub(super) is_open_right: bool,
    pub(super) reason: StringId,
    pub(super) task: TaskId,
    pub(super) worker: WorkerId,
    stack: StackId,
}

impl Stopped {
    pub(super) fn new(event: &Event, begin: Option<Timestamp>, reason: StringId) -> Self {
        Self {
            begin: begin.unwrap_or_default(),
            end: Timestamp::default(),
            is_open_left: begin.is_none(),
            is_open_right: false,
            reason,
            task: event.task,
            worker: event.worker,
            stack: event.stack,
        }
    }

    pub(super) fn end(&mut self, time: Timestamp, is_open_right: bool, trace_begin: Timestamp) {
        if self.is_open_left {
            self.begin = trace_begin;
        }
        self.end = time;
        self.is_open_right = is_open_right;
    }

    pub(super) fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }

    /// The function that stopped it; 0 if that is not told.
    pub(super) fn function(&self, tables: &Tables<'_>) -> StringId {
        let frame = tables.frames(self.stack).next();
        frame.map_or(StringId(0), |frame| frame.function)
    }

    pub(super) fn told(&self, tables: &Tables<'_>) -> GcStop {
        GcStop {
            begin: self.begin,
            end: self.end,
            is_open_left: self.is_open_left,
            is_open_right: self.is_open_right,
            reason: tables.text(self.reason).into_owned(),
            task: self.task,
            function: tables.text(self.function(tables)).into_owned(),
        }
    }
}

impl GcStop {
    /// How long it took, or at least took.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }
}

impl GcStopReason {
    pub(super) fn all(stops: &[Stopped], tables: &Tables<'_>) -> Vec<Self> {
        let mut by_reason: HashMap<StringId, Vec<i64>> = HashMap::new();
        for stop in stops {
            by_reason.entry(stop.reason).or_default().push(stop.ns());
        }
        let by_reason = by_reason.into_iter();
        let mut reasons: Vec<_> = by_reason
            .filter_map(|(reason, ns)| {
                let reason = tables.text(reason).into_owned();
                let stops = Distribution::of(ns)?;
                Some(Self { reason, stops })
            })
            .collect();
        reasons.sort_by(|a, b| {
            let by_sum = b.stops.sum.cmp(&a.stops.sum);
            by_sum.then_with(|| a.reason.cmp(&b.reason))
        });
        reasons
    }
}
