//! How long each task ran, waited for a worker, was blocked by what, and sat in system calls.
//!
//! At each moment of its life a task is in one state, so that the times of its states add up to its life. A life begins with the
//! task's creation; of one that was there before the trace, with the trace. It ends with the task, or with the trace. Of a
//! window only what is in it counts.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{Event, StringId, TaskId, Timestamp};

use crate::functions::Functions;
use crate::life_times::{LifeTimes, grow};
use crate::lives::{Life, LifeId};
use crate::marking_times::MarkingTimes;
use crate::task_record::TaskRecord;
use crate::{Analysis, Context, Distribution, Filter, Interval};

/// Adds up the times of tasks, and of groups of tasks that run the same function.
#[derive(Clone, Debug, Default)]
pub struct TaskTimes {
    times: LifeTimes,
    marking: MarkingTimes,
    filter: Filter,
    listed: Listed,
}

/// Which tasks are told one by one.
#[derive(Clone, Debug, Default)]
enum Listed {
    #[default]
    All,
    /// So many that run this function, if there is one.
    Of(Option<String>, usize),
}

/// What tasks did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskTimesReport {
    /// How many tasks there are.
    pub total: usize,
    /// Each task, in the order of their first events, unless [`TaskTimes::listing`] says otherwise. An id that was used twice stands
    /// here twice.
    pub tasks: Vec<TaskTime>,
    /// Tasks by the function that they run: those that lived longest in all come first.
    pub groups: Vec<GroupTimes>,
}

/// What a task did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskTime {
    /// The task.
    pub id: TaskId,
    /// The function that it runs; empty if nothing tells it.
    pub function: String,
    /// When its life begins: with its creation, or with the trace or the window.
    pub begin: Timestamp,
    /// When it ends: with the task, or with the trace or the window.
    pub end: Timestamp,
    /// Whether its creation is in the trace, and in the window. In format v1 all tasks that are there at its begin are told as created.
    pub is_created: bool,
    /// Whether its end is in the trace, and in the window.
    pub has_ended: bool,
    /// How long it was in each state.
    pub times: StateTimes,
    /// How long a garbage collector marked meanwhile, in nanoseconds: beside the states, and in no sum of theirs.
    pub gc_ns: i64,
}

/// How long something was in each state, in nanoseconds. The sum of all is its life.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateTimes {
    /// It ran.
    pub running_ns: i64,
    /// It could have run, and waited for a worker.
    pub runnable_ns: i64,
    /// It was in a system call that blocked.
    pub syscall_ns: i64,
    /// It waited, by reason, the longest first.
    pub blocked: Vec<Blocked>,
    /// Nobody knows: events are missing.
    pub unknown_ns: i64,
}

/// How long something waited for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocked {
    /// The reason, in the trace's words; empty if none is told.
    pub reason: String,
    /// How long.
    pub ns: i64,
}

/// How long tasks waited for one reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockedSpread {
    /// The reason, in the trace's words; empty if none is told.
    pub reason: String,
    /// How long, of all tasks: also of those that never did.
    pub spread: Distribution,
}

/// Tasks that run the same function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupTimes {
    /// The function; empty for tasks of which nothing tells it.
    pub function: String,
    /// How long the tasks lived, in nanoseconds.
    pub life: Distribution,
    /// How long they ran.
    pub running: Distribution,
    /// How long they could have run.
    pub runnable: Distribution,
    /// How long they waited, for whatever reason.
    pub blocked: Distribution,
    /// The same by reason, the one with the largest sum first.
    pub blocked_by_reason: Vec<BlockedSpread>,
    /// How long they were in system calls that blocked.
    pub syscall: Distribution,
    /// How long nobody knows what they did.
    pub unknown: Distribution,
    /// The sums of all tasks.
    pub sums: StateTimes,
    /// How long a garbage collector marked while they were there, the sum of all: in none of the above.
    pub gc_ns: i64,
}

impl StateTimes {
    /// The sum of the times of all states.
    #[must_use]
    pub fn life_ns(&self) -> i64 {
        let states = [
            self.running_ns,
            self.runnable_ns,
            self.syscall_ns,
            self.blocked_ns(),
            self.unknown_ns,
        ];
        states.into_iter().fold(0, i64::saturating_add)
    }

    /// The sum for all reasons.
    #[must_use]
    pub fn blocked_ns(&self) -> i64 {
        let reasons = self.blocked.iter().map(|blocked| blocked.ns);
        reasons.fold(0, i64::saturating_add)
    }

