//! How long each task ran, waited for a worker, was blocked by what, and sat in system calls.
//!
//! At each moment of its life a task is in one state, so that the times of its states add up to its life. A life begins with the
//! task's creation; of one that was there before the trace, with the trace. It ends with the task, or with the trace. Of a
//! window only what is in it counts.

use std::cmp::Reverse;
use std::collections::HashMap;

use exectrace_reader::{State, StringId, TaskId, Timestamp};

use crate::functions::Functions;
use crate::lives::Life;
use crate::task_record::TaskRecord;
use crate::{Analysis, Context, Distribution, Filter, Interval};

/// Adds up the times of tasks, and of groups of tasks that run the same function.
#[derive(Clone, Debug, Default)]
pub struct TaskTimes {
    /// Of each life, by its id; those behind the last have none.
    times: Vec<Times>,
    filter: Filter,
}

/// The times of states, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct Times {
    running_ns: i64,
    runnable_ns: i64,
    syscall_ns: i64,
    unknown_ns: i64,
    blocked: Vec<(StringId, i64)>,
}

/// What tasks did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskTimesReport {
    /// Each task, in the order of their first events. An id that was used twice stands here twice.
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
    /// How long they were in system calls that blocked.
    pub syscall: Distribution,
    /// How long nobody knows what they did.
    pub unknown: Distribution,
    /// The sums of all tasks.
    pub sums: StateTimes,
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

    fn add(&mut self, other: &Self) {
        grow(&mut self.running_ns, other.running_ns);
        grow(&mut self.runnable_ns, other.runnable_ns);
        grow(&mut self.syscall_ns, other.syscall_ns);
        grow(&mut self.unknown_ns, other.unknown_ns);
        for Blocked { reason, ns } in &other.blocked {
            match self
                .blocked
                .iter_mut()
                .find(|blocked| blocked.reason == *reason)
            {
                Some(blocked) => grow(&mut blocked.ns, *ns),
                None => self.blocked.push(Blocked {
                    reason: reason.clone(),
                    ns: *ns,
                }),
            }
        }
    }

    fn sort(&mut self) {
        self.blocked
            .sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.reason.cmp(&b.reason)));
    }
}

impl TaskTimesReport {
    /// The tasks that run a function, those that live longest first.
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
}

impl Analysis for TaskTimes {
    type Report = TaskTimesReport;

    fn interval(&mut self, interval: &Interval, _: &Context<'_>) {
        let place = interval.life.0 as usize;
        if self.times.len() <= place {
            self.times.resize_with(place + 1, Times::default);
        }
        self.times[place].add(interval.state, interval.reason, interval.ns());
    }

    fn report(mut self, context: &Context<'_>) -> TaskTimesReport {
        let mut functions = Functions::default();
        self.times.resize_with(context.lives.len(), Times::default);
        let lives = context.lives.iter().zip(self.times);
        let tasks: Vec<TaskTime> = lives
            .filter_map(|((_, life), times)| times.report(life, &mut functions, context))
            .filter(|task| {
                let begin = context.begin;
                self.filter.lets_through(&TaskRecord { task, begin })
            })
            .collect();
        let groups = groups(&tasks);
        TaskTimesReport { tasks, groups }
    }
}

impl Times {
    /// What a task did; `None` if it did not live in the window.
    fn report(
        self,
        life: &Life,
        functions: &mut Functions,
        context: &Context<'_>,
    ) -> Option<TaskTime> {
        let whole = (life.begin, life.end.unwrap_or(context.end));
        let (begin, end) = context.window.clip(whole.0, whole.1)?;
        let mut times = StateTimes {
            running_ns: self.running_ns,
            runnable_ns: self.runnable_ns,
            syscall_ns: self.syscall_ns,
            unknown_ns: self.unknown_ns,
            blocked: Vec::new(),
        };
        for (reason, ns) in self.blocked {
            let reason = context.tables.text(reason).into_owned();
            times.blocked.push(Blocked { reason, ns });
        }
        times.sort();
        Some(TaskTime {
            id: life.task,
            function: functions.of(life, context.tables),
            begin,
            end,
            is_created: life.is_created && begin == life.begin,
            has_ended: life.end.is_some() && end == whole.1,
            times,
        })
    }

    fn add(&mut self, state: State, reason: StringId, ns: i64) {
        match state {
            State::Running => grow(&mut self.running_ns, ns),
            State::Runnable => grow(&mut self.runnable_ns, ns),
            State::Syscall => grow(&mut self.syscall_ns, ns),
            State::Waiting | State::Idle => {
                match self.blocked.iter_mut().find(|(other, _)| *other == reason) {
                    Some((_, sum)) => grow(sum, ns),
                    None => self.blocked.push((reason, ns)),
                }
            }
            // Nothing is known of a task that was let out of sight; before its creation there is no time.
            State::Undetermined | State::NotExist => grow(&mut self.unknown_ns, ns),
        }
    }
}

/// Adds to a sum. Made-up times can be so far apart that it does not hold them all.
fn grow(sum: &mut i64, ns: i64) {
    *sum = sum.saturating_add(ns);
}

/// Tasks by function.
fn groups(tasks: &[TaskTime]) -> Vec<GroupTimes> {
    let mut by_function: HashMap<&str, Vec<&TaskTime>> = HashMap::new();
    for task in tasks {
        by_function.entry(&task.function).or_default().push(task);
    }
    let groups = by_function.into_iter();
    let mut groups: Vec<GroupTimes> = groups
        .filter_map(|(function, tasks)| group(function, &tasks))
        .collect();
    groups.sort_by(|a, b| {
        let by_life = b.life.sum.cmp(&a.life.sum);
        by_life.then_with(|| a.function.cmp(&b.function))
    });
    groups
}

fn group(function: &str, tasks: &[&TaskTime]) -> Option<GroupTimes> {
    let mut sums = StateTimes::default();
    for task in tasks {
        sums.add(&task.times);
    }
    sums.sort();
    let spread = |time: fn(&StateTimes) -> i64| {
        Distribution::of(tasks.iter().map(|task| time(&task.times)).collect())
    };
    Some(GroupTimes {
        function: function.to_owned(),
        life: spread(StateTimes::life_ns)?,
        running: spread(|times| times.running_ns)?,
        runnable: spread(|times| times.runnable_ns)?,
        blocked: spread(StateTimes::blocked_ns)?,
        syscall: spread(|times| times.syscall_ns)?,
        unknown: spread(|times| times.unknown_ns)?,
        sums,
    })
}
