//! All rows of the timeline, and the analysis that fills them while a trace is read.

mod annotation_tree;
mod filling;
mod groups;
mod life_index;
mod logs;
mod lot;
mod members;
mod numbers;
mod place;
mod recording;
mod region_names;
mod regions;
mod row_filter;
mod sum_levels;
mod sums;
mod task_rows;
mod task_times;
mod user_tasks;
mod value_curve;
mod window_sums;

pub(crate) use self::annotation_tree::{Annotation, AnnotationTree, Told};
pub(crate) use self::groups::Group;
use self::life_index::LifeIndex;
pub(crate) use self::logs::{Log, Logs};
pub(crate) use self::lot::Names;
pub(crate) use self::recording::Recording;
pub(crate) use self::region_names::RegionNames;
pub(crate) use self::regions::{RegionNote, UserRegions};
pub(crate) use self::row_filter::RowFilter;
pub(crate) use self::task_rows::TaskRows;
use self::task_times::Whole;
pub(crate) use self::user_tasks::UserTasks;
pub(crate) use self::value_curve::ValueCurve;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use exectrace_reader::{StackId, StringId, TaskId, UserTaskId};
use rustc_hash::FxBuildHasher;

use crate::causes::Causes;
use crate::grid::Grid;
use crate::track::{Drawn, Intervals, Runs, Track};

/// All rows of the timeline of a trace. Times count from its first event, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// When the trace ends, as far as it was read.
    pub(crate) end_ns: u64,
    /// By their lives, in the order of their first events.
    pub(crate) tasks: TaskRows,
    lives: LifeIndex,
    /// What ran on each worker.
    pub(crate) workers: BTreeMap<i64, ThreadRow>,
    /// What ran on each thread, and what it waited for in system calls.
    pub(crate) threads: BTreeMap<u64, ThreadRow>,
    pub(crate) groups: Vec<Group>,
    group_ids: HashMap<StringId, u32, FxBuildHasher>,
    pub(crate) user_tasks: UserTasks,
    pub(crate) causes: Causes,
    pub(crate) samples: Vec<SampleMark>,
    pub(crate) regions: UserRegions,
    pub(crate) region_names: RegionNames,
    pub(crate) logs: Logs,
    /// Live bytes of the heap, and how many it may grow to before the collector begins.
    pub(crate) heap: ValueCurve,
    pub(crate) goal: ValueCurve,
    /// When the garbage collector was at work, and when the world was stopped.
    pub(crate) collecting: Track,
    pub(crate) stopped: Track,
    /// Not all rows of tasks tell just what was told of these, as in a damaged trace.
    is_inexact: bool,
    whole: Option<Whole>,
}

/// A worker's or a thread's row: its intervals have the lives of tasks as causes.
#[derive(Debug, Default)]
pub(crate) struct ThreadRow {
    /// What a recording calls it; empty for a trace of Go's.
    pub(crate) name: String,
    pub(crate) track: Track,
}

/// One CPU sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleMark {
    pub(crate) at_ns: u64,
    /// Whose life; `None` where no task ran.
    pub(crate) life: Option<u32>,
    pub(crate) worker: i64,
    pub(crate) thread: u64,
    pub(crate) stack: StackId,
}

/// Which row is meant, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowId {
    Task(TaskId),
    Worker(i64),
    Thread(u64),
    Group(u32),
    UserTask(UserTaskId),
    /// User tasks of a name.
    UserGroup(u32),
    /// User regions of a name.
    RegionGroup(u32),
    /// User regions of a task, so deep in others.
    Regions(TaskId, u32),
    Collecting,
    Stopped,
}

impl RowId {
    /// The row that a text names; `None` if it names none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "gc" => return Some(Self::Collecting),
            "stopped" => return Some(Self::Stopped),
            _ => {}
        }
        let (kind, number) = text.split_once(':')?;
        match kind {
            "task" => Some(Self::Task(TaskId(number.parse().ok()?))),
            "worker" => Some(Self::Worker(number.parse().ok()?)),
            "thread" => Some(Self::Thread(number.parse().ok()?)),
            "group" => Some(Self::Group(number.parse().ok()?)),
            "user" => Some(Self::UserTask(UserTaskId(number.parse().ok()?))),
            "regions" => {
                let (task, depth) = number.split_once('.')?;
                let task = TaskId(task.parse().ok()?);
                Some(Self::Regions(task, depth.parse().ok()?))
            }
            "region" => Some(Self::RegionGroup(number.parse().ok()?)),
            "users" => Some(Self::UserGroup(number.parse().ok()?)),
            _ => None,
        }
    }
}

