//! The worst of many.

use exectrace_reader::{StackId, TaskId, Timestamp};

use super::Evidence;
use super::place;
use crate::{Context, Interval};

/// How many are kept.
const KEPT: usize = 5;

/// The intervals of a place that cost most, the worst first; of those that cost the same the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst {
    kept: Vec<Case>,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    lost_ns: i64,
    task: TaskId,
    from: Timestamp,
    to: Timestamp,
    stack: StackId,
}

impl Worst {
    /// An interval, what it cost, and a stack that shows what it is about.
    pub(super) fn add(&mut self, lost_ns: i64, interval: &Interval, stack: StackId) {
        let (from, to) = (interval.begin.time, interval.end.time);
        self.add_case(lost_ns, interval.task, (from, to), stack);
    }

    /// A stretch of a task.
    pub(super) fn add_case(
        &mut self,
        lost_ns: i64,
        task: TaskId,
        (from, to): (Timestamp, Timestamp),
        stack: StackId,
    ) {
        let place = self.kept.partition_point(|kept| kept.lost_ns >= lost_ns);
        if place < KEPT {
            self.kept.truncate(KEPT - 1);
            let case = Case {
                lost_ns,
                task,
                from,
                to,
                stack,
            };
            self.kept.insert(place, case);
        }
    }

    /// Joins two.
    pub(super) fn merge(&mut self, other: &Self) {
        for case in &other.kept {
            self.add_case(case.lost_ns, case.task, (case.from, case.to), case.stack);
        }
    }

    /// As it is told.
    pub(super) fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        let evidence = self.kept.iter().map(|case| Evidence {
            task: case.task,
            from: case.from,
            to: case.to,
            stack: place::from_own(case.stack, context.tables),
        });
        evidence.collect()
    }
}
