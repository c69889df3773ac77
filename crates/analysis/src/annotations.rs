//! What the author of the program has annotated: user tasks, user regions and logs.
//!
//! A user task begins and ends anywhere; a region belongs to the task (Go: goroutine) that begins it, and regions of a task nest.
//! What a trace shows only a part of stays in: a user task or region that ends without a begin began before the trace (or what was
//! read of it), and one without an end goes on after it. A user task that is only spoken of, as the parent of another or in a log,
//! has neither.
//!
//! An end that ends nothing is a fault of the program, and is kept apart: a second end of a user task; an end of a region that the
//! task has ended just before, or that is not open while another one is.

mod moment;
mod stray_end;
mod user_log;
mod user_region;
mod user_task;

use std::collections::HashMap;

use exectrace_reader::{
    Event, EventType, Kind, State, StringId, Tables, TaskId, Timestamp, UserTaskBegin, UserTaskId,
};

use crate::{Analysis, Context};
pub use moment::Moment;
pub use stray_end::{Ended, StrayEnd};
pub use user_log::UserLog;
pub use user_region::{UserRegion, UserRegionPlace};
pub use user_task::{UserTask, UserTaskPlace};

/// Follows user tasks, user regions and logs. Those before the window stay in, so that what reaches into it has its begin.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{Annotations, Pass, Window};
/// use exectrace_reader::Reader;
///
/// # let file = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=0 ticks=1000
/// #     Frequency ticks_per_second=1000000000
/// #     String string=1 text=\"request\"
/// #     ProcStart dt=1 thread=7
/// #     GoCreate dt=1 task=1 start_stack=0 stack=0
/// #     GoStart dt=1 task=1 seq=1
/// #     UserTaskCreate dt=10 user_task=8 parent=0 name=1 stack=0
/// #     UserTaskEnd dt=30 user_task=8 stack=0").unwrap();
/// let mut reader = Reader::tolerant(&file)?;
/// let mut pass = Pass::new(Window::WHOLE, Annotations::default());
/// while let Some(event) = reader.next() {
///     pass.event(&event?, reader.tables());
/// }
/// let report = pass.report(reader.tables());
/// let request = &report.user_tasks[0];
/// assert_eq!(reader.tables().text(request.name), "request");
/// assert_eq!(request.end.unwrap().time.since_ns(request.begin.unwrap().time), 30);
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    report: AnnotationsReport,
    /// The latest user task of each id.
    places: HashMap<UserTaskId, UserTaskPlace>,
    /// Tasks that have had regions.
    regions: HashMap<TaskId, Regions>,
}

/// What the author of the program has annotated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnnotationsReport {
    /// User tasks in the order in which they are first spoken of. An id that was used twice stands here twice.
    pub user_tasks: Vec<UserTask>,
    /// Regions in the order of their first events.
    pub regions: Vec<UserRegion>,
    /// Logs in order. What a recording of exectrace says about itself is none.
    pub logs: Vec<UserLog>,
    /// Ends that end nothing.
    pub stray_ends: Vec<StrayEnd>,
}

/// The regions of a task.
#[derive(Clone, Debug, Default)]
struct Regions {
    /// Those that are open, the innermost last.
    open: Vec<UserRegionPlace>,
    /// The one that ended last, if no other has begun since.
    ended: Option<UserRegionPlace>,
}

/// What marks logs in which a recording describes itself.
const DESCRIPTION: &[u8] = b"exectrace.";

impl Analysis for Annotations {
    type Report = AnnotationsReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.take(event, context.tables);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if context.window.from().is_some_and(|from| event.time < from) {
            self.take(event, context.tables);
        }
    }

    fn report(self, _: &Context<'_>) -> AnnotationsReport {
        self.report
    }
}

impl Annotations {
    fn take(&mut self, event: &Event, tables: &Tables<'_>) {
        match event.kind {
            Kind::UserTaskBegin {
                user_task,
                parent,
                name,
            } => self.begin(event, user_task, UserTaskBegin { parent, name }),
            Kind::UserTaskEnd { user_task, begin } => self.end(event, user_task, begin),
            // What is inferred at a region's end is not when it began.
            Kind::UserRegionBegin { .. } if event.event_type == EventType::Inferred => {}
            Kind::UserRegionBegin { user_task, name } => {
                self.add_region(event.task, user_task, name, Some(Moment::of(event)), None);
            }
            Kind::UserRegionEnd { user_task, name } => self.end_region(event, user_task, name),
            Kind::UserLog {
                user_task,
                key,
                message,
            } => {
                let is_of_none = user_task == UserTaskId(0);
                if !(is_of_none && tables.string(key).starts_with(DESCRIPTION)) {
                    self.log(event, user_task, key, message);
                }
            }
            Kind::TaskTransition {
                task,
                to: State::NotExist,
                ..
            } => self.end_task(task, event.time),
            _ => {}
        }
    }

