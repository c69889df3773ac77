//! Fills the timeline while a trace is read.

use std::mem;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use exectrace_analysis::{Analysis, Context, Interval, LifeId};
use exectrace_reader::{
    Event, EventType, Kind, Metric, Range, StackId, StringId, TaskId, ThreadId, Timestamp,
    UserTaskId, WorkerId,
};

use super::regions::{Region, RegionNote};
use super::{Group, SampleMark, Timeline};
use crate::track::{Drawn, Shade};

/// What a recording says of itself stands in logs of no user task with such keys.
const DESCRIPTION: &[u8] = b"exectrace.";

/// So many intervals are put into the timeline at once: whoever draws waits for no longer than that takes.
const INTERVALS_AT_ONCE: usize = 1_024;

/// Fills the timeline of a trace that others draw at the same time.
#[derive(Debug)]
pub(crate) struct Recording {
    timeline: Arc<RwLock<Timeline>>,
    /// Each with whether its task ended with it.
    intervals: Vec<(Interval, bool)>,
    /// Samples, values, and what the author of the program has annotated.
    events: Vec<Event>,
    /// Since when the collector is at work, and since when the world is stopped.
    collecting: Option<Timestamp>,
    stopped: Option<Timestamp>,
    ranges: Vec<(Range, Timestamp, Timestamp)>,
}

impl Recording {
    pub(crate) fn new(timeline: Arc<RwLock<Timeline>>) -> Self {
        Self {
            timeline,
            intervals: Vec::with_capacity(INTERVALS_AT_ONCE),
            events: Vec::new(),
            collecting: None,
            stopped: None,
            ranges: Vec::new(),
        }
    }

    /// Puts all that came into the timeline.
    fn flush(&mut self, context: &Context<'_>) {
        let timeline = Arc::clone(&self.timeline);
        let mut timeline = lock(&timeline);
        timeline.end_ns = since(context.end, context);
        timeline.add_tasks(context);
        let mut ended = Vec::new();
        for (interval, is_last) in self.intervals.drain(..) {
            timeline.add(&interval, context);
            if is_last {
                timeline.seal(interval.life);
                ended.push(interval.life);
            }
        }
        for event in mem::take(&mut self.events) {
            timeline.add_event(&event, context);
        }
        for LifeId(life) in ended {
            timeline.seal_regions(life, context);
        }
        for (range, from, to) in self.ranges.drain(..) {
            timeline.add_range(range, since(from, context), since(to, context));
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

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        match event.kind {
            Kind::Metric { .. }
            | Kind::Sample
            | Kind::UserTaskBegin { .. }
            | Kind::UserTaskEnd { .. }
            | Kind::UserRegionEnd { .. } => self.events.push(*event),
            // What is inferred at a region's end is not when it began.
            Kind::UserRegionBegin { .. } if event.event_type != EventType::Inferred => {
                self.events.push(*event);
            }
            Kind::UserLog { user_task, key, .. } => {
                let of_recording = context.tables.string(key).starts_with(DESCRIPTION);
                if user_task != UserTaskId(0) || !of_recording {
                    self.events.push(*event);
                }
            }
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
        let is_last = context.lives[interval.life].end().is_some();
        self.intervals.push((*interval, is_last));
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
        lock(&self.timeline).finish(context);
    }
}

/// Nobody leaves the timeline half changed but by a bug, and then what is there is better than nothing.
fn lock(timeline: &RwLock<Timeline>) -> RwLockWriteGuard<'_, Timeline> {
    timeline.write().unwrap_or_else(PoisonError::into_inner)
}

impl Timeline {
    /// Takes in the tasks that came since.
    fn add_tasks(&mut self, context: &Context<'_>) {
        for life in self.tasks.len() as u32..context.lives.len() as u32 {
            let told = &context.lives[LifeId(life)];
            self.lives.insert(told.task, life);
            self.tasks.add(told.task, told.is_created());
            self.find_group(life, told.function(context.tables), context);
        }
    }

    /// Puts a life into its group, if it is told what it runs.
    fn find_group(&mut self, life: u32, function: StringId, context: &Context<'_>) {
        if function != StringId(0) {
            self.join(life, function, context);
        }
    }

    /// Puts a life, with what is known of it, into the group of those that run a function.
    fn join(&mut self, life: u32, function: StringId, context: &Context<'_>) {
        let next = self.groups.len() as u32;
        let id = *self.group_ids.entry(function).or_insert(next);
        if id == next {
            let name = context.tables.text(function).into_owned();
            self.groups.push(Group::new(name));
        }
        let begin_ns = since(context.lives[LifeId(life)].begin, context);
        let group = &mut self.groups[id as usize];
        let place = group.members.add(life, begin_ns);
        self.tasks.set_group(life, id, place);
        for drawn in self.tasks.intervals(life).iter() {
            group.push(&drawn);
        }
        if self.tasks.get(life).is_some_and(|row| row.has_ended()) {
            self.end_member(life);
        }
    }