    /// Those of a life; `text` tells what a reason's id stands for.
    #[must_use]
    pub fn of<'t>(
        times: &LifeTimes,
        life: LifeId,
        text: impl Fn(StringId) -> Cow<'t, str>,
    ) -> Self {
        let mut states = Self::default();
        states.add(times, life);
        for (reason, ns) in times.blocked(life) {
            states.block(text(reason), ns);
        }
        states.sort();
        states
    }

    /// Adds the times of a life, but for what it was blocked by.
    fn add(&mut self, times: &LifeTimes, life: LifeId) {
        grow(&mut self.running_ns, times.of(life).running_ns);
        grow(&mut self.runnable_ns, times.of(life).runnable_ns);
        grow(&mut self.syscall_ns, times.syscall_ns(life));
        grow(&mut self.unknown_ns, times.unknown_ns(life));
    }

    fn block(&mut self, reason: Cow<'_, str>, ns: i64) {
        let mut known = self.blocked.iter_mut();
        match known.find(|blocked| blocked.reason == reason) {
            Some(blocked) => grow(&mut blocked.ns, ns),
            None => self.blocked.push(Blocked {
                reason: reason.into_owned(),
                ns,
            }),
        }
    }

    fn sort(&mut self) {
        self.blocked
            .sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.reason.cmp(&b.reason)));
    }
}

impl TaskTime {
    /// What a task did that runs a function from a time to another; `is_created` and `has_ended` say whether these are its creation and
    /// its end.
    #[must_use]
    pub fn new(
        (id, function): (TaskId, String),
        (begin, end): (Timestamp, Timestamp),
        (is_created, has_ended): (bool, bool),
        times: StateTimes,
        gc_ns: i64,
    ) -> Self {
        Self {
            id,
            function,
            begin,
            end,
            is_created,
            has_ended,
            times,
            gc_ns,
        }
    }

    /// A life and its times; `None` if it is not in the window.
    pub(crate) fn of(
        life: &Life,
        times: StateTimes,
        functions: &mut Functions,
        context: &Context<'_>,
    ) -> Option<Self> {
        let (begin, end) = Self::clip(life, context)?;
        let is_created = life.is_created() && begin == life.begin;
        let has_ended = life.end() == Some(end);
        let function = functions.of(life, context.tables);
        let (ends, task) = ((is_created, has_ended), (life.task, function));
        Some(Self::new(task, (begin, end), ends, times, 0))
    }

    /// From when to when a life is in the window; `None` if it is not.
    fn clip(life: &Life, context: &Context<'_>) -> Option<(Timestamp, Timestamp)> {
        let end = life.end().unwrap_or(context.end);
        context.window.clip(life.begin, end)
    }
}

impl GroupTimes {
    /// Those of lives that run a function; `None` if there are none. A garbage collector marked so long while they were there, and
    /// `text` tells what a reason's id stands for.
    #[must_use]
    pub fn of<'t>(
        function: String,
        (times, lives): (&LifeTimes, &[LifeId]),
        gc_ns: i64,
        text: impl Fn(StringId) -> Cow<'t, str>,
    ) -> Option<Self> {
        let mut sums = StateTimes::default();
        let mut by_reason: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
        for &life in lives {
            sums.add(times, life);
            for (reason, ns) in times.blocked(life) {
                by_reason.entry(reason.0).or_default().push(ns);
            }
        }
        let mut blocked_by_reason = Vec::new();
        for (reason, mut blocked) in by_reason {
            blocked.resize(lives.len(), 0);
            let (reason, spread) = (text(StringId(reason)), Distribution::of(blocked)?);
            blocked_by_reason.push(BlockedSpread {
                reason: reason.clone().into_owned(),
                spread,
            });
            sums.block(reason, spread.sum);
        }
        blocked_by_reason.sort_by(|a, b| {
            let by_sum = b.spread.sum.cmp(&a.spread.sum);
            by_sum.then_with(|| a.reason.cmp(&b.reason))
        });
        sums.sort();
        let spread = |time: &dyn Fn(LifeId) -> i64| {
            Distribution::of(lives.iter().map(|&life| time(life)).collect())
        };
        Some(Self {
            function,
            life: spread(&|life| times.life_ns(life))?,
            running: spread(&|life| times.of(life).running_ns)?,
            runnable: spread(&|life| times.of(life).runnable_ns)?,
            blocked: spread(&|life| times.blocked_ns(life))?,
            blocked_by_reason,
            syscall: spread(&|life| times.syscall_ns(life))?,
            unknown: spread(&|life| times.unknown_ns(life))?,
            sums,
            gc_ns,
        })
    }
}

