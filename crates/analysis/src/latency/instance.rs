//! One user task or region, with its parts.

use std::cmp::Reverse;
use std::collections::HashMap;

use exectrace_reader::{Tables, TaskId, Timestamp, UserTaskId};

use super::AnnotationKind;
use super::measured::{Measured, Place};
use crate::annotations::{UserLog, UserRegionPlace, UserTaskPlace};
use crate::{AnnotationsReport, Context, Moment};

/// How many parts of one are told.
const PARTS_MAX: usize = 10;
/// How many logs of one are told.
const LOGS_MAX: usize = 10;

/// A user task or a region.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyInstance {
    /// It itself.
    pub whole: LatencyPart,
    /// The function that it began in; empty if that is not told.
    pub function: String,
    /// The user task that it is a part of, or that the region belongs to.
    pub parent: Option<LatencyParent>,
    /// Its parts in the order of their begins, the longest ones if there are many: of a user task the user tasks and the outermost
    /// regions that belong to it; of a region those inside it.
    pub parts: Vec<LatencyPart>,
    /// How many parts it has.
    pub parts_total: usize,
    /// Its first logs.
    pub logs: Vec<LatencyLog>,
    /// How many logs it has.
    pub logs_total: usize,
}

/// From when to when something was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyPart {
    /// What it is.
    pub kind: AnnotationKind,
    /// Its name; `None` if the trace does not tell it.
    pub name: Option<String>,
    /// The user task, or that of the region.
    pub user_task: Option<UserTaskId>,
    /// The task that began it, or that ended it if its begin is not told.
    pub task: TaskId,
    /// When it began, or the trace.
    pub begin: Timestamp,
    /// When it ended, or what is looked at.
    pub end: Timestamp,
    /// It began before the trace.
    pub is_open_left: bool,
    /// It had not ended.
    pub is_open_right: bool,
}

/// What something is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyParent {
    /// The user task.
    pub user_task: UserTaskId,
    /// Its name; `None` if the trace does not tell it, as of one that began before.
    pub name: Option<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyLog {
    /// When, and who logged it.
    pub moment: Moment,
    /// Its key.
    pub key: String,
    /// The message.
    pub message: String,
}

impl LatencyInstance {
    /// Those that were measured, with their parts.
    pub(super) fn all(
        measured: &[Measured],
        annotations: &AnnotationsReport,
        context: &Context<'_>,
    ) -> Vec<Self> {
        let mut parts = Parts::of(measured, annotations);
        let instances = measured.iter().map(|it| {
            let parts = parts.by_whole.remove(&it.place).unwrap_or_default();
            Self::of(it, &parts, annotations, context)
        });
        instances.collect()
    }

    fn of(
        measured: &Measured,
        parts: &PartsOfOne,
        annotations: &AnnotationsReport,
        context: &Context<'_>,
    ) -> Self {
        let tables = context.tables;
        let mut longest: Vec<Measured> = parts
            .places
            .iter()
            .map(|&place| Measured::of(place, annotations, context))
            .collect();
        longest.sort_by_key(|it| (Reverse(it.ns()), it.begin, it.place));
        longest.truncate(PARTS_MAX);
        longest.sort_by_key(|it| (it.begin, it.place));
        let whole = LatencyPart::of(measured, annotations, tables);
        let stack = begin_or_end(measured.place, annotations).map(|it| it.stack);
        let frame = stack.and_then(|stack| tables.frames(stack).next());
        let logs = parts.logs.iter().take(LOGS_MAX);
        Self {
            function: frame.map_or_else(String::new, |it| tables.text(it.function).into_owned()),
            parent: parent(measured.place, annotations).map(|place| LatencyParent {
                user_task: annotations.user_tasks[place.0].id,
                name: Place::UserTask(place)
                    .name(annotations)
                    .map(|name| tables.text(name).into_owned()),
            }),
            parts: longest
                .iter()
                .map(|it| LatencyPart::of(it, annotations, tables))
                .collect(),
            parts_total: parts.places.len(),
            logs: logs
                .map(|&log| LatencyLog::of(&annotations.logs[log], tables))
                .collect(),
            logs_total: parts.logs.len(),
            whole,
        }
    }
}

