//! What the thread that reads tells the one that fills the timeline: neither a reader's tables nor the lives of a pass, which both grow
//! meanwhile, but what is new in them.

use std::collections::{HashMap, HashSet};

use exectrace_analysis::{Context, Interval, LifeId, MarkingTimes};
use exectrace_reader::{Event, Kind, Range, StackId, StringId, TaskId, Timestamp};
use rustc_hash::FxBuildHasher;

use crate::causes::{FrameLine, frame_lines};

/// What came since the last one.
#[derive(Debug, Default)]
pub(super) struct Lot {
    /// When the trace begins, and when it ends, as far as it was read.
    pub(super) begin: Timestamp,
    pub(super) end: Timestamp,
    /// Lives by their tasks, each with whether its creation is in the trace.
    pub(super) lives: Vec<(TaskId, bool)>,
    pub(super) functions: Vec<LifeFunction>,
    /// Each with whether its task ended with it.
    pub(super) intervals: Vec<(Interval, bool)>,
    /// Samples, values, and what the author of the program has annotated.
    pub(super) events: Vec<Event>,
    /// What the logs among these say.
    pub(super) messages: Vec<String>,
    pub(super) ranges: Vec<(Range, Timestamp, Timestamp)>,
    /// What ids stand for that were not told before.
    pub(super) texts: Vec<(StringId, String)>,
    pub(super) stacks: Vec<(StackId, Vec<FrameLine>)>,
    /// Lives of tasks that were there before the trace, also of those that seemed to be created in it: with the last one.
    pub(super) older: Vec<u32>,
    /// With the last one.
    pub(super) last: Option<Last>,
}

/// What is known once all was read.
#[derive(Debug)]
pub(super) struct Last {
    pub(super) threads: ThreadNames,
    pub(super) marking: MarkingTimes,
}

/// What a life runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct LifeFunction {
    pub(super) life: u32,
    pub(super) function: StringId,
    /// When the life begins.
    pub(super) begin: Timestamp,
}

/// How a recording calls threads, also by the workers that they are.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    pub(super) of_worker: HashMap<i64, String>,
    pub(super) of_thread: HashMap<u64, String>,
}

/// Texts by their ids: those that were told.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: HashMap<StringId, String, FxBuildHasher>,
}

/// Knows what was told already.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// Of each life, what it runs.
    functions: Vec<bool>,
    texts: HashSet<StringId, FxBuildHasher>,
    stacks: HashSet<StackId, FxBuildHasher>,
}

impl LifeFunction {
    fn of(life: u32, context: &Context<'_>) -> Self {
        let told = &context.lives[LifeId(life)];
        Self {
            life,
            function: told.function(context.tables),
            begin: told.begin,
        }
    }
}

impl Names {
    pub(super) fn add(&mut self, texts: Vec<(StringId, String)>) {
        self.texts.extend(texts);
    }

    /// The text of an id; empty if none was told.
    pub(crate) fn text(&self, id: StringId) -> &str {
        self.texts.get(&id).map_or("", String::as_str)
    }
}

impl ThreadNames {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let mut names = Self::default();
        for thread in context.threads.iter() {
            names.of_thread.insert(thread.thread, thread.name.clone());
            names.of_worker.insert(thread.worker.0, thread.name.clone());
        }
        names
    }
}

impl Teller {
    /// Adds to a lot what is new to whoever takes it.
    pub(super) fn complete(&mut self, lot: &mut Lot, context: &Context<'_>) {
        (lot.begin, lot.end) = (context.begin, context.end);
        let (known, lives) = (self.functions.len(), context.lives.len());
        self.functions.resize(lives, false);
        for life in known as u32..lives as u32 {
            let told = &context.lives[LifeId(life)];
            lot.lives.push((told.task, told.is_created()));
            lot.functions.extend(self.function(life, context));
        }
        for (interval, _) in &lot.intervals {
            lot.functions
                .extend(self.function(interval.life.0, context));
            self.text(interval.reason, &mut lot.texts, context);
            for stack in [interval.begin.stack, interval.begin.writer_stack] {
                self.stack(stack, &mut lot.stacks, context);
            }
        }
        for event in &lot.events {
            let (text, has_stack) = match event.kind {
                Kind::Sample => (StringId(0), true),
                Kind::UserTaskBegin { name, .. } => (name, false),
                Kind::UserTaskEnd { begin, .. } => {
                    (begin.map_or(StringId(0), |begin| begin.name), false)
                }
                Kind::UserRegionBegin { name, .. } | Kind::UserRegionEnd { name, .. } => {
                    (name, true)
                }
                Kind::UserLog { key, message, .. } => {
                    let message = context.tables.text(message).into_owned();
                    lot.messages.push(message);
                    (key, true)
                }
                _ => continue,
            };
            self.text(text, &mut lot.texts, context);
            if has_stack {
                self.stack(event.stack, &mut lot.stacks, context);
            }
        }
        for function in &lot.functions {
            self.text(function.function, &mut lot.texts, context);
        }
    }

    /// Adds to the last lot those lives of which it is not told what they run, and which were there before the trace.
    pub(super) fn rest(&mut self, lot: &mut Lot, context: &Context<'_>) {
        let lives = (0..).zip(&self.functions);
        let rest = lives.filter(|(_, is_told)| !**is_told);
        let rest: Vec<_> = rest
            .map(|(life, _)| LifeFunction::of(life, context))
            .collect();
        for function in &rest {
            self.text(function.function, &mut lot.texts, context);
        }
        lot.functions.extend(rest);
        let older = context.lives.iter().filter(|(_, life)| !life.is_created());
        lot.older.extend(older.map(|(LifeId(life), _)| life));
    }

    /// What a life runs, if that is told now and was not before.
    fn function(&mut self, life: u32, context: &Context<'_>) -> Option<LifeFunction> {
        let is_told = self.functions.get_mut(life as usize)?;
        if *is_told {
            return None;
        }
        let function = LifeFunction::of(life, context);
        *is_told = function.function != StringId(0);
        is_told.then_some(function)
    }

    fn text(&mut self, id: StringId, told: &mut Vec<(StringId, String)>, context: &Context<'_>) {
        if self.texts.insert(id) {
            told.push((id, context.tables.text(id).into_owned()));
        }
    }

    fn stack(
        &mut self,
        id: StackId,
        told: &mut Vec<(StackId, Vec<FrameLine>)>,
        context: &Context<'_>,
    ) {
        if self.stacks.insert(id) {
            told.push((id, frame_lines(id, context.tables)));
        }
    }
}
