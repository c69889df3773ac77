//! Why a task, or a user task, took as long as it did.
//!
//! **The path.** Whoever waited did so for somebody: while a task was blocked, what counts is what the task did that woke it, and
//! before that task was there, what its creator did. So from the end of the subject back to its begin each moment belongs to one
//! task in one state, and the parts of the path add up to the whole, to the nanosecond. Where nobody woke, as when a timer or the
//! network did, the wait itself is the part.
//!
//! **The chain.** The longest wait of the subject, or what it did at the moment that is asked for; then what the one who woke it did
//! longest meanwhile; and so on, until nobody woke or somebody was not blocked.
//!
//! Two passes: [`SubjectSearch`] finds from when to when the subject was there; [`Why`] looks at that window alone, and keeps the
//! states of all tasks in it, a dozen bytes each, since nobody knows beforehand who will wake whom.

mod chain;
mod packed_stretches;
mod path;
mod record;
mod search;
mod subject;
mod timelines;

pub use chain::{ChainEnd, Link};
pub use path::PathPart;
pub use search::SubjectSearch;
pub use subject::Subject;

use exectrace_reader::Event;

use crate::creation::Creation;
use crate::frame_list::FrameList;
use crate::{Analysis, Context, Filter, Interval, NamedFrame};
use timelines::Timelines;

/// Finds out why a subject took so long. It is for a pass over the subject's window.
#[derive(Clone, Debug)]
pub struct Why {
    subject: Subject,
    timelines: Timelines,
    filter: Filter,
}

/// Why a subject took so long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhyReport {
    /// What took so long.
    pub subject: Subject,
    /// Where the time went: whoever it was that all waited for, the largest part first. The sum of all is the subject's
    /// duration.
    pub path: Vec<PathPart>,
    /// Who woke whom: the first one is about the subject, or about the task that ended it.
    pub chain: Vec<Link>,
    /// Why the chain ends there; `None` if there is none, since the subject was never blocked.
    pub chain_end: Option<ChainEnd>,
    /// The frames that stacks refer to by their places here.
    pub frames: Vec<NamedFrame>,
}

impl Why {
    /// For a subject that a [`SubjectSearch`] found in the same trace.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        Self {
            subject,
            timelines: Timelines::default(),
            filter: Filter::default(),
        }
    }

    /// The same of some parts of the path alone: a filter for [`RecordKind::PathPart`](crate::RecordKind::PathPart).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

impl Analysis for Why {
    type Report = WhyReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(creation) = Creation::of(event, context) {
            self.timelines.create(creation);
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, _: &Context<'_>) {
        self.timelines.add(interval);
    }

    fn report(self, context: &Context<'_>) -> WhyReport {
        let timelines = self.timelines.of(context.lives);
        let mut frames = FrameList::default();
        let mut path = path::parts(&self.subject, &timelines, context);
        path.retain(|part| self.filter.lets_through(part));
        let (chain, chain_end) = chain::links(&self.subject, &timelines, &mut frames, context);
        WhyReport {
            subject: self.subject,
            path,
            chain,
            chain_end,
            frames: frames.frames,
        }
    }
}
