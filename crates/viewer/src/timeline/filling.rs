//! Fills the timeline, on a thread of its own: so reading and filling take a processor each.

use std::sync::mpsc::Receiver;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use exectrace_analysis::{Interval, LifeId};
use exectrace_reader::{
    Event, Kind, Metric, Range, StackId, State, StringId, TaskId, ThreadId, Timestamp, WorkerId,
};

use super::lot::{Last, LifeFunction, Lot, Names};
use super::regions::{Region, RegionNote};
use super::task_times::Whole;
use super::{Group, SampleMark, Timeline};
use crate::track::{Drawn, Shade};

/// Puts lots into the timeline of a trace that others draw at the same time, until none will come.
pub(super) fn fill(timeline: &RwLock<Timeline>, lots: &Receiver<Lot>) {
    let mut filling = Filling::default();
    for lot in lots {
        lock(timeline).take(lot, &mut filling);
    }
}

/// What is known beside the timeline.
#[derive(Debug, Default)]
struct Filling {
    names: Names,
    /// When the trace begins.
    begin: Timestamp,
}

impl Filling {
    /// Nanoseconds since the trace began.
    fn since(&self, time: Timestamp) -> u64 {
        time.since_ns(self.begin).max(0) as u64
    }
}

/// Nobody leaves the timeline half changed but by a bug, and then what is there is better than nothing.
fn lock(timeline: &RwLock<Timeline>) -> RwLockWriteGuard<'_, Timeline> {
    timeline.write().unwrap_or_else(PoisonError::into_inner)
}

impl Timeline {
    /// Takes in what came.
    fn take(&mut self, lot: Lot, filling: &mut Filling) {
        filling.begin = lot.begin;
        filling.names.add(lot.texts);
        self.end_ns = filling.since(lot.end);
        for (stack, frames) in lot.stacks {
            self.causes.keep_stack(stack, frames);
        }
        for (task, is_created) in lot.lives {
            self.lives.insert(task, self.tasks.len() as u32);
            self.tasks.add(task, is_created);
        }
        for function in lot.functions {
            self.join(&function, filling);
        }
        let mut ended = Vec::new();
        for (interval, is_last) in lot.intervals {
            self.add(&interval, filling);
            if is_last {
                self.seal(interval.life);
                ended.push(interval.life);
            }
        }
        let mut messages = lot.messages.into_iter();
        for event in lot.events {
            self.add_event(&event, &mut messages, filling);
        }
        for LifeId(life) in ended {
            self.seal_regions(life, filling);
        }
        for (range, from, to) in lot.ranges {
            self.add_range(range, filling.since(from), filling.since(to));
        }
        for life in lot.older {
            self.tasks.set_older(life);
        }
        if let Some(last) = lot.last {
            self.finish(last, filling);
        }
    }

    /// Puts a life, with what is known of it, into the group of those that run a function.
    fn join(
        &mut self,
        &LifeFunction {
            life,
            function,
            begin,
        }: &LifeFunction,
        filling: &Filling,
    ) {
        let next = self.groups.len() as u32;
        let id = *self.group_ids.entry(function).or_insert(next);
        if id == next {
            self.groups
                .push(Group::new(filling.names.text(function).to_owned()));
        }
        let group = &mut self.groups[id as usize];
        let place = group.members.add(life, filling.since(begin));
        self.tasks.set_group(life, id, place);
        for drawn in self.tasks.intervals(life).iter() {
            group.push(&drawn);
        }
        if self.tasks.get(life).is_some_and(|row| row.has_ended()) {
            self.end_member(life);
        }
    }