    fn add(&mut self, interval: &Interval, context: &Context<'_>) {
        let Some(shade) = Shade::of(interval.state) else {
            return;
        };
        let LifeId(life) = interval.life;
        let (begin, end) = (&interval.begin, &interval.end);
        let worker = match begin.worker {
            // What a task ran on is told by itself, too, when it stops.
            WorkerId::NONE => end.worker,
            worker => worker,
        };
        let drawn = Drawn {
            index: 0,
            begin_ns: since(begin.time, context),
            end_ns: since(end.time, context),
            shade,
            cause: life,
            other: 0,
        };
        if shade == Shade::Running && worker != WorkerId::NONE {
            self.workers.entry(worker.0).or_default().track.push(drawn);
        }
        let is_on_thread = matches!(shade, Shade::Running | Shade::Syscall);
        if is_on_thread && begin.thread != ThreadId::NONE {
            let row = self.threads.entry(begin.thread.0).or_default();
            row.track.push(drawn);
        }
        let (reason, stacks) = (interval.reason, (begin.stack, begin.writer_stack));
        let cause = self.causes.intern(reason, stacks, context.tables);
        let other = match shade {
            Shade::Running if worker != WorkerId::NONE => number(worker.0),
            Shade::Runnable if begin.writer != TaskId(0) => {
                self.life(begin.writer).map_or(0, |life| life + 1)
            }
            _ => 0,
        };
        self.add_to_task(
            life,
            Drawn {
                cause,
                other,
                ..drawn
            },
            context,
        );
    }

    /// Adds an interval to a life's row, and to its group.
    fn add_to_task(&mut self, life: u32, drawn: Drawn, context: &Context<'_>) {
        let Some(pushed) = self.tasks.push(life, drawn) else {
            return;
        };
        let function = || context.lives[LifeId(life)].function(context.tables);
        match self.tasks.get(life).and_then(|row| row.group()) {
            Some(group) => self.groups[group as usize].push(&pushed),
            None => self.find_group(life, function(), context),
        }
    }

    /// A life has ended with what was added last.
    fn seal(&mut self, LifeId(life): LifeId) {
        self.tasks.seal(life);
        self.end_member(life);
    }

    /// A life that has ended is found only where it was.
    fn end_member(&mut self, life: u32) {
        let row = self.tasks.get(life);
        if let Some((row, group)) = row.and_then(|row| Some((row, row.group()?))) {
            let members = &mut self.groups[group as usize].members;
            members.end(row.member(), row.end_ns);
        }
    }

    fn add_event(&mut self, event: &Event, context: &Context<'_>) {
        let at_ns = since(event.time, context);
        match event.kind {
            Kind::Sample => self.add_sample(event, context),
            Kind::Metric { metric, value } => match metric {
                Metric::HeapLive => self.heap.push(at_ns, value),
                Metric::HeapGoal => self.goal.push(at_ns, value),
                Metric::Workers => {}
            },
            Kind::UserTaskBegin {
                user_task,
                parent,
                name,
            } => {
                let begun = (event.task, parent, at_ns);
                self.user_tasks
                    .begin(user_task, name, begun, context.tables);
            }
            Kind::UserTaskEnd { user_task, begin } => {
                let name = begin.map_or(StringId(0), |begin| begin.name);
                self.user_tasks.end(user_task, name, at_ns, context.tables);
            }
            Kind::UserRegionBegin { user_task, name } => {
                if let Some(life) = self.life(event.task) {
                    let identity = (user_task, name);
                    self.regions.begin(life, identity, event.stack, at_ns);
                }
            }
            Kind::UserRegionEnd { user_task, name } => {
                if let Some(life) = self.life(event.task) {
                    let ended = self.regions.end(life, (user_task, name));
                    if let Some(region) = ended {
                        self.add_region(life, &region, (event.stack, at_ns), context);
                    }
                }
            }
            Kind::UserLog {
                user_task,
                key,
                message,
            } => {
                self.causes.keep_stack(event.stack, context.tables);
                let place = (at_ns, self.life(event.task));
                let texts = (key, message);
                self.logs
                    .add(event, place, user_task, texts, context.tables);
            }
            _ => {}
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

    /// Adds a region that has ended to its row.
    fn add_region(
        &mut self,
        life: u32,
        region: &Region,
        (end_stack, end_ns): (StackId, u64),
        context: &Context<'_>,
    ) {
        let (user_task, name) = region.identity;
        let stacks = (region.stack, end_stack);
        let cause = self.causes.intern(name, stacks, context.tables);
        let note = RegionNote {
            user_task: self.user_tasks.place(user_task),
            is_cut: region.is_cut,
        };
        let added = self.regions.add(life, region, (end_ns, cause, note));
        if let Some(drawn) = added {
            self.region_names.add(life, name, &drawn, context.tables);
        }
    }

    /// A life has ended: what regions it has open end with it, and none will come.
    fn seal_regions(&mut self, life: u32, context: &Context<'_>) {
        let row = self.tasks.get(life).filter(|row| row.has_ended());
        let end_ns = row.map_or(self.end_ns, |row| row.end_ns);
        for region in self.regions.leave(life) {
            self.add_region(life, &region, (StackId(0), end_ns), context);
        }
        self.regions.seal(life);
        self.region_names.leave(life, end_ns);
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
        let lives = (0..self.tasks.len() as u32).map(LifeId);
        for life in lives {
            if self
                .tasks
                .get(life.0)
                .is_some_and(|row| row.group().is_none())
            {
                self.join(
                    life.0,
                    context.lives[life].function(context.tables),
                    context,
                );
            }
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
        for life in self.regions.unsealed() {
            self.seal_regions(life, context);
        }
        self.region_names.finish();
        self.logs.finish();
        self.groups.iter_mut().for_each(Group::finish);
        self.user_tasks.finish(self.end_ns);
        self.samples.sort_by_key(|sample| sample.at_ns);
    }
}

/// A worker's number that may be none, in 32 bits.
fn number(worker: i64) -> u32 {
    u32::try_from(worker).map_or(0, |worker| worker.saturating_add(1))
}

/// Nanoseconds since the trace began.
fn since(time: Timestamp, context: &Context<'_>) -> u64 {
    time.since_ns(context.begin).max(0) as u64
}
