//! Fills the timeline while a trace is read.

use std::mem;
use std::sync::{Arc, PoisonError, RwLock};

use exectrace_analysis::{Analysis, Context, Interval, LifeId};
use exectrace_reader::{
    Event, Kind, Range, State, StringId, TaskId, ThreadId, Timestamp, WorkerId,
};

use super::{Group, SampleMark, TaskRow, ThreadRow, Timeline};
use crate::track::{Drawn, Shade, Track};

/// So many intervals are put into the timeline at once: whoever draws waits for no longer than that takes.
const INTERVALS_AT_ONCE: usize = 1_024;

/// Groups are added up anew once there are so many times as many intervals.
const GROWTH: usize = 2;

/// Fills the timeline of a trace that others draw at the same time.
#[derive(Debug)]
pub(crate) struct Recording {
    timeline: Arc<RwLock<Timeline>>,
    intervals: Vec<Interval>,
    samples: Vec<Event>,
    /// Since when the collector is at work, and since when the world is stopped.
    collecting: Option<Timestamp>,
    stopped: Option<Timestamp>,
    ranges: Vec<(Range, Timestamp, Timestamp)>,
    /// So many intervals were there, and when there were the groups were last added up.
    count: usize,
    settled: usize,
}

impl Recording {
    pub(crate) fn new(timeline: Arc<RwLock<Timeline>>) -> Self {
        Self {
            timeline,
            intervals: Vec::with_capacity(INTERVALS_AT_ONCE),
            samples: Vec::new(),
            collecting: None,
            stopped: None,
            ranges: Vec::new(),
            count: 0,
            settled: INTERVALS_AT_ONCE,
        }
    }

    /// Puts all that came into the timeline.
    fn flush(&mut self, context: &Context<'_>) {
        let timeline = Arc::clone(&self.timeline);
        // Nobody leaves it half changed but by a bug, and then what is there is better than nothing.
        let mut timeline = timeline.write().unwrap_or_else(PoisonError::into_inner);
        timeline.end_ns = since(context.end, context);
        timeline.add_tasks(context);
        self.count += self.intervals.len();
        for interval in self.intervals.drain(..) {
            timeline.add(&interval, context);
        }
        for sample in mem::take(&mut self.samples) {
            timeline.add_sample(&sample, context);
        }
        for (range, from, to) in self.ranges.drain(..) {
            timeline.add_range(range, since(from, context), since(to, context));
        }
        if self.count >= self.settled * GROWTH {
            self.settled = self.count;
            timeline.settle_groups();
        }
    }

    /// Since when a range is open.
    fn range(&mut self, range: Range) -> Option<&mut Option<Timestamp>> {
        match range {
            Range::Gc => Some(&mut self.collecting),
            Range::StopTheWorld => Some(&mut self.stopped),
            _ => None,
        }
    }
}

impl Analysis for Recording {
    type Report = ();

    fn event(&mut self, event: &Event, _: &Context<'_>) {
        match event.kind {
            Kind::Sample => self.samples.push(*event),
            Kind::RangeBegin { range, .. } | Kind::RangeActive { range, .. } => {
                if let Some(since) = self.range(range) {
                    since.get_or_insert(event.time);
                }
            }
            Kind::RangeEnd { range, .. } => {
                if let Some(since) = self.range(range).and_then(Option::take) {
                    self.ranges.push((range, since, event.time));
                }
            }
            _ => {}
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        self.intervals.push(*interval);
        if self.intervals.len() == INTERVALS_AT_ONCE {
            self.flush(context);
        }
    }

    fn report(mut self, context: &Context<'_>) {
        for range in [Range::Gc, Range::StopTheWorld] {
            if let Some(since) = self.range(range).and_then(Option::take) {
                self.ranges.push((range, since, context.end));
            }
        }
        self.flush(context);
        let mut timeline = self
            .timeline
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        timeline.finish(context);
    }
}

impl Timeline {
    /// Takes in the tasks that came since, and what is told now of those before.
    fn add_tasks(&mut self, context: &Context<'_>) {
        let known = self.tasks.len();
        for (LifeId(life), told) in context.lives.iter().skip(known) {
            let group = self.group(told.function(context.tables), context);
            self.lives.insert(told.task, life);
            self.tasks.push(TaskRow {
                id: told.task,
                group,
                track: Track::default(),
            });
        }
    }