impl fmt::Display for RowId {
    /// As [`Self::parse`] takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(TaskId(id)) => write!(f, "task:{id}"),
            Self::Worker(id) => write!(f, "worker:{id}"),
            Self::Thread(id) => write!(f, "thread:{id}"),
            Self::Group(place) => write!(f, "group:{place}"),
            Self::UserTask(UserTaskId(id)) => write!(f, "user:{id}"),
            Self::UserGroup(place) => write!(f, "users:{place}"),
            Self::RegionGroup(place) => write!(f, "region:{place}"),
            Self::Regions(TaskId(id), depth) => write!(f, "regions:{id}.{depth}"),
            Self::Collecting => f.write_str("gc"),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl Timeline {
    /// The life that a task's id means: the last one.
    pub(crate) fn life(&self, task: TaskId) -> Option<u32> {
        self.lives.get(task)
    }

    /// Whether there is such a row.
    pub(crate) fn has(&self, id: &str) -> bool {
        let row = RowId::parse(id);
        row.is_some_and(|row| self.intervals(row).is_some() || matches!(row, RowId::UserTask(_)))
    }

    /// The intervals of a row; those of a group are its members'.
    pub(crate) fn intervals(&self, row: RowId) -> Option<Intervals<'_>> {
        match row {
            RowId::Task(task) => Some(self.tasks.intervals(self.life(task)?)),
            RowId::Regions(task, depth) => self.regions.intervals(self.life(task)?, depth),
            RowId::Group(_) | RowId::UserGroup(_) | RowId::RegionGroup(_) | RowId::UserTask(_) => {
                None
            }
            _ => Some(self.track(row)?.intervals()),
        }
    }

    /// What a screen can show of a row.
    pub(crate) fn runs(&self, row: RowId, grid: Grid) -> Option<Runs> {
        match row {
            RowId::Task(task) => Some(self.tasks.runs(self.life(task)?, grid)),
            RowId::Regions(task, depth) => self.regions.runs(self.life(task)?, depth, grid),
            RowId::Group(group) => {
                let group = self.groups.get(group as usize)?;
                Some(self.group_runs(group, grid))
            }
            RowId::UserTask(id) => {
                let mut runs = Runs::new(grid);
                let drawn = user_tasks::drawn(self.user_tasks.get(id)?, self.end_ns);
                if drawn.begin_ns < grid.end_ns() && drawn.end_ns >= grid.begin_ns() {
                    runs.add(drawn);
                }
                Some(runs)
            }
            RowId::UserGroup(name) => {
                let group = self.user_tasks.names.get(name as usize)?;
                let rows = &self.user_tasks.rows;
                Some(group.runs(grid, |member, from_ns, to_ns| {
                    let drawn = user_tasks::drawn(&rows[member as usize], self.end_ns);
                    let reaches_in = drawn.end_ns > from_ns || drawn.begin_ns >= from_ns;
                    let is_in = drawn.begin_ns < to_ns && reaches_in;
                    is_in.then_some(drawn).into_iter()
                }))
            }
            RowId::RegionGroup(name) => {
                let group = self.region_names.groups.get(name as usize)?;
                Some(group.runs(grid, |life, from_ns, to_ns| {
                    self.regions_named(&group.name, life, from_ns, to_ns)
                }))
            }
            _ => Some(self.track(row)?.runs(grid)),
        }
    }

    /// What a screen can show of all tasks of a group.
    pub(crate) fn group_runs(&self, group: &Group, grid: Grid) -> Runs {
        group.runs(grid, |member, from_ns, to_ns| {
            self.tasks.overlapping(member, from_ns, to_ns)
        })
    }

    /// The user regions of a name that a life had in a stretch of time.
    pub(crate) fn regions_named(
        &self,
        name: &str,
        life: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> impl Iterator<Item = Drawn> {
        let regions = self.regions.overlapping(life, from_ns, to_ns);
        regions.filter(move |drawn| self.causes.reason(drawn.cause) == name)
    }

    /// The track of a row that is no task's.
    fn track(&self, row: RowId) -> Option<&Track> {
        match row {
            RowId::Worker(worker) => Some(&self.workers.get(&worker)?.track),
            RowId::Thread(thread) => Some(&self.threads.get(&thread)?.track),
            RowId::Collecting => Some(&self.collecting),
            RowId::Stopped => Some(&self.stopped),
            RowId::Task(_)
            | RowId::Group(_)
            | RowId::UserTask(_)
            | RowId::UserGroup(_)
            | RowId::RegionGroup(_)
            | RowId::Regions(..) => None,
        }
    }

    /// The rows that a log is shown on.
    pub(crate) fn rows_of_log(&self, log: &Log) -> impl Iterator<Item = RowId> {
        let task = log.life.and_then(|life| self.tasks.get(life));
        let user_task = self.user_tasks.get(log.user_task);
        let rows = [
            task.map(|task| RowId::Task(task.id)),
            task.and_then(|task| task.group()).map(RowId::Group),
            Some(RowId::Worker(log.worker)),
            Some(RowId::Thread(log.thread)),
            user_task.map(|row| RowId::UserTask(row.id)),
            user_task.map(|row| RowId::UserGroup(row.name)),
        ];
        rows.into_iter().flatten()
    }

    /// What a task runs; empty if nothing tells it.
    pub(crate) fn name_of(&self, life: u32) -> &str {
        let group = self.tasks.get(life).and_then(|task| task.group());
        let group = group.and_then(|group| self.groups.get(group as usize));
        group.map_or("", |group| &group.name)
    }
}
