//! What all analyses have in common.

use exectrace_reader::{Description, Event, Tables, Timestamp};

use crate::{Interval, LifeId, Lives, Threads, Window};

/// A fold over a trace, which a [`Pass`](crate::Pass) drives.
///
/// A tuple of analyses is one, too, so that one pass feeds several; and so is one that may be `None`.
pub trait Analysis {
    /// What comes of it.
    type Report;

    /// An event inside the window, in the order of a reader.
    fn event(&mut self, event: &Event, context: &Context<'_>) {
        let _ = (event, context);
    }

    /// An event before or behind the window: for what an analysis has to know of things that reach into it.
    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        let _ = (event, context);
    }

    /// A task's state has ended, or the trace has: what of it is in the window. It comes before the event that ended it.
    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let _ = (interval, context);
    }

    /// All was taken.
    fn report(self, context: &Context<'_>) -> Self::Report;
}

/// What is known of the trace besides an event.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// What the ids of strings and stacks refer to.
    pub tables: &'a Tables<'a>,
    /// The tasks so far.
    pub lives: &'a Lives,
    /// The life that an event is about, if it is a transition of a task or a sample.
    pub life: Option<LifeId>,
    /// The threads of a recording of exectrace so far.
    pub threads: &'a Threads,
    /// What a recording of exectrace has said about itself so far.
    pub description: &'a Description,
    /// What of the trace is looked at.
    pub window: Window,
    /// When the trace begins: with its first event.
    pub begin: Timestamp,
    /// When it ends, as far as is known: with the last event.
    pub end: Timestamp,
}

impl Context<'_> {
    /// From when to when the trace is looked at: the window, as far as the trace goes. `None` if it lies outside.
    #[must_use]
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.window.clip(self.begin, self.end)
    }
}

/// One that may not be asked for.
impl<A: Analysis> Analysis for Option<A> {
    type Report = Option<A::Report>;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(analysis) = self {
            analysis.event(event, context);
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if let Some(analysis) = self {
            analysis.outside(event, context);
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        if let Some(analysis) = self {
            analysis.interval(interval, context);
        }
    }

    fn report(self, context: &Context<'_>) -> Self::Report {
        self.map(|analysis| analysis.report(context))
    }
}

/// Tuples feed each of their members.
macro_rules! tuple {
    ($($analysis:ident $place:tt),+) => {
        impl<$($analysis: Analysis),+> Analysis for ($($analysis,)+) {
            type Report = ($($analysis::Report,)+);

            fn event(&mut self, event: &Event, context: &Context<'_>) {
                $(self.$place.event(event, context);)+
            }

            fn outside(&mut self, event: &Event, context: &Context<'_>) {
                $(self.$place.outside(event, context);)+
            }

            fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
                $(self.$place.interval(interval, context);)+
            }

            fn report(self, context: &Context<'_>) -> Self::Report {
                ($(self.$place.report(context),)+)
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
