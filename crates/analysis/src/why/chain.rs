//! The chain: who woke whom.

use exectrace_reader::{State, TaskId, Timestamp};

use super::Subject;
use super::timelines::{Doing, LivedTimelines};
use crate::frame_list::FrameList;
use crate::functions::Functions;
use crate::{Context, LifeId};

/// The most links that a chain has.
const LINKS_MAX: usize = 64;

/// A link of a chain: what a task did, and who ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// The task.
    pub task: TaskId,
    /// The function that it runs; empty if nothing tells it.
    pub function: String,
    /// What it did.
    pub state: State,
    /// Why it was blocked, if that is told.
    pub reason: String,
    /// Since when, as far as it matters to the link before.
    pub begin: Timestamp,
    /// Until when.
    pub end: Timestamp,
    /// Where it was: places of frames in the report, innermost first; empty if that is not told.
    pub stack: Vec<u32>,
    /// Who woke it, if it was blocked and somebody did.
    pub woken_by: Option<TaskId>,
    /// Where that one was; empty if that is not told.
    pub waker_stack: Vec<u32>,
}

/// Why a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainEnd {
    /// A timer woke the last one.
    Timer,
    /// The network did.
    Network,
    /// The last one was not blocked: it ran, waited for a worker or was in a system call.
    NotBlocked,
    /// The last one still waits.
    StillBlocked,
    /// Nobody is told to have woken the last one, or nothing is known of who did.
    NotTold,
    /// It goes on, round in a circle or longer than anybody wants to know.
    Cut,
}

impl ChainEnd {
    /// A word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::Network => "network",
            Self::NotBlocked => "not blocked",
            Self::StillBlocked => "still blocked",
            Self::NotTold => "not told",
            Self::Cut => "cut",
        }
    }
}

/// The links of a chain, and why it ends.
pub(super) fn links(
    subject: &Subject,
    timelines: &LivedTimelines<'_>,
    frames: &mut FrameList,
    context: &Context<'_>,
) -> (Vec<Link>, Option<ChainEnd>) {
    let search = Search { timelines, context };
    let Some(life) = subject.life else {
        return (Vec::new(), None);
    };
    let first = match subject.at {
        Some(at) => search.at(life, subject, at),
        None => search.longest(life, subject.begin, subject.end, Doing::is_blocked),
    };
    let Some(mut doing) = first else {
        return (Vec::new(), None);
    };
    let mut functions = Functions::default();
    let mut met: Vec<(LifeId, Timestamp)> = Vec::new();
    let mut links = Vec::new();
    loop {
        met.push((doing.life, doing.begin));
        let next = search.next(&doing);
        let is_woken = doing.is_blocked() && !doing.is_open_right && doing.waker != TaskId(0);
        links.push(Link {
            task: context.lives[doing.life].task,
            function: functions.of(&context.lives[doing.life], context.tables),
            state: doing.state,
            reason: context.tables.text(doing.reason).into_owned(),
            begin: doing.begin,
            end: doing.end,
            stack: frames.stack(doing.stack, context.tables),
            woken_by: is_woken.then_some(doing.waker),
            waker_stack: if doing.is_blocked() {
                frames.stack(doing.waker_stack, context.tables)
            } else {
                Vec::new()
            },
        });
        match next {
            Err(end) => return (links, Some(end)),
            Ok(next) if met.contains(&(next.life, next.begin)) || links.len() == LINKS_MAX => {
                return (links, Some(ChainEnd::Cut));
            }
            Ok(next) => doing = next,
        }
    }
}

/// Who did what.
struct Search<'a> {
    timelines: &'a LivedTimelines<'a>,
    context: &'a Context<'a>,
}

impl Search<'_> {
    /// What the subject, or whoever was there for it, did at a moment: where one thing ends and the next begins, the next.
    fn at(&self, life: LifeId, subject: &Subject, at: Timestamp) -> Option<Doing> {
        let ancestors = self.ancestors(life, subject.begin, subject.end);
        let doings = ancestors.into_iter().flat_map(|(life, from, to)| {
            let doings = self.timelines.doings(life, from, to);
            doings.filter(|doing| doing.begin <= at && at <= doing.end)
        });
        doings.max_by_key(|doing| (doing.begin, doing.end))
    }

    /// What a task did longest from a moment to another, and before it was there who created it.
    fn longest(
        &self,
        life: LifeId,
        from: Timestamp,
        to: Timestamp,
        is_asked_for: fn(&Doing) -> bool,
    ) -> Option<Doing> {
        let ancestors = self.ancestors(life, from, to).into_iter();
        let doings = ancestors.flat_map(|(life, from, to)| self.timelines.doings(life, from, to));
        // The last of several that are equally long is the one that let the others go on.
        doings
            .filter(is_asked_for)
            .max_by_key(|doing| (doing.ns(), doing.end))
    }

    /// A task, who created it, who created that one, each with from when to when it was the one.
    fn ancestors(
        &self,
        life: LifeId,
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<(LifeId, Timestamp, Timestamp)> {
        let (mut life, mut to) = (life, to);
        let mut ancestors = Vec::new();
        while ancestors.len() < LINKS_MAX {
            let begin = self.timelines.begin(life).unwrap_or(to).clamp(from, to);
            ancestors.push((life, begin, to));
            match self.timelines.creator(life, begin) {
                Some(creator) if from < begin => (life, to) = (creator, begin),
                _ => break,
            }
        }
        ancestors
    }

    /// What the one who woke a task did longest while it was blocked.
    fn next(&self, doing: &Doing) -> Result<Doing, ChainEnd> {
        if !doing.is_blocked() {
            return Err(ChainEnd::NotBlocked);
        }
        if doing.is_open_right {
            return Err(ChainEnd::StillBlocked);
        }
        if doing.waker == TaskId(0) {
            return Err(self.by_nobody(doing));
        }
        let waker = self.timelines.life_of(doing.waker, doing.end);
        let waker = waker.filter(|waker| *waker != doing.life);
        let next = waker.and_then(|waker| self.longest(waker, doing.begin, doing.end, |_| true));
        next.ok_or(ChainEnd::NotTold)
    }

    /// What wakes by itself those who wait for such a reason.
    fn by_nobody(&self, doing: &Doing) -> ChainEnd {
        match self.context.tables.string(doing.reason) {
            b"sleep" => ChainEnd::Timer,
            b"network" => ChainEnd::Network,
            _ => ChainEnd::NotTold,
        }
    }
}
