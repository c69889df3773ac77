//! What all rules look at: which tasks a runtime runs, how many wait for a worker, and which timers came late.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use exectrace_reader::{Event, Kind, State, StringId, Tables, Timestamp, WorkerId};

use super::lengths::Lengths;
use crate::key_hasher::BuildKeyHasher;
use crate::{Context, Interval, LifeId};

/// A run of this length, in nanoseconds, may be too long.
pub(super) const LONG_RUN_NS: i64 = 1_000_000;

/// How many long runs are remembered: those that can have held up a timer that comes now.
const LONG_RUNS_MAX: usize = 256;

/// So many tasks that run in turns make a thread an executor: one may be the thread itself, one what it waits for.
const TURNS_MIN: usize = 3;

/// How tasks sleep, in Go's words.
const SLEEP: &[u8] = b"sleep";

/// A timer that comes this much later than usual is late.
const LATE_NS: i64 = 2_000_000;

/// So many sleeps at a place say how long they mostly last.
const SLEEPS_MIN: u64 = 8;

/// The run queue of a program's runtimes, over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    /// It is a recording of ours.
    is_of_rust: bool,
    /// Those that live.
    tasks: HashMap<LifeId, Task, BuildKeyHasher>,
    /// Tasks that each worker runs in turns: some of those that live.
    lives_by_worker: HashMap<i64, Vec<LifeId>, BuildKeyHasher>,
    /// Whether tasks that are created with a stack are threads: what was seen last.
    is_thread_by_stack: HashMap<u64, bool, BuildKeyHasher>,
    now: Option<Timestamp>,
    /// How many tasks wait for a worker.
    queued: i64,
    /// How many run on workers of a runtime.
    running: i64,
    /// The sum of the times that tasks have waited for a worker so far, in the window.
    queued_ns: i64,
    /// Workers of runtimes that have nothing to do.
    idle: HashSet<i64, BuildKeyHasher>,
    /// Of `queued_ns`, what was while one of them had nothing to do.
    idle_ns: i64,
    /// Tasks in the order in which they began to wait; some of them have left since.
    line: VecDeque<(LifeId, Timestamp)>,
    long_runs: VecDeque<LongRun>,
    /// Whether a reason is that of a sleep.
    is_sleep: HashMap<u64, bool, BuildKeyHasher>,
    /// Sleeps by the stack that sleeps.
    sleeps: BTreeMap<u64, Lengths>,
}

/// What is known of a life.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    /// A thread of its own, which waits for no worker.
    is_thread: bool,
    queued_since: Option<Timestamp>,
    /// It runs on a worker of a runtime.
    is_running: bool,
    /// How much had been waited when its run began.
    before: Waited,
}

/// How long tasks have waited for a worker, all together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waited {
    pub(super) queued_ns: i64,
    /// Of that, what was while a worker was idle.
    pub(super) idle_ns: i64,
}

/// A task that held a worker of a runtime.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongRun {
    pub(super) life: LifeId,
    from: Timestamp,
    to: Timestamp,
}

/// A sleep that lasted longer than usual.
#[derive(Clone, Debug)]
pub(super) struct Late {
    /// How much longer.
    pub(super) ns: i64,
    /// The long runs that were there in that time, and for how long.
    pub(super) beside: Vec<(LifeId, i64)>,
}

impl Scene {
    /// Whether a worker takes tasks from a queue: all of Go do; in a recording of ours those of runtimes, and other threads that
    /// run several tasks in turns, such as one that drives a runtime of its own.
    pub(super) fn is_executor(&self, worker: WorkerId, context: &Context<'_>) -> bool {
        !self.is_of_rust
            || context.threads.is_runtime_worker(worker)
            || self
                .lives_by_worker
                .get(&worker.0)
                .is_some_and(|lives| lives.len() == TURNS_MIN)
    }

    /// The same of a worker whose tasks nobody else can preempt.
    pub(super) fn is_held_by_tasks(&self, worker: WorkerId, context: &Context<'_>) -> bool {
        self.is_of_rust && self.is_executor(worker, context)
    }

    /// A recording says that it is one only after its first events; what was taken for tasks of Go until then is forgotten.
    fn learn(&mut self, context: &Context<'_>) {
        if !self.is_of_rust && context.description.writer().is_some() {
            self.is_of_rust = true;
            self.queued = 0;
            self.running = 0;
            self.line.clear();
            self.is_thread_by_stack.clear();
            self.tasks.clear();
            self.idle.clear();
        }
    }

    /// A task runs on a worker.
    fn note_turn(&mut self, life: LifeId, worker: WorkerId, context: &Context<'_>) {
        let lives = self.lives_by_worker.entry(worker.0).or_default();
        if lives.len() < TURNS_MIN && !lives.contains(&life) {
            lives.retain(|&life| context.lives[life].end().is_none());
            lives.push(life);
        }
    }

    /// Brings the sums up to now, as far as that is in the window.
    pub(super) fn advance(&mut self, context: &Context<'_>) {
        let now = context.end;
        let before = self.now.replace(now).unwrap_or(now);
        if let Some((from, to)) = context.window.clip(before, now) {
            let queued_ns = self.queued.saturating_mul(to.since_ns(from));
            self.queued_ns = self.queued_ns.saturating_add(queued_ns);
            if self.has_idle() {
                self.idle_ns = self.idle_ns.saturating_add(queued_ns);
            }
        }
    }

