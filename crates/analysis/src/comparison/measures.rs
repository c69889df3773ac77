//! What of a trace can be compared with another one.

use std::collections::BTreeMap;

use exectrace_reader::{Event, State, StringId, Timestamp};

use super::doings::{Doing, Doings};
use super::groups::{Done, Group, Groups};
use super::quantity::{Measure, TaskState, Topic};
use super::series::{Instance, Series, TimeBlocks};
use super::slices::Slices;
use super::stretch_times::StretchTimes;
use crate::latency::{AnnotationRecord, Measured};
use crate::{
    Analysis, AnnotationKind, Annotations, AnnotationsReport, Context, Filter, Interval,
    RecordKind, SharedFilter,
};

/// Measures a trace, so that a [`Comparison`](crate::Comparison) can tell how another one differs.
#[derive(Clone, Debug)]
pub struct Measures {
    annotations: Annotations,
    /// What each life did: places of the list.
    lives: Slices,
    doings: Doings,
    stretches: StretchTimes,
    /// Which user tasks and regions count.
    annotation_filter: Filter,
    /// Which tasks do.
    task_filter: Filter,
    has_begun: bool,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeasuresReport {
    /// How long the trace, or the window, is, in nanoseconds.
    pub span_ns: i64,
    /// Into how many blocks of time it is divided; none if it is too short.
    pub(super) time_blocks: usize,
    /// Whether a user task or region is whole in it, whatever the filter.
    pub(super) has_annotations: bool,
    pub(super) quantities: BTreeMap<(Topic, Measure), Series>,
}

impl Default for Measures {
    fn default() -> Self {
        Self::of(&SharedFilter::default())
    }
}

impl Measures {
    /// The kinds of records that are measured: of each what it took, did or where it was.
    pub const KINDS: [RecordKind; 3] = [
        RecordKind::Annotation,
        RecordKind::Task,
        RecordKind::Stretch,
    ];

    /// Those of them of which more is worse.
    pub const COST_KINDS: [RecordKind; 2] = [RecordKind::Annotation, RecordKind::Task];

    /// Measures what a filter lets through: user tasks and regions, tasks, and stretches of time and samples by stack.
    #[must_use]
    pub fn of(filter: &SharedFilter) -> Self {
        Self {
            annotations: Annotations::default(),
            lives: Slices::default(),
            doings: Doings::default(),
            stretches: StretchTimes::of(filter.of(RecordKind::Stretch)),
            annotation_filter: filter.of(RecordKind::Annotation),
            task_filter: filter.of(RecordKind::Task),
            has_begun: false,
        }
    }

    /// Time counts since the begin of what is looked at.
    fn begin(&mut self, context: &Context<'_>) {
        if !self.has_begun {
            self.has_begun = true;
            let from = context.window.from();
            let begin = from.map_or(context.begin, |from| from.max(context.begin));
            self.lives.begin(begin);
            self.stretches.begin(begin);
        }
    }
}

impl Analysis for Measures {
    type Report = MeasuresReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.begin(context);
        self.annotations.event(event, context);
        self.stretches.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.outside(event, context);
        self.stretches.outside(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        self.begin(context);
        let state = match interval.state {
            State::Running => TaskState::Running,
            State::Runnable => TaskState::Runnable,
            State::Waiting | State::Idle => TaskState::Blocked,
            State::Syscall => TaskState::Syscall,
            State::Undetermined | State::NotExist => return,
        };
        let reason = match state {
            TaskState::Blocked => interval.reason,
            _ => StringId(0),
        };
        let doing = Doing { state, reason };
        let (end, ns) = (interval.end.time, interval.ns());
        if state != TaskState::Running {
            self.stretches.interval(interval, context);
        }
        let place = self.doings.place(doing);
        self.lives.add(interval.life.0 as usize, place, end, ns);
    }

    fn report(mut self, context: &Context<'_>) -> MeasuresReport {
        let mut report = MeasuresReport {
            span_ns: 0,
            time_blocks: 0,
            has_annotations: false,
            quantities: BTreeMap::new(),
        };
        let Some((from, to)) = context.span() else {
            return report;
        };
        report.span_ns = to.since_ns(from);
        let width_ns = self.lives.until(to);
        let blocks = TimeBlocks::new(from, report.span_ns, width_ns);
        report.time_blocks = blocks.count();
        let annotations = self.annotations.report(context);
        report.annotations(&annotations, &self.annotation_filter, context);
        let done = Done {
            lives: &self.lives,
            doings: &self.doings,
            blocks: &blocks,
            context,
        };
        for (name, group) in Groups::of(done, &self.task_filter).by_name {
            report.group(Topic::Group(name), group, done);
        }
        self.stretches
            .report((to, &blocks), context, &mut report.quantities);
        report
    }
}

impl MeasuresReport {
    /// How long those user tasks and regions took that ended in the window and began in the trace.
    fn annotations(
        &mut self,
        annotations: &AnnotationsReport,
        filter: &Filter,
        context: &Context<'_>,
    ) {
        let mut by_name: BTreeMap<(AnnotationKind, StringId), Vec<_>> = BTreeMap::new();
        for measured in &Measured::all(annotations, context) {
            let is_whole = !measured.is_open_left && !measured.is_open_right;
            let record = AnnotationRecord {
                measured,
                annotations,
                context,
            };
            if !is_whole || !context.window.contains(measured.end) {
                continue;
            }
            self.has_annotations = true;
            if filter.lets_through(&record) {
                let name = measured.place.name(annotations).unwrap_or_default();
                let of_name = by_name.entry((measured.place.kind(), name)).or_default();
                of_name.push((measured.begin, measured.end));
            }
        }
        // Texts of two names can look alike.
        let mut by_topic: BTreeMap<Topic, Vec<(Timestamp, Timestamp)>> = BTreeMap::new();
        for ((kind, name), instances) in by_name {
            let name = context.tables.text(name).into_owned();
            let topic = match kind {
                AnnotationKind::UserTask => Topic::UserTask(name),
                AnnotationKind::Region => Topic::Region(name),
            };
            by_topic.entry(topic).or_default().extend(instances);
        }
        for (topic, mut instances) in by_topic {
            instances.sort();
            let instances = instances.into_iter().map(|(begin, end)| {
                let ns = end.since_ns(begin);
                let value = ns;
                Instance { begin, ns, value }
            });
            for (measure, series) in Series::took(&instances.collect::<Vec<_>>()) {
                self.quantities.insert((topic.clone(), measure), series);
            }
        }
    }

    fn group(&mut self, topic: Topic, group: Group, done: Done<'_>) {
        group.measures(done, |measure, series| {
            self.quantities.insert((topic.clone(), measure), series);
        });
    }
}
