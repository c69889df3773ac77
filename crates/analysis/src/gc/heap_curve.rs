//! The heap over time.

use exectrace_reader::Timestamp;

use crate::time_buckets::{Bucket, TimeBuckets};

/// The heap over time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heap {
    /// When the first point begins.
    pub begin: Timestamp,
    /// How long a point holds, in nanoseconds.
    pub point_ns: i64,
    /// At most 128.
    pub points: Vec<HeapPoint>,
    /// The most bytes of live heap.
    pub live_bytes_max: u64,
    /// The largest goal; 0 if none is told.
    pub goal_bytes_max: u64,
}

/// The heap in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeapPoint {
    /// The least bytes of live heap; `None` before the trace tells it.
    pub live_bytes_min: Option<u64>,
    /// The most.
    pub live_bytes_max: Option<u64>,
    /// The most bytes of heap at which the collector was meant to be done; `None` if that is not told.
    pub goal_bytes: Option<u64>,
}

impl Bucket for HeapPoint {
    fn merge(&mut self, later: Self) {
        self.add(later);
    }
}

impl HeapPoint {
    fn add(&mut self, other: Self) {
        let least = self.live_bytes_min.into_iter().chain(other.live_bytes_min);
        self.live_bytes_min = least.min();
        self.live_bytes_max = self.live_bytes_max.max(other.live_bytes_max);
        self.goal_bytes = self.goal_bytes.max(other.goal_bytes);
    }
}

/// Where the collector is off the goal is a number that no heap reaches.
const UNLIMITED: u64 = 1 << 62;

/// The curve, as it grows.
#[derive(Clone, Debug)]
pub(super) struct HeapCurve {
    begin: Timestamp,
    points: TimeBuckets<HeapPoint>,
    /// What was told last, and when.
    now: HeapPoint,
    since: Timestamp,
}

impl HeapCurve {
    /// One that begins with what was told before.
    pub(super) fn new(begin: Timestamp, live: Option<u64>, goal: Option<u64>) -> Self {
        let now = HeapPoint {
            live_bytes_min: live,
            live_bytes_max: live,
            goal_bytes: goal.filter(|&bytes| bytes < UNLIMITED),
        };
        Self {
            begin,
            points: TimeBuckets::new(begin),
            now,
            since: begin,
        }
    }

    pub(super) fn live(&mut self, time: Timestamp, bytes: u64) {
        self.hold(time);
        self.now.live_bytes_min = Some(bytes);
        self.now.live_bytes_max = Some(bytes);
        self.points.at(time).add(self.now);
    }

    pub(super) fn goal(&mut self, time: Timestamp, bytes: u64) {
        self.hold(time);
        self.now.goal_bytes = (bytes < UNLIMITED).then_some(bytes);
        self.points.at(time).add(self.now);
    }

    /// What was told last holds until now.
    fn hold(&mut self, time: Timestamp) {
        let now = self.now;
        self.points
            .spread(self.since, time, |point, _| point.add(now));
        self.since = time;
    }

    /// `None` if nothing was told.
    pub(super) fn report(mut self, end: Timestamp) -> Option<Heap> {
        self.hold(end);
        let points = self.points.buckets().to_vec();
        let live_bytes_max = points.iter().filter_map(|it| it.live_bytes_max).max();
        let goal_bytes_max = points.iter().filter_map(|it| it.goal_bytes).max();
        live_bytes_max.or(goal_bytes_max)?;
        Some(Heap {
            begin: self.begin,
            point_ns: self.points.width_ns(),
            points,
            live_bytes_max: live_bytes_max.unwrap_or_default(),
            goal_bytes_max: goal_bytes_max.unwrap_or_default(),
        })
    }
}