    /// A user task, known or not; `None` for none.
    fn place(&mut self, user_task: UserTaskId) -> Option<UserTaskPlace> {
        if user_task == UserTaskId(0) {
            return None;
        }
        let next = UserTaskPlace(self.report.user_tasks.len());
        let place = *self.places.entry(user_task).or_insert(next);
        if place == next {
            self.report.user_tasks.push(UserTask::new(user_task));
        }
        Some(place)
    }

    /// The place of a user task that begins.
    fn new_place(&mut self, user_task: UserTaskId) -> Option<UserTaskPlace> {
        let place = self.place(user_task)?;
        let known = &self.report.user_tasks[place.0];
        if known.begin.is_none() && known.end.is_none() {
            return Some(place);
        }
        self.places.remove(&user_task);
        self.place(user_task)
    }

    fn begin(&mut self, event: &Event, user_task: UserTaskId, begin: UserTaskBegin) {
        let parent = self.place(begin.parent);
        if let Some(place) = self.new_place(user_task) {
            let known = &mut self.report.user_tasks[place.0];
            known.begin = Some(Moment::of(event));
            known.name = begin.name;
            // No user task is its own parent.
            known.parent = parent.filter(|&parent| parent != place);
        }
    }

    fn end(&mut self, event: &Event, user_task: UserTaskId, begin: Option<UserTaskBegin>) {
        let parent = begin.and_then(|begin| self.place(begin.parent));
        let Some(place) = self.place(user_task) else {
            return;
        };
        let known = &mut self.report.user_tasks[place.0];
        if known.end.is_some() {
            let ended = Ended::UserTask(place);
            return self.stray(event, ended);
        }
        known.end = Some(Moment::of(event));
        if let (None, Some(begin)) = (known.begin, begin) {
            known.name = begin.name;
            known.parent = parent.filter(|&parent| parent != place);
        }
    }

    fn stray(&mut self, event: &Event, ended: Ended) {
        let moment = Moment::of(event);
        self.report.stray_ends.push(StrayEnd { moment, ended });
    }

    fn add_region(
        &mut self,
        task: TaskId,
        user_task: UserTaskId,
        name: StringId,
        begin: Option<Moment>,
        end: Option<Moment>,
    ) {
        let place = UserRegionPlace(self.report.regions.len());
        let user_task = self.place(user_task);
        let regions = self.regions.entry(task).or_default();
        let parent = regions.open.last().copied();
        if end.is_none() {
            regions.open.push(place);
            regions.ended = None;
        } else {
            regions.ended = Some(place);
        }
        self.report.regions.push(UserRegion {
            name,
            user_task,
            task,
            parent,
            begin,
            end,
            task_end: None,
        });
    }

    fn end_region(&mut self, event: &Event, user_task: UserTaskId, name: StringId) {
        let place = self.place(user_task);
        let known = &self.report.regions;
        let is_it = |region: &UserRegionPlace| {
            let region = &known[region.0];
            (region.user_task, region.name) == (place, name)
        };
        let regions = self.regions.entry(event.task).or_default();
        if let Some(depth) = regions.open.iter().rposition(is_it) {
            let region = regions.open.remove(depth);
            regions.ended = Some(region);
            self.report.regions[region.0].end = Some(Moment::of(event));
            return;
        }
        // Regions nest: one that began before the trace is not ended while one of the trace is open.
        if !regions.open.is_empty() || regions.ended.as_ref().is_some_and(is_it) {
            return self.stray(event, Ended::Region(place, name));
        }
        self.add_region(event.task, user_task, name, None, Some(Moment::of(event)));
    }

    fn log(&mut self, event: &Event, user_task: UserTaskId, key: StringId, message: StringId) {
        let user_task = self.place(user_task);
        let regions = self.regions.get(&event.task);
        self.report.logs.push(UserLog {
            moment: Moment::of(event),
            user_task,
            region: regions.and_then(|regions| regions.open.last().copied()),
            key,
            message,
        });
    }

    /// A task ends, and its regions with it.
    fn end_task(&mut self, task: TaskId, time: Timestamp) {
        for region in self.regions.remove(&task).unwrap_or_default().open {
            self.report.regions[region.0].task_end = Some(time);
        }
    }
}
