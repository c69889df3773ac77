//! How long user tasks and regions of one name took.
//!
//! What began and ended is closed, and only that has a duration. The rest took at least as long as the trace shows, and is counted
//! apart. In a window counts what ended in it, with its whole duration, and what is open where the window ends: so windows that
//! follow on each other have each end once.

mod instance;
mod measured;
mod record;

use std::cmp::Reverse;
use std::collections::HashMap;

use exectrace_reader::{Event, StringId};

pub(crate) use self::measured::{Measured, Place};
pub(crate) use self::record::AnnotationRecord;
use crate::annotations::Ended;
use crate::{
    Analysis, Annotations, AnnotationsReport, Context, Distribution, Filter, Histogram, Moment,
};
pub use instance::{LatencyInstance, LatencyLog, LatencyParent, LatencyPart};

/// Measures user tasks and regions, by name.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    annotations: Annotations,
    /// The name that is asked for.
    name: Option<String>,
    /// How many of a name are told one by one.
    most: usize,
    filter: Filter,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnnotationKind {
    /// User tasks.
    UserTask,
    /// Regions.
    Region,
}

impl AnnotationKind {
    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserTask => "user_task",
            Self::Region => "region",
        }
    }
}

/// How long user tasks and regions took.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LatencyReport {
    /// By kind and name: user tasks first, and of each kind first those that took longest in all. Only those of the name that is asked
    /// for, if one is.
    pub groups: Vec<LatencyGroup>,
    /// Ends in the window that end nothing.
    pub stray_ends: Vec<LatencyStrayEnd>,
}

/// User tasks or regions of one name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LatencyGroup {
    /// What they are.
    pub kind: AnnotationKind,
    /// Their name; `None` for user tasks whose name the trace does not tell.
    pub name: Option<String>,
    /// How long the closed ones took, in nanoseconds.
    pub closed: Option<Distribution>,
    /// The same by size.
    pub histogram: Histogram,
    /// Those that began before the trace.
    pub open_left: OpenEnds,
    /// Those that had not ended.
    pub open_right: OpenEnds,
    /// Those that did both.
    pub open_both: OpenEnds,
    /// The longest, if a name is asked for.
    pub worst: Vec<LatencyInstance>,
}

/// User tasks or regions that are not seen as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenEnds {
    /// How many.
    pub count: u64,
    /// The longest took at least as long, in nanoseconds.
    pub at_least_ns: i64,
}

/// An end that ends nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyStrayEnd {
    /// Of what.
    pub kind: AnnotationKind,
    /// Its name; `None` if the trace does not tell it.
    pub name: Option<String>,
    /// When, and where.
    pub moment: Moment,
}

impl Latency {
    /// Measures those of a name, or all; of a name that many are told one by one.
    #[must_use]
    pub fn new(name: Option<String>, most: usize) -> Self {
        Self {
            annotations: Annotations::default(),
            name,
            most,
            filter: Filter::default(),
        }
    }

    /// The same of some user tasks and regions alone: a filter for [`RecordKind::Annotation`](crate::RecordKind::Annotation).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

impl Analysis for Latency {
    type Report = LatencyReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.outside(event, context);
    }

    fn report(self, context: &Context<'_>) -> LatencyReport {
        let Self {
            annotations,
            name,
            most,
            filter,
        } = self;
        let annotations = annotations.report(context);
        let tables = context.tables;
        let is_asked_for = |it: Option<StringId>| match (&name, it) {
            (None, _) => true,
            (Some(name), Some(it)) => {
                name.as_bytes() == tables.string(it) || *name == tables.text(it)
            }
            (Some(_), None) => false,
        };
        let mut groups = Vec::new();
        for ((kind, it), measured) in by_name(&filter, &annotations, context) {
            if is_asked_for(it) {
                let most = if name.is_some() { most } else { 0 };
                groups.push(LatencyGroup::of(
                    (kind, it),
                    measured,
                    most,
                    &annotations,
                    context,
                ));
            }
        }
        groups.sort_by(|a, b| {
            let by_kind = a.kind.cmp(&b.kind);
            let by_time = b.total_ns().cmp(&a.total_ns());
            by_kind.then(by_time).then_with(|| a.name.cmp(&b.name))
        });
        let stray_ends = stray_ends(&annotations, context, is_asked_for);
        LatencyReport { groups, stray_ends }
    }
}

/// What is measured in the window, by kind and name.
fn by_name(
    filter: &Filter,
    annotations: &AnnotationsReport,
    context: &Context<'_>,
) -> HashMap<(AnnotationKind, Option<StringId>), Vec<Measured>> {
    let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
    for measured in Measured::all(annotations, context) {
        let record = AnnotationRecord {
            measured: &measured,
            annotations,
            context,
        };
        if !filter.lets_through(&record) {
            continue;
        }
        let kind = measured.place.kind();
        let name = measured.place.name(annotations);
        by_name.entry((kind, name)).or_default().push(measured);
    }
    by_name
}

fn stray_ends(
    annotations: &AnnotationsReport,
    context: &Context<'_>,
    is_asked_for: impl Fn(Option<StringId>) -> bool,
) -> Vec<LatencyStrayEnd> {
    let stray_ends = annotations.stray_ends.iter();
    let in_window = stray_ends.filter(|it| context.window.contains(it.moment.time));
    let named = in_window.map(|it| {
        let (kind, name) = match it.ended {
            Ended::UserTask(place) => {
                let place = Place::UserTask(place);
                (AnnotationKind::UserTask, place.name(annotations))
            }
            Ended::Region(_, name) => (AnnotationKind::Region, Some(name)),
        };
        (kind, name, it.moment)
    });
    let asked_for = named.filter(|&(_, name, _)| is_asked_for(name));
    let told = asked_for.map(|(kind, name, moment)| LatencyStrayEnd {
        kind,
        name: name.map(|name| context.tables.text(name).into_owned()),
        moment,
    });
    told.collect()
}

impl LatencyGroup {
    fn of(
        (kind, name): (AnnotationKind, Option<StringId>),
        mut measured: Vec<Measured>,
        most: usize,
        annotations: &AnnotationsReport,
        context: &Context<'_>,
    ) -> Self {
        let mut group = Self {
            kind,
            name: name.map(|name| context.tables.text(name).into_owned()),
            closed: None,
            histogram: Histogram::default(),
            open_left: OpenEnds::default(),
            open_right: OpenEnds::default(),
            open_both: OpenEnds::default(),
            worst: Vec::new(),
        };
        let mut closed = Vec::new();
        for it in &measured {
            match (it.is_open_left, it.is_open_right) {
                (false, false) => closed.push(it.ns()),
                (true, false) => group.open_left.add(it.ns()),
                (false, true) => group.open_right.add(it.ns()),
                (true, true) => group.open_both.add(it.ns()),
            }
        }
        group.histogram = Histogram::of(&closed);
        group.closed = Distribution::of(closed);
        measured.sort_by_key(|it| (Reverse(it.ns()), it.begin, it.place));
        measured.truncate(most);
        group.worst = LatencyInstance::all(&measured, annotations, context);
        group
    }

    /// How many there are, open ones among them.
    #[must_use]
    pub fn count(&self) -> u64 {
        let closed = self.closed.map_or(0, |closed| closed.count);
        closed + self.open_left.count + self.open_right.count + self.open_both.count
    }

    /// How long the closed ones took in all.
    fn total_ns(&self) -> i64 {
        self.closed.map_or(0, |closed| closed.sum)
    }
}

impl OpenEnds {
    fn add(&mut self, ns: i64) {
        self.count += 1;
        self.at_least_ns = self.at_least_ns.max(ns);
    }
}
