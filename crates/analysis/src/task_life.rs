//! The life of one task, state by state.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use exectrace_reader::{
    Event, StackId, State, StringId, Tables, TaskId, ThreadId, Timestamp, WorkerId,
};

use crate::creation::Creation;
use crate::frame_list::FrameList;
use crate::functions::Functions;
use crate::{Analysis, Context, Interval, LifeId, NamedFrame};

/// Takes down all that a task did.
#[derive(Clone, Debug)]
pub struct TaskLife {
    task: TaskId,
    intervals: Vec<Interval>,
    creators: BTreeMap<LifeId, TaskId>,
}

/// What a task did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskLifeReport {
    /// Its life; an id that was used twice has two, in their order.
    pub lives: Vec<TaskLifetime>,
    /// Stacks: places of frames, innermost first.
    pub stacks: Vec<Vec<u32>>,
    /// The frames of stacks.
    pub frames: Vec<NamedFrame>,
}

/// A life of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskLifetime {
    /// The function that it runs; empty if nothing tells it.
    pub function: String,
    /// When it begins: with its creation, or with the trace or the window.
    pub begin: Timestamp,
    /// When it ends: with the task, or with the trace or the window.
    pub end: Timestamp,
    /// Who created it, if that is told.
    pub creator: Option<TaskId>,
    /// The place of the stack where it was created.
    pub creator_stack: Option<u32>,
    /// What it did. One begins where the one before it ends.
    pub intervals: Vec<LifeInterval>,
}

/// A state of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LifeInterval {
    /// The state.
    pub state: State,
    /// Why the task is in it, in the trace's words; empty if that is not told.
    pub reason: Arc<str>,
    /// Since when.
    pub begin: Timestamp,
    /// Until when.
    pub end: Timestamp,
    /// Its begin is not known, or lies before the window.
    pub is_open_left: bool,
    /// Its end is not known, or lies behind the window.
    pub is_open_right: bool,
    /// The worker, of a task that runs or is in a system call, if that is told.
    pub worker: Option<WorkerId>,
    /// The thread, likewise; format v1 does not tell it.
    pub thread: Option<ThreadId>,
    /// The place of the task's own stack: where it stopped, if that is told.
    pub stack: Option<u32>,
    /// Who woke it, if it was blocked and somebody did.
    pub woken_by: Option<TaskId>,
    /// The place of the stack of who woke it.
    pub waker_stack: Option<u32>,
}

impl TaskLife {
    /// That of a task.
    #[must_use]
    pub fn new(task: TaskId) -> Self {
        Self {
            task,
            intervals: Vec::new(),
            creators: BTreeMap::new(),
        }
    }
}

impl Analysis for TaskLife {
    type Report = TaskLifeReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(Creation {
            task,
            life,
            creator,
        }) = Creation::of(event, context)
            && task == self.task
        {
            self.creators.entry(life).or_insert(creator);
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, _: &Context<'_>) {
        if interval.task == self.task {
            self.intervals.push(*interval);
        }
    }

    fn report(self, context: &Context<'_>) -> TaskLifeReport {
        let mut functions = Functions::default();
        let mut names = Names {
            tables: context.tables,
            reasons: HashMap::new(),
            places: HashMap::new(),
            stacks: Vec::new(),
            frames: FrameList::default(),
        };
        let mut lives: Vec<(LifeId, TaskLifetime)> = Vec::new();
        for interval in &self.intervals {
            let begins = lives.last().is_none_or(|(life, _)| *life != interval.life);
            if begins {
                let life = &context.lives[interval.life];
                let lifetime = TaskLifetime {
                    function: functions.of(life, context.tables),
                    begin: interval.begin.time,
                    end: interval.end.time,
                    creator: self.creators.get(&interval.life).copied(),
                    creator_stack: names.stack(life.creator_stack()),
                    intervals: Vec::new(),
                };
                lives.push((interval.life, lifetime));
            }
            if let Some((_, lifetime)) = lives.last_mut() {
                lifetime.end = interval.end.time;
                lifetime.intervals.push(names.interval(interval));
            }
        }
        TaskLifeReport {
            lives: lives.into_iter().map(|(_, lifetime)| lifetime).collect(),
            stacks: names.stacks,
            frames: names.frames.frames,
        }
    }
}

/// What ids stand for, each once.
struct Names<'a> {
    tables: &'a Tables<'a>,
    reasons: HashMap<u64, Arc<str>>,
    places: HashMap<u64, u32>,
    stacks: Vec<Vec<u32>>,
    frames: FrameList,
}

impl Names<'_> {
    fn reason(&mut self, reason: StringId) -> Arc<str> {
        let text = self
            .reasons
            .entry(reason.0)
            .or_insert_with(|| self.tables.text(reason).into());
        Arc::clone(text)
    }

    /// The place of a stack; `None` if it has no frames.
    fn stack(&mut self, stack: StackId) -> Option<u32> {
        if let Some(&place) = self.places.get(&stack.0) {
            return Some(place);
        }
        let frames = self.frames.stack(stack, self.tables);
        if frames.is_empty() {
            return None;
        }
        let place = self.stacks.len() as u32;
        self.stacks.push(frames);
        self.places.insert(stack.0, place);
        Some(place)
    }

    fn interval(&mut self, interval: &Interval) -> LifeInterval {
        let (begin, end) = (&interval.begin, &interval.end);
        let is_on_worker = matches!(interval.state, State::Running | State::Syscall);
        let is_blocked = matches!(interval.state, State::Waiting | State::Idle);
        let is_woken = is_blocked && !interval.is_open_right;
        // What runs since before the trace is told by its end alone.
        let on = if begin.worker == WorkerId::NONE {
            end
        } else {
            begin
        };
        let stack = match interval.state {
            State::Running => end.stack,
            _ => begin.stack,
        };
        LifeInterval {
            state: interval.state,
            reason: self.reason(interval.reason),
            begin: begin.time,
            end: end.time,
            is_open_left: interval.is_open_left,
            is_open_right: interval.is_open_right,
            worker: Some(on.worker).filter(|worker| is_on_worker && *worker != WorkerId::NONE),
            thread: Some(on.thread).filter(|thread| is_on_worker && *thread != ThreadId::NONE),
            stack: self.stack(stack),
            woken_by: Some(end.writer).filter(|waker| is_woken && *waker != TaskId(0)),
            waker_stack: Some(end.writer_stack)
                .filter(|_| is_woken)
                .and_then(|stack| self.stack(stack)),
        }
    }
}