    fn add(&mut self, interval: &Interval, filling: &Filling) {
        let Some(shade) = Shade::of(interval.state) else {
            self.is_inexact |= interval.state != State::NotExist || interval.ns() != 0;
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
            begin_ns: filling.since(begin.time),
            end_ns: filling.since(end.time),
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
        let cause = self.causes.intern(reason, stacks, &filling.names);
        let other = match shade {
            Shade::Running if worker != WorkerId::NONE => number(worker.0),
            Shade::Runnable if begin.writer != TaskId(0) => {
                self.life(begin.writer).map_or(0, |life| life + 1)
            }
            _ => 0,
        };
        let drawn = Drawn {
            cause,
            other,
            ..drawn
        };
        let is_told = self.add_to_task(life, drawn) == Some(interval.ns());
        self.is_inexact |= !is_told || begin.time < filling.begin;
    }

    /// Adds an interval to a life's row, and to its group, if that is known; tells how long it is there.
    fn add_to_task(&mut self, life: u32, drawn: Drawn) -> Option<i64> {
        let pushed = self.tasks.push(life, drawn)?;
        if let Some(group) = self.tasks.get(life).and_then(|row| row.group()) {
            self.groups[group as usize].push(&pushed);
        }
        (pushed.begin_ns == drawn.begin_ns).then_some(pushed.ns() as i64)
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

    fn add_event(
        &mut self,
        event: &Event,
        messages: &mut impl Iterator<Item = String>,
        filling: &Filling,
    ) {
        let at_ns = filling.since(event.time);
        match event.kind {
            Kind::Sample => self.add_sample(event, at_ns),
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
                    .begin(user_task, name, begun, &filling.names);
            }
            Kind::UserTaskEnd { user_task, begin } => {
                let name = begin.map_or(StringId(0), |begin| begin.name);
                self.user_tasks.end(user_task, name, at_ns, &filling.names);
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
                        self.add_region(life, &region, (event.stack, at_ns), filling);
                    }
                }
            }
            Kind::UserLog { user_task, key, .. } => {
                let place = (at_ns, self.life(event.task));
                let texts = (key, messages.next().unwrap_or_default());
                self.logs
                    .add(event, place, user_task, texts, &filling.names);
            }
            _ => {}
        }
    }

    fn add_sample(&mut self, event: &Event, at_ns: u64) {
        self.samples.push(SampleMark {
            at_ns,
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
        filling: &Filling,
    ) {
        let (user_task, name) = region.identity;
        let stacks = (region.stack, end_stack);
        let cause = self.causes.intern(name, stacks, &filling.names);
        let note = RegionNote {
            user_task: self.user_tasks.place(user_task),
            is_cut: region.is_cut,
        };
        let added = self.regions.add(life, region, (end_ns, cause, note));
        if let Some(drawn) = added {
            self.region_names.add(life, name, &drawn, &filling.names);
        }
    }

    /// A life has ended: what regions it has open end with it, and none will come.
    fn seal_regions(&mut self, life: u32, filling: &Filling) {
        let row = self.tasks.get(life).filter(|row| row.has_ended());
        let end_ns = row.map_or(self.end_ns, |row| row.end_ns);
        for region in self.regions.leave(life) {
            self.add_region(life, &region, (StackId(0), end_ns), filling);
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
    fn finish(&mut self, Last { threads, marking }: Last, filling: &Filling) {
        self.whole = Some(Whole {
            begin: filling.begin,
            marking,
        });
        for (&worker, row) in &mut self.workers {
            row.track.finish();
            if let Some(name) = threads.of_worker.get(&worker) {
                row.name.clone_from(name);
            }
        }
        for (thread, row) in &mut self.threads {
            if let Some(name) = threads.of_thread.get(thread) {
                row.name.clone_from(name);
            }
        }
        for row in self.threads.values_mut() {
            row.track.finish();
        }
        for life in self.regions.unsealed() {
            self.seal_regions(life, filling);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_is_not_kept_as_it_was_told_is_noticed() {
        let mut timeline = Timeline::default();
        timeline.tasks.add(TaskId(7), true);
        let mut push = |begin_ns, end_ns| {
            let drawn = Drawn {
                index: 0,
                begin_ns,
                end_ns,
                shade: Shade::Running,
                cause: 0,
                other: 0,
            };
            timeline.add_to_task(0, drawn)
        };
        assert_eq!(push(5, 20), Some(15));
        assert_eq!(push(20, 20), Some(0));
        // It begins before the last has ended, and is cut.
        assert_eq!(push(10, 30), None);
        assert_eq!(push(30, 31), Some(1));
    }
}
