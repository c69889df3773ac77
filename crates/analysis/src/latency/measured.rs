//! User tasks and regions with their begins and ends, known or not.

use exectrace_reader::{StringId, Timestamp};

use super::AnnotationKind;
use crate::annotations::{UserRegionPlace, UserTaskPlace};
use crate::{AnnotationsReport, Context};

/// A user task or a region of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    UserTask(UserTaskPlace),
    Region(UserRegionPlace),
}

/// What is seen of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) place: Place,
    pub(crate) begin: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) is_open_left: bool,
    pub(crate) is_open_right: bool,
}

impl Place {
    pub(crate) fn kind(self) -> AnnotationKind {
        match self {
            Self::UserTask(_) => AnnotationKind::UserTask,
            Self::Region(_) => AnnotationKind::Region,
        }
    }

    /// The name, if it is told.
    pub(crate) fn name(self, annotations: &AnnotationsReport) -> Option<StringId> {
        match self {
            Self::UserTask(place) => {
                let user_task = &annotations.user_tasks[place.0];
                let is_told = user_task.begin.is_some() || user_task.name != StringId(0);
                is_told.then_some(user_task.name)
            }
            Self::Region(place) => Some(annotations.regions[place.0].name),
        }
    }
}

impl Measured {
    /// All that ended in the window or is open where it ends.
    pub(crate) fn all(annotations: &AnnotationsReport, context: &Context<'_>) -> Vec<Self> {
        let Some((from, _)) = context.span() else {
            return Vec::new();
        };
        let user_tasks = (0..annotations.user_tasks.len()).map(UserTaskPlace);
        let regions = (0..annotations.regions.len()).map(UserRegionPlace);
        let places = user_tasks
            .map(Place::UserTask)
            .chain(regions.map(Place::Region));
        let all = places.map(|place| Self::of(place, annotations, context));
        all.filter(|it| it.is_open_right || it.end >= from)
            .collect()
    }

    /// One of them; what has no end in the window lasts as long as that.
    pub(crate) fn of(place: Place, annotations: &AnnotationsReport, context: &Context<'_>) -> Self {
        let (begin, end) = match place {
            Place::UserTask(place) => {
                let user_task = &annotations.user_tasks[place.0];
                (user_task.begin, user_task.end.map(|end| end.time))
            }
            Place::Region(place) => {
                let region = &annotations.regions[place.0];
                (
                    region.begin,
                    region.end.map(|end| end.time).or(region.task_end),
                )
            }
        };
        let window_end = context.span().map_or(context.end, |(_, to)| to);
        Self {
            place,
            begin: begin.map_or(context.begin, |begin| begin.time),
            end: end.unwrap_or(window_end),
            is_open_left: begin.is_none(),
            is_open_right: end.is_none(),
        }
    }

    pub(crate) fn ns(&self) -> i64 {
        self.end.since_ns(self.begin)
    }
}