impl TaskTimesReport {
    /// That of so many tasks: those that are told one by one, and all groups, in any order.
    #[must_use]
    pub fn new(total: usize, tasks: Vec<TaskTime>, mut groups: Vec<GroupTimes>) -> Self {
        groups.sort_by(|a, b| {
            let by_life = b.life.sum.cmp(&a.life.sum);
            by_life.then_with(|| a.function.cmp(&b.function))
        });
        Self {
            total,
            tasks,
            groups,
        }
    }

    /// How many tasks run a function.
    #[must_use]
    pub fn total_of(&self, function: &str) -> usize {
        let mut groups = self.groups.iter();
        let group = groups.find(|group| group.function == function);
        group.map_or(0, |group| group.life.count as usize)
    }

    /// The tasks that run a function, those that live longest first, as far as they are listed.
    #[must_use]
    pub fn tasks_of(&self, function: &str) -> Vec<&TaskTime> {
        let tasks = self.tasks.iter();
        let mut tasks: Vec<_> = tasks.filter(|task| task.function == function).collect();
        tasks.sort_by_key(|task| Reverse(task.times.life_ns()));
        tasks
    }
}

impl TaskTimes {
    /// Those of some tasks alone, by what is known of them in the end.
    #[must_use]
    pub fn of(filter: Filter) -> Self {
        Self {
            filter,
            ..Self::default()
        }
    }

    /// The same with so many tasks alone told one by one, those that live longest of the ones that run this function; none without
    /// a function. A trace can have millions.
    #[must_use]
    pub fn listing(mut self, function: Option<String>, most: usize) -> Self {
        self.listed = Listed::Of(function, most);
        self
    }
}

impl Analysis for TaskTimes {
    type Report = TaskTimesReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.marking.event(event, context.begin);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.marking.event(event, context.begin);
    }

    fn interval(&mut self, interval: &Interval, _: &Context<'_>) {
        let (state, reason) = (interval.state, interval.reason);
        self.times.add(interval.life, state, reason, interval.ns());
    }

    fn report(mut self, context: &Context<'_>) -> TaskTimesReport {
        self.times.until(context.lives.len());
        self.marking.end(context.end);
        let (mut total, mut listed) = (0, Vec::new());
        let mut functions = Functions::default();
        let mut by_function: HashMap<String, Vec<LifeId>> = HashMap::new();
        for (id, life) in context.lives.iter() {
            let is_whole = !self.filter.is_none() || matches!(self.listed, Listed::All);
            let task = is_whole.then(|| self.task(id, &mut functions, context));
            let is_meant = match &task {
                None => TaskTime::clip(life, context).is_some(),
                Some(task) => task
                    .as_ref()
                    .is_some_and(|task| self.is_meant(task, context)),
            };
            if !is_meant {
                continue;
            }
            total += 1;
            let function = functions.of(life, context.tables);
            by_function.entry(function).or_default().push(id);
            if matches!(self.listed, Listed::All) {
                listed.extend(task.flatten());
            }
        }
        if let Listed::Of(Some(function), most) = &self.listed {
            let meant = by_function.get(function).cloned().unwrap_or_default();
            let tasks = self.times.longest(meant, *most).into_iter();
            let tasks = tasks.filter_map(|id| self.task(id, &mut functions, context));
            listed = tasks.collect();
        }
        let groups = by_function.into_iter();
        let groups = groups.filter_map(|(function, lives)| self.group(function, &lives, context));
        TaskTimesReport::new(total, listed, groups.collect())
    }
}

impl TaskTimes {
    /// What a task did; `None` if it did not live in the window.
    fn task(
        &self,
        id: LifeId,
        functions: &mut Functions,
        context: &Context<'_>,
    ) -> Option<TaskTime> {
        let times = StateTimes::of(&self.times, id, |reason| context.tables.text(reason));
        let mut task = TaskTime::of(&context.lives[id], times, functions, context)?;
        task.gc_ns = self.marking.lookup().between(task.begin, task.end);
        Some(task)
    }

    fn is_meant(&self, task: &TaskTime, context: &Context<'_>) -> bool {
        let begin = context.begin;
        self.filter.lets_through(&TaskRecord { task, begin })
    }

    fn group(
        &self,
        function: String,
        lives: &[LifeId],
        context: &Context<'_>,
    ) -> Option<GroupTimes> {
        let mut gc_ns = 0;
        let mut marking = self.marking.lookup();
        for &life in lives {
            if let Some((begin, end)) = TaskTime::clip(&context.lives[life], context) {
                grow(&mut gc_ns, marking.between(begin, end));
            }
        }
        let text = |reason| context.tables.text(reason);
        GroupTimes::of(function, (&self.times, lives), gc_ns, text)
    }
}