    /// The group of tasks that run a function.
    fn group(&mut self, function: StringId, context: &Context<'_>) -> u32 {
        let next = self.groups.len() as u32;
        let id = *self.group_ids.entry(function).or_insert(next);
        if id == next {
            let name = context.tables.text(function).into_owned();
            self.groups.push(Group::new(name));
        }
        id
    }

    fn add(&mut self, interval: &Interval, context: &Context<'_>) {
        let Some(shade) = shade(interval.state) else {
            return;
        };
        let (begin, end) = (&interval.begin, &interval.end);
        let worker = match begin.worker {
            // What a task ran on is told by itself, too, when it stops.
            WorkerId::NONE => end.worker,
            worker => worker,
        };
        let cause = self.causes.intern(
            interval.reason,
            begin.stack,
            begin.writer_stack,
            context.tables,
        );
        let drawn = Drawn {
            index: 0,
            begin_ns: since(begin.time, context),
            end_ns: since(end.time, context),
            shade,
            cause,
            other: 0,
        };
        let is_running = shade == Shade::Running;
        let other = match shade {
            Shade::Running if worker != WorkerId::NONE => numbered(worker.0 as u64),
            Shade::Runnable if begin.writer != TaskId(0) => {
                self.life(begin.writer).map_or(0, |life| life + 1)
            }
            _ => 0,
        };
        if let Some(row) = self.tasks.get_mut(interval.life.0 as usize) {
            row.track.is_open_left |= interval.is_open_left && row.track.len() == 0;
            row.track.is_open_right |= interval.is_open_right;
            row.track.push(Drawn { other, ..drawn });
            row.track.settle();
        }
        let drawn = Drawn {
            cause: interval.life.0,
            ..drawn
        };
        if is_running && worker != WorkerId::NONE {
            self.workers.entry(worker.0).or_default().push(drawn);
        }
        if (is_running || shade == Shade::Syscall) && begin.thread != ThreadId::NONE {
            self.threads.entry(begin.thread.0).or_default().push(drawn);
        }
    }

    fn add_sample(&mut self, event: &Event, context: &Context<'_>) {
        self.causes.keep_stack(event.stack, context.tables);
        self.samples.push(SampleMark {
            at_ns: since(event.time, context),
            life: self.life(event.task),
            worker: event.worker.0,
            thread: event.thread.0,
            stack: event.stack,
        });
    }

    fn add_range(&mut self, range: Range, begin_ns: u64, end_ns: u64) {
        let track = match range {
            Range::Gc => &mut self.collecting,
            _ => &mut self.stopped,
        };
        track.push(Drawn {
            index: 0,
            begin_ns,
            end_ns,
            shade: Shade::Open,
            cause: 0,
            other: 0,
        });
    }

    /// All was read.
    fn finish(&mut self, context: &Context<'_>) {
        for (LifeId(life), told) in context.lives.iter() {
            let group = self.group(told.function(context.tables), context);
            self.tasks[life as usize].group = group;
        }
        for task in &mut self.tasks {
            task.track.finish();
        }
        for (&worker, row) in &mut self.workers {
            row.track.finish();
            if let Some(thread) = context.threads.of_worker(WorkerId(worker)) {
                row.name.clone_from(&thread.name);
            }
        }
        for thread in context.threads.iter() {
            if let Some(row) = self.threads.get_mut(&thread.thread) {
                row.name.clone_from(&thread.name);
            }
        }
        for row in self.threads.values_mut() {
            row.track.finish();
        }
        self.collecting.finish();
        self.stopped.finish();
        self.samples.sort_by_key(|sample| sample.at_ns);
        self.settle_groups();
    }
}

impl ThreadRow {
    fn push(&mut self, drawn: Drawn) {
        self.track.push(drawn);
        self.track.settle();
    }
}

/// A number that may be none, in 32 bits.
fn numbered(number: u64) -> u32 {
    u32::try_from(number + 1).unwrap_or(0)
}

/// Nanoseconds since the trace began.
fn since(time: Timestamp, context: &Context<'_>) -> u64 {
    time.since_ns(context.begin).max(0) as u64
}

fn shade(state: State) -> Option<Shade> {
    match state {
        State::Running => Some(Shade::Running),
        State::Runnable => Some(Shade::Runnable),
        State::Waiting => Some(Shade::Waiting),
        State::Syscall => Some(Shade::Syscall),
        State::Undetermined => Some(Shade::Undetermined),
        _ => None,
    }
}
