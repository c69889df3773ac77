//! The path: who it was that all waited for.

use std::cmp::Reverse;
use std::collections::HashMap;

use exectrace_reader::{State, StringId, Timestamp};

use super::Subject;
use super::timelines::{Doing, LivedTimelines};
use crate::functions::Functions;
use crate::{Context, LifeId};

/// How often somebody waits for one who waits for another. Beyond that the last wait is a part by itself.
const DEPTH_MAX: usize = 64;

/// A part of the path: one state of tasks that run the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathPart {
    /// Whether it is the subject's own, or the task's that ended it.
    pub is_own: bool,
    /// The function that the tasks run; empty if nothing tells it.
    pub function: String,
    /// What they did.
    pub state: State,
    /// Why they were blocked, if that is told.
    pub reason: String,
    /// How long, in nanoseconds.
    pub ns: i64,
    /// In how many pieces.
    pub count: u64,
}

/// The parts of the path, the largest first.
pub(super) fn parts(
    subject: &Subject,
    timelines: &LivedTimelines<'_>,
    context: &Context<'_>,
) -> Vec<PathPart> {
    let mut path = Path {
        timelines,
        context,
        sums: HashMap::new(),
    };
    path.walk(subject.life, subject.begin, subject.end, 0);
    let mut functions = Functions::default();
    let mut by_function: HashMap<(bool, String, u8, StringId), PathPart> = HashMap::new();
    for ((life, state, reason), (ns, count)) in path.sums {
        let is_own = life.is_some() && life == subject.life;
        let function = life.map_or_else(String::new, |life| {
            functions.of(&context.lives[life], context.tables)
        });
        let key = (is_own, function.clone(), state as u8, reason);
        let part = by_function.entry(key).or_insert_with(|| PathPart {
            is_own,
            function,
            state,
            reason: context.tables.text(reason).into_owned(),
            ns: 0,
            count: 0,
        });
        part.ns += ns;
        part.count += count;
    }
    let mut parts: Vec<PathPart> = by_function.into_values().collect();
    parts.sort_by(|a, b| {
        let key = |part: &PathPart| (Reverse(part.ns), Reverse(part.is_own), part.state.name());
        let texts =
            |a: &PathPart, b: &PathPart| (&a.function, &a.reason).cmp(&(&b.function, &b.reason));
        key(a).cmp(&key(b)).then_with(|| texts(a, b))
    });
    parts
}

/// A path in the making.
struct Path<'a> {
    timelines: &'a LivedTimelines<'a>,
    context: &'a Context<'a>,
    /// Nanoseconds and pieces, by who did what and why.
    sums: HashMap<(Option<LifeId>, State, StringId), (i64, u64)>,
}

impl Path<'_> {
    /// Adds what a task, and whoever it waited for, did from a moment to another.
    fn walk(&mut self, life: Option<LifeId>, from: Timestamp, to: Timestamp, depth: usize) {
        let Some(life) = life else {
            return self.add(None, State::Undetermined, StringId(0), from, to);
        };
        let begin = self.timelines.begin(life).unwrap_or(to).clamp(from, to);
        if from < begin {
            let creator = self.creator(life).filter(|_| depth < DEPTH_MAX);
            self.walk(creator, from, begin, depth + 1);
        }
        let mut end = begin;
        for doing in self.timelines.doings(life, begin, to) {
            end = doing.end;
            match self.waker(&doing).filter(|_| depth < DEPTH_MAX) {
                Some(waker) => self.walk(Some(waker), doing.begin, doing.end, depth + 1),
                None => self.add(
                    Some(life),
                    doing.state,
                    doing.reason,
                    doing.begin,
                    doing.end,
                ),
            }
        }
        if end < to {
            self.add(Some(life), State::Undetermined, StringId(0), end, to);
        }
    }

    /// Whom a task waited for: nobody, if it was not blocked, nobody woke it, or it would be itself.
    fn waker(&self, doing: &Doing) -> Option<LifeId> {
        if !doing.is_blocked() || doing.is_open_right {
            return None;
        }
        let waker = self.timelines.life_of(doing.waker, doing.end)?;
        (waker != doing.life).then_some(waker)
    }

    fn creator(&self, life: LifeId) -> Option<LifeId> {
        self.timelines.creator(life, self.context.lives[life].begin)
    }

    fn add(
        &mut self,
        life: Option<LifeId>,
        state: State,
        reason: StringId,
        from: Timestamp,
        to: Timestamp,
    ) {
        let sum = self.sums.entry((life, state, reason)).or_default();
        sum.0 += to.since_ns(from);
        sum.1 += 1;
    }
}