    /// Takes the next event.
    pub(super) fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.advance(context);
        self.learn(context);
        if let Kind::WorkerTransition { worker, to, .. } = event.kind {
            if to == State::Idle && self.is_executor(worker, context) {
                self.idle.insert(worker.0);
            } else {
                self.idle.remove(&worker.0);
            }
        }
        let (Some(life), Kind::TaskTransition { to, .. }) = (context.life, event.kind) else {
            return;
        };
        let stack = context.lives[life].stack();
        // All tasks of Go take turns.
        if to == State::Running && self.is_of_rust {
            self.note_turn(life, event.worker, context);
        }
        let is_executor = self.is_executor(event.worker, context);
        let task = self.tasks.entry(life).or_insert_with(|| {
            // Of a task that has not run yet it is known what others of its kind are.
            let is_thread = self.is_thread_by_stack.get(&stack.0);
            Task {
                is_thread: *is_thread.unwrap_or(&self.is_of_rust),
                ..Task::default()
            }
        });
        if to != State::Runnable && task.queued_since.take().is_some() {
            self.queued -= 1;
        }
        if to != State::Running && std::mem::take(&mut task.is_running) {
            self.running -= 1;
        }
        match to {
            State::Runnable if task.queued_since.is_none() && !task.is_thread => {
                task.queued_since = Some(event.time);
                self.queued += 1;
                self.line.push_back((life, event.time));
            }
            State::Running if !task.is_running => {
                task.is_thread = !is_executor;
                task.before = Waited {
                    queued_ns: self.queued_ns,
                    idle_ns: self.idle_ns,
                };
                if self.is_of_rust {
                    self.is_thread_by_stack.insert(stack.0, task.is_thread);
                }
                if !task.is_thread {
                    task.is_running = true;
                    self.running += 1;
                }
            }
            State::NotExist => {
                self.tasks.remove(&life);
            }
            _ => {}
        }
        // The others in the line wait as before.
        if self.line.front().is_some_and(|(first, _)| *first == life) {
            self.leave();
        }
    }

    /// Takes the next interval, and tells whether it is a sleep that lasted too long.
    pub(super) fn interval(&mut self, interval: &Interval, context: &Context<'_>) -> Option<Late> {
        self.advance(context);
        let is_long = interval.state == State::Running && interval.ns() >= LONG_RUN_NS;
        if is_long && self.is_held_by_tasks(interval.begin.worker, context) {
            if self.long_runs.len() == LONG_RUNS_MAX {
                self.long_runs.pop_front();
            }
            self.long_runs.push_back(LongRun {
                life: interval.life,
                from: interval.begin.time,
                to: interval.end.time,
            });
        }
        let is_cut = interval.is_open_left || interval.is_open_right;
        if interval.state == State::Waiting
            && !is_cut
            && self.sleeps(interval.reason, context.tables)
        {
            return self.late(interval);
        }
        None
    }

    fn late(&mut self, interval: &Interval) -> Option<Late> {
        let lengths = self.sleeps.entry(interval.begin.stack.0).or_default();
        let usual_ns = lengths.median_ns();
        let is_known = lengths.from(0).count >= SLEEPS_MIN;
        lengths.add(interval.ns(), 0);
        let ns = interval.ns().saturating_sub(usual_ns);
        if !is_known || ns < LATE_NS.saturating_add(usual_ns / 2) {
            return None;
        }
        let (due, came) = (
            Timestamp(interval.end.time.0.saturating_sub(ns)),
            interval.end.time,
        );
        let beside = self.long_runs.iter().rev().filter_map(|run| {
            let overlap_ns = run.to.min(came).since_ns(run.from.max(due));
            (overlap_ns > 0).then_some((run.life, overlap_ns))
        });
        Some(Late {
            ns,
            beside: beside.collect(),
        })
    }

    fn sleeps(&mut self, reason: StringId, tables: &Tables<'_>) -> bool {
        let is_sleep = self.is_sleep.entry(reason.0);
        *is_sleep.or_insert_with(|| tables.string(reason) == SLEEP)
    }

    /// Lets those go that are at the head of the line and wait no more.
    fn leave(&mut self) {
        while let Some((life, since)) = self.line.front() {
            let task = self.tasks.get(life);
            if task.is_some_and(|task| task.queued_since == Some(*since)) {
                return;
            }
            self.line.pop_front();
        }
    }

    /// Since when the task has waited that has waited longest.
    pub(super) fn oldest(&self) -> Option<(LifeId, Timestamp)> {
        self.line.front().copied()
    }

    /// How many tasks wait for a worker.
    pub(super) fn queued(&self) -> i64 {
        self.queued
    }

    /// Whether a task is a thread of its own.
    pub(super) fn is_thread(&self, life: LifeId) -> bool {
        let task = || self.tasks.get(&life);
        self.is_of_rust && task().is_some_and(|task| task.is_thread)
    }

    /// Whether a worker of a runtime has nothing to do.
    pub(super) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// How long tasks have waited for a worker since a task's run began, shared among those that run.
    pub(super) fn waited_beside(&self, life: LifeId) -> Waited {
        let Some(task) = self.tasks.get(&life) else {
            return Waited::default();
        };
        let running = self.running.max(1);
        Waited {
            queued_ns: (self.queued_ns - task.before.queued_ns) / running,
            idle_ns: (self.idle_ns - task.before.idle_ns) / running,
        }
    }
}
