//! A cycle of a collector.

use exectrace_reader::Timestamp;

/// A cycle of a garbage collector: its concurrent mark phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcCycle {
    /// When it began, or the trace.
    pub begin: Timestamp,
    /// When it ended, or what is looked at.
    pub end: Timestamp,
    /// It began before the trace.
    pub is_open_left: bool,
    /// It had not ended.
    pub is_open_right: bool,
    /// Bytes of live heap when it began, as last told.
    pub live_begin_bytes: Option<u64>,
    /// Bytes of live heap when it ended, as last told.
    pub live_end_bytes: Option<u64>,
    /// Bytes of heap at which it was meant to end, as told when it began.
    pub goal_bytes: Option<u64>,
    /// How long the world was stopped in it, in nanoseconds: by the stops in which it began and ended, too.
    pub stopped_ns: i64,
    /// How many assists ended in it.
    pub assists: u64,
    /// How long those took, in nanoseconds.
    pub assist_ns: i64,
}

impl GcCycle {
    pub(super) fn new(begin: Option<Timestamp>, live: Option<u64>, goal: Option<u64>) -> Self {
        Self {
            begin: begin.unwrap_or_default(),
            end: Timestamp::default(),
            is_open_left: begin.is_none(),
            is_open_right: false,
            live_begin_bytes: live,
            live_end_bytes: None,
            goal_bytes: goal,
            stopped_ns: 0,
            assists: 0,
            assist_ns: 0,
        }
    }

    pub(super) fn end(
        &mut self,
        time: Timestamp,
        is_open_right: bool,
        trace_begin: Timestamp,
        live: Option<u64>,
    ) {
        if self.is_open_left {
            self.begin = trace_begin;
        }
        self.end = time;
        self.is_open_right = is_open_right;
        self.live_end_bytes = live;
    }

    /// How long it took, or at least took.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }
}
