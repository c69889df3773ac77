//! How long each task ran, waited for a worker, was blocked by what, and sat in system calls.
//!
//! At each moment of its life a task is in one state, so that the times of its states add up to its life. A life begins with the
//! task's creation; of one that was there before the trace, with the trace. It ends with the task, or with the trace.

use std::collections::HashMap;

use exectrace_reader::{Event, Kind, StackId, State, StringId, Tables, TaskId, Timestamp};

use crate::{Analysis, Distribution};

/// Adds up the times of tasks, and of groups of tasks that run the same function.
#[derive(Clone, Debug, Default)]
pub struct TaskTimes {
    begin: Option<Timestamp>,
    end: Timestamp,
    places: HashMap<u64, usize>,
    lives: Vec<Life>,
}

/// A task that is followed.
#[derive(Clone, Debug)]
struct Life {
    id: TaskId,
    /// The first stack of its own that an event tells: its outermost frame is what it runs.
    stack: StackId,
    begin: Timestamp,
    end: Option<Timestamp>,
    is_created: bool,
    state: State,
    reason: StringId,
    since: Timestamp,
    times: Times,
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
    /// When its life begins: with its creation, or with the trace.
    pub begin: Timestamp,
    /// When it ends: with the task, or with the trace.
    pub end: Timestamp,
    /// Whether its creation is in the trace. In format v1 all tasks that are there at its begin are told as created.
    pub is_created: bool,
    /// Whether its end is in the trace.
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
        self.running_ns + self.runnable_ns + self.syscall_ns + self.blocked_ns() + self.unknown_ns
    }

    /// The sum for all reasons.
    #[must_use]
    pub fn blocked_ns(&self) -> i64 {
        self.blocked.iter().map(|blocked| blocked.ns).sum()
    }

    fn add(&mut self, other: &Self) {
        self.running_ns += other.running_ns;
        self.runnable_ns += other.runnable_ns;
        self.syscall_ns += other.syscall_ns;
        self.unknown_ns += other.unknown_ns;
        for Blocked { reason, ns } in &other.blocked {
            match self
                .blocked
                .iter_mut()
                .find(|blocked| blocked.reason == *reason)
            {
                Some(blocked) => blocked.ns += ns,
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

impl Analysis for TaskTimes {
    type Report = TaskTimesReport;

    fn event(&mut self, event: &Event, tables: &Tables<'_>) {
        let begin = *self.begin.get_or_insert(event.time);
        self.end = event.time;
        let Kind::TaskTransition {
            task,
            from,
            to,
            reason,
            stack,
        } = event.kind
        else {
            return;
        };
        let place = self.place(task, from, begin, event.time);
        let life = &mut self.lives[place];
        if life.stack == StackId(0) && has_outermost(stack, tables) {
            life.stack = stack;
        }
        life.pass(event.time, to, reason);
        if to == State::NotExist {
            life.end = Some(event.time);
            self.places.remove(&task.0);
        }
    }

    fn report(self, tables: &Tables<'_>) -> TaskTimesReport {
        let end = self.end;
        let mut functions = Functions::default();
        let tasks: Vec<TaskTime> = self
            .lives
            .into_iter()
            .map(|life| life.report(end, &mut functions, tables))
            .collect();
        let groups = groups(&tasks);
        TaskTimesReport { tasks, groups }
    }
}

/// Whether a stack tells what its task runs. Where a task was preempted none may be known, and a frame without an address stands
/// for it.
fn has_outermost(stack: StackId, tables: &Tables<'_>) -> bool {
    tables
        .frames(stack)
        .last()
        .is_some_and(|frame| frame.pc != 0)
}

impl TaskTimes {
    /// The place of a task, known or not.
    fn place(&mut self, task: TaskId, from: State, begin: Timestamp, now: Timestamp) -> usize {
        let next = self.lives.len();
        let place = *self.places.entry(task.0).or_insert(next);
        if place < next {
            return place;
        }
        let is_created = from == State::NotExist;
        let begin = if is_created { now } else { begin };
        self.lives.push(Life {
            id: task,
            stack: StackId(0),
            begin,
            end: None,
            is_created,
            state: from,
            reason: StringId(0),
            since: begin,
            times: Times::default(),
        });
        place
    }
}

impl Life {
    /// The task passes to another state.
    fn pass(&mut self, now: Timestamp, to: State, reason: StringId) {
        // What is told first of a task that was there before the trace was so all the time. Format v1 creates such tasks anew, and
        // then lets them wait or sit in a system call without having run.
        let is_first = self.since == self.begin;
        let was_there =
            self.state == State::Runnable && matches!(to, State::Waiting | State::Syscall);
        if is_first && (was_there || self.state == State::Undetermined) {
            self.is_created = false;
            (self.state, self.reason) = (to, reason);
        }
        self.times
            .add(self.state, self.reason, now.since_ns(self.since));
        // A state that is told once more, as a new generation does, has the reason that it had.
        let goes_on = to == self.state && reason == StringId(0);
        let reason = if goes_on { self.reason } else { reason };
        (self.state, self.reason, self.since) = (to, reason, now);
    }

    fn report(
        mut self,
        end: Timestamp,
        functions: &mut Functions,
        tables: &Tables<'_>,
    ) -> TaskTime {
        let has_ended = self.end.is_some();
        let end = self.end.unwrap_or(end);
        if !has_ended {
            self.times
                .add(self.state, self.reason, end.since_ns(self.since));
        }
        let mut times = StateTimes {
            running_ns: self.times.running_ns,
            runnable_ns: self.times.runnable_ns,
            syscall_ns: self.times.syscall_ns,
            unknown_ns: self.times.unknown_ns,
            blocked: Vec::new(),
        };
        for (reason, ns) in self.times.blocked {
            let reason = tables.text(reason).into_owned();
            times.blocked.push(Blocked { reason, ns });
        }
        times.sort();
        TaskTime {
            id: self.id,
            function: functions.of_stack(self.stack, tables),
            begin: self.begin,
            end,
            is_created: self.is_created,
            has_ended,
            times,
        }
    }
}

impl Times {
    fn add(&mut self, state: State, reason: StringId, ns: i64) {
        match state {
            State::Running => self.running_ns += ns,
            State::Runnable => self.runnable_ns += ns,
            State::Syscall => self.syscall_ns += ns,
            State::Waiting | State::Idle => {
                match self.blocked.iter_mut().find(|(other, _)| *other == reason) {
                    Some((_, sum)) => *sum += ns,
                    None => self.blocked.push((reason, ns)),
                }
            }
            // Nothing is known of a task that was let out of sight; before its creation there is no time.
            State::Undetermined | State::NotExist => self.unknown_ns += ns,
        }
    }
}

/// Functions of stacks, each looked up once.
#[derive(Default)]
struct Functions {
    by_stack: HashMap<u64, String>,
}

impl Functions {
    /// The outermost function of a stack: what a task runs.
    fn of_stack(&mut self, stack: StackId, tables: &Tables<'_>) -> String {
        let function = self.by_stack.entry(stack.0).or_insert_with(|| {
            let outermost = tables.frames(stack).last();
            outermost.map_or_else(String::new, |frame| {
                tables.text(frame.function).into_owned()
            })
        });
        function.clone()
    }
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
