//! What a report looks for, whatever that is: so one pass over a trace serves several.

use exectrace_analysis::{Analysis, Context, Interval};
use exectrace_reader::Event;

use crate::{About, Distrust, ReportError};

/// What comes of a report that was told of a trace as a whole: its JSON.
pub(crate) type Told = Result<Vec<u8>, ReportError>;

/// Tells it, once all was read.
type Telling<'a> = Box<dyn FnOnce(&About<'_>, &Distrust) -> Told + 'a>;

/// What a report looks for, and how it tells what it found.
pub(crate) struct Plan<'a> {
    search: Box<dyn Search<'a> + 'a>,
}

/// An analysis whose report is told somehow.
trait Search<'a> {
    fn event(&mut self, event: &Event, context: &Context<'_>);
    fn outside(&mut self, event: &Event, context: &Context<'_>);
    fn interval(&mut self, interval: &Interval, context: &Context<'_>);
    fn report(self: Box<Self>, context: &Context<'_>) -> Telling<'a>;
}

struct Planned<A, T> {
    analysis: A,
    tell: T,
}

impl<'a> Plan<'a> {
    pub(crate) fn new<A, T>(analysis: A, tell: T) -> Self
    where
        A: Analysis + 'a,
        A::Report: 'a,
        T: FnOnce(&A::Report, &About<'_>, &Distrust) -> Told + 'a,
    {
        let search = Box::new(Planned { analysis, tell });
        Self { search }
    }
}

impl<'a, A, T> Search<'a> for Planned<A, T>
where
    A: Analysis,
    A::Report: 'a,
    T: FnOnce(&A::Report, &About<'_>, &Distrust) -> Told + 'a,
{
    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.analysis.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.analysis.outside(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        self.analysis.interval(interval, context);
    }

    fn report(self: Box<Self>, context: &Context<'_>) -> Telling<'a> {
        let Self { analysis, tell } = *self;
        let report = analysis.report(context);
        Box::new(move |about, distrust| tell(&report, about, distrust))
    }
}

/// Plans that are carried out together.
pub(crate) struct Plans<'a>(pub(crate) Vec<Plan<'a>>);

impl<'a> Analysis for Plans<'a> {
    type Report = Vec<Telling<'a>>;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        for Plan { search } in &mut self.0 {
            search.event(event, context);
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        for Plan { search } in &mut self.0 {
            search.outside(event, context);
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        for Plan { search } in &mut self.0 {
            search.interval(interval, context);
        }
    }

    fn report(self, context: &Context<'_>) -> Self::Report {
        let plans = self.0.into_iter();
        plans
            .map(|Plan { search }| search.report(context))
            .collect()
    }
}
