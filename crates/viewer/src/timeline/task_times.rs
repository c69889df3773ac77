//! How long tasks were in each state, from their rows: what a pass over the trace would tell, without one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use exectrace_analysis::{
    GroupTimes, LifeId, LifeTimes, MarkingLookup, MarkingTimes, StateTimes, TaskTime,
    TaskTimesReport, Window,
};
use exectrace_reader::{StringId, Timestamp};

use super::Timeline;
use super::task_rows::TaskRow;
use crate::track::Intervals;

/// What is known once all was read.
#[derive(Debug)]
pub(super) struct Whole {
    /// When the trace begins.
    pub(super) begin: Timestamp,
    pub(super) marking: MarkingTimes,
}

/// A task's row, as far as it is looked at.
struct Part<'a> {
    row: &'a TaskRow,
    intervals: Intervals<'a>,
    begin: Timestamp,
    end: Timestamp,
    /// Its begin and its end are those of the row.
    is_from_begin: bool,
    is_until_end: bool,
}

impl Timeline {
    /// How long tasks were in each state in a window, in times since the trace began. Of those that run a function, if one is given, so many
    /// are told one by one, and no other group is. `None` until all was read, and where rows do not tell it just as a pass over the trace
    /// does.
    pub(crate) fn task_times(
        &self,
        window: Window,
        listed: Option<(&str, usize)>,
    ) -> Option<TaskTimesReport> {
        let is_exact = !self.is_inexact && self.tasks.len() > 0;
        let whole = self.whole.as_ref().filter(|_| is_exact)?;
        let (mut total, mut tasks, mut groups) = (0, Vec::new(), Vec::new());
        // A group after the other: for each of its tasks as many bytes are kept meanwhile as a row takes.
        for (function, mut lives) in self.lives_by_function() {
            if !lives
                .iter()
                .all(|&life| self.tasks.intervals(life).len() > 0)
            {
                return None;
            }
            let most = match listed {
                Some((name, _)) if name != function => {
                    lives.retain(|&life| self.part(life, window).is_some());
                    total += lives.len();
                    continue;
                }
                Some((_, most)) => most,
                None => 0,
            };
            let (times, gc_ns) = self.add_up(&mut lives, window, whole);
            total += lives.len();
            let all: Vec<_> = (0..lives.len() as u32).map(LifeId).collect();
            let text = |reason| self.text(reason);
            groups.extend(GroupTimes::of(
                function.to_owned(),
                (&times, &all),
                gc_ns,
                text,
            ));
            if most > 0 {
                let longest = times.longest(all, most).into_iter();
                tasks.extend(longest.filter_map(|place| {
                    let part = self.part(lives[place.0 as usize], window)?;
                    let states = StateTimes::of(&times, place, text);
                    Some(part.told(function, states, whole))
                }));
            }
        }
        Some(TaskTimesReport::new(total, tasks, groups))
    }

    /// The lives of tasks by the function that these run, in the order of their first events. Where ids of strings differ several groups
    /// have the same name.
    fn lives_by_function(&self) -> BTreeMap<&str, Vec<u32>> {
        let mut by_name: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for group in &self.groups {
            let lives = by_name.entry(&group.name).or_default();
            lives.extend(group.members.all());
        }
        by_name.values_mut().for_each(|lives| lives.sort_unstable());
        by_name
    }

    /// What of a life is in a window, if anything is.
    fn part(&self, life: u32, window: Window) -> Option<Part<'_>> {
        let (row, intervals) = (self.tasks.get(life)?, self.tasks.intervals(life));
        let row_begin = time(intervals.iter().next()?.begin_ns);
        let row_end = time(row.end_ns);
        let (begin, end) = window.clip(row_begin, row_end)?;
        Some(Part {
            row,
            intervals,
            begin,
            end,
            is_from_begin: begin == row_begin,
            is_until_end: end == row_end,
        })
    }

    /// The times of lives in a window, and how long a collector marked while they were there. Only those of them that are in it are left,
    /// and numbered one after another.
    fn add_up(&self, lives: &mut Vec<u32>, window: Window, whole: &Whole) -> (LifeTimes, i64) {
        let (mut times, mut gc_ns) = (LifeTimes::default(), 0_i64);
        times.until(lives.len());
        let mut places = (0..).map(LifeId);
        let mut marking = whole.marking.lookup();
        lives.retain(|&life| {
            let part = self.part(life, window);
            let Some((part, place)) = part.and_then(|part| Some((part, places.next()?))) else {
                return false;
            };
            gc_ns = gc_ns.saturating_add(part.gc_ns(whole.begin, &mut marking));
            for drawn in part.intervals.iter() {
                if let Some((from, to)) = window.clip(time(drawn.begin_ns), time(drawn.end_ns)) {
                    let (state, reason) = (drawn.shade.state(), self.causes.reason_id(drawn.cause));
                    times.add(place, state, reason, to.since_ns(from));
                }
            }
            true
        });
        (times, gc_ns)
    }

    fn text(&self, reason: StringId) -> Cow<'_, str> {
        Cow::Borrowed(self.causes.reason_text(reason))
    }
}

impl Part<'_> {
    fn told(&self, function: &str, times: StateTimes, whole: &Whole) -> TaskTime {
        let is_created = self.is_from_begin && self.row.is_created();
        let has_ended = self.is_until_end && self.row.has_ended();
        TaskTime::new(
            (self.row.id, function.to_owned()),
            (self.begin, self.end),
            (is_created, has_ended),
            times,
            self.gc_ns(whole.begin, &mut whole.marking.lookup()),
        )
    }

    /// How long a collector marked meanwhile.
    fn gc_ns(&self, trace_begin: Timestamp, marking: &mut MarkingLookup<'_>) -> i64 {
        let in_trace = |time: Timestamp| Timestamp(trace_begin.0.saturating_add(time.0));
        marking.between(in_trace(self.begin), in_trace(self.end))
    }
}

/// A time since the trace began.
fn time(ns: u64) -> Timestamp {
    Timestamp(ns as i64)
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use exectrace_testkit::Corpus;

    use super::*;
    use crate::reading::read;
    use crate::subject::Subject;

    #[test]
    fn rows_that_are_not_what_was_told_tell_nothing() {
        let traces = Corpus::shipped().traces();
        let trace = traces.first().expect("there are some");
        let subject = Subject::of_bytes(trace.bytes());
        assert!(subject.timeline().task_times(Window::WHOLE, None).is_none());
        read(&subject);
        assert!(subject.timeline().task_times(Window::WHOLE, None).is_some());
        let timeline = subject.timeline.write();
        timeline.unwrap_or_else(PoisonError::into_inner).is_inexact = true;
        assert!(subject.timeline().task_times(Window::WHOLE, None).is_none());
    }
}