/// The parts and logs of some.
#[derive(Default)]
struct Parts {
    by_whole: HashMap<Place, PartsOfOne>,
}

#[derive(Default)]
struct PartsOfOne {
    places: Vec<Place>,
    /// Places among the logs.
    logs: Vec<usize>,
}

impl Parts {
    fn of(measured: &[Measured], annotations: &AnnotationsReport) -> Self {
        let mut parts = Self::default();
        for it in measured {
            parts.by_whole.entry(it.place).or_default();
        }
        if measured.is_empty() {
            return parts;
        }
        for (user_task, place) in annotations.user_tasks.iter().zip(0..) {
            let part = Place::UserTask(UserTaskPlace(place));
            parts.add(user_task.parent.map(Place::UserTask), part);
        }
        for (region, place) in annotations.regions.iter().zip(0..) {
            let part = Place::Region(UserRegionPlace(place));
            parts.add(region.parent.map(Place::Region), part);
            // Of a user task only the outermost ones.
            let outer = region
                .parent
                .map(|parent| annotations.regions[parent.0].user_task);
            if outer != Some(region.user_task) {
                parts.add(region.user_task.map(Place::UserTask), part);
            }
        }
        for (log, place) in annotations.logs.iter().zip(0..) {
            let wholes = [
                log.user_task.map(Place::UserTask),
                log.region.map(Place::Region),
            ];
            for whole in wholes.into_iter().flatten() {
                if let Some(whole) = parts.by_whole.get_mut(&whole) {
                    whole.logs.push(place);
                }
            }
        }
        parts
    }

    fn add(&mut self, whole: Option<Place>, part: Place) {
        let whole = whole.and_then(|whole| self.by_whole.get_mut(&whole));
        if let Some(whole) = whole {
            whole.places.push(part);
        }
    }
}

/// The user task that it is a part of.
fn parent(place: Place, annotations: &AnnotationsReport) -> Option<UserTaskPlace> {
    match place {
        Place::UserTask(place) => annotations.user_tasks[place.0].parent,
        Place::Region(place) => annotations.regions[place.0].user_task,
    }
}

impl LatencyLog {
    fn of(log: &UserLog, tables: &Tables<'_>) -> Self {
        Self {
            moment: log.moment,
            key: tables.text(log.key).into_owned(),
            message: tables.text(log.message).into_owned(),
        }
    }
}

impl LatencyPart {
    /// How long it took, or at least took.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }

    fn of(measured: &Measured, annotations: &AnnotationsReport, tables: &Tables<'_>) -> Self {
        let moment = begin_or_end(measured.place, annotations);
        let name = measured.place.name(annotations);
        let (user_task, task) = match measured.place {
            Place::UserTask(place) => (Some(place), None),
            Place::Region(place) => {
                let region = &annotations.regions[place.0];
                (region.user_task, Some(region.task))
            }
        };
        Self {
            kind: measured.place.kind(),
            name: name.map(|name| tables.text(name).into_owned()),
            user_task: user_task.map(|place| annotations.user_tasks[place.0].id),
            task: task.or(moment.map(|it| it.task)).unwrap_or_default(),
            begin: measured.begin,
            end: measured.end,
            is_open_left: measured.is_open_left,
            is_open_right: measured.is_open_right,
        }
    }
}

/// What is told of its begin, else of its end.
pub(super) fn begin_or_end(place: Place, annotations: &AnnotationsReport) -> Option<Moment> {
    match place {
        Place::UserTask(place) => {
            let user_task = &annotations.user_tasks[place.0];
            user_task.begin.or(user_task.end)
        }
        Place::Region(place) => {
            let region = &annotations.regions[place.0];
            region.begin.or(region.end)
        }
    }
}
